/** Paths in git's order, by bytes, one after another in one buffer: 50,000 strings would cost more than the search. */
export class SortedPaths {
  readonly count: number
  private bytes = Buffer.allocUnsafe(64 * 1024)
  private readonly ends: Uint32Array
  private added = 0

  constructor(count: number) {
    this.count = count
    this.ends = new Uint32Array(count)
  }

  /** Of all paths together, in bytes. */
  get length(): number {
    return this.startOf(this.added)
  }

  get lastLength(): number {
    return this.added === 0 ? 0 : this.ends[this.added - 1]! - this.startOf(this.added - 1)
  }

  /** Adds a path: the first `keep` bytes of the previous one, then a part of `source`. */
  add(keep: number, source: Buffer, from: number, to: number): void {
    const start = this.startOf(this.added)
    const end = start + keep + to - from
    if (end > this.bytes.length) {
      const larger = Buffer.allocUnsafe(end * 2)
      this.bytes.copy(larger, 0, 0, start)
      this.bytes = larger
    }
    if (keep > 0) {
      const previous = this.startOf(this.added - 1)
      this.bytes.copy(this.bytes, start, previous, previous + keep)
    }
    source.copy(this.bytes, start + keep, from, to)
    this.ends[this.added++] = end
  }

  /** Number of paths that stand before this one. */
  firstFrom(path: string): number {
    let low = 0
    let high = this.count
    while (low < high) {
      const middle = (low + high) >>> 1
      if (this.compareAt(middle, path) < 0) low = middle + 1
      else high = middle
    }
    return low
  }

  compareAt(i: number, path: string): number {
    return i < this.count ? Buffer.compare(this.at(i), Buffer.from(path)) : 1
  }

  startsWithAt(i: number, prefix: string): boolean {
    const wanted = Buffer.from(prefix)
    return i < this.count && this.at(i).subarray(0, wanted.length).equals(wanted)
  }

  textAt(i: number): string {
    return this.at(i).toString("utf8")
  }

  private at(i: number): Buffer {
    return this.bytes.subarray(this.startOf(i), this.ends[i]!)
  }

  private startOf(i: number): number {
    return i === 0 ? 0 : this.ends[i - 1]!
  }
}
