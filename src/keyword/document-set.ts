/** Some of a segment's documents, a bit each. */
export class DocumentSet {
  count = 0
  private readonly bits: Uint32Array

  constructor(documents: number) {
    this.bits = new Uint32Array((documents + 31) >>> 5)
  }

  add(document: number): void {
    const at = document >>> 5
    const before = this.bits[at]!
    const bit = (before >>> (document & 31)) & 1
    this.bits[at] = before | (1 << (document & 31))
    this.count += 1 - bit
  }

  clear(): void {
    this.bits.fill(0)
    this.count = 0
  }
}
