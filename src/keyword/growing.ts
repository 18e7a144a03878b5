/** Numbers appended one by one; the array doubles and is kept when cleared. */
export class GrowingU32 {
  values: Uint32Array
  length = 0

  constructor(capacity = 1024) {
    this.values = new Uint32Array(capacity)
  }

  push(value: number): void {
    if (this.length === this.values.length) this.reserve(1)
    this.values[this.length++] = value
  }

  reserve(more: number): void {
    const needed = this.length + more
    if (needed <= this.values.length) return
    const larger = new Uint32Array(Math.max(needed, this.values.length * 2))
    larger.set(this.values.subarray(0, this.length))
    this.values = larger
  }

  clear(): void {
    this.length = 0
  }

  view(): Uint32Array {
    return this.values.subarray(0, this.length)
  }
}
