import type { PostingSpace } from "./segment.ts"

/** Walks many sorted dictionaries as one: the root of the heap is the space whose next term is least. */
export class TermHeap {
  size = 0
  private readonly heap: Uint32Array
  private readonly cursors: Uint32Array
  private readonly spaces: readonly PostingSpace[]

  constructor(spaces: readonly PostingSpace[]) {
    this.spaces = spaces
    this.heap = new Uint32Array(spaces.length)
    this.cursors = new Uint32Array(spaces.length)
    spaces.forEach((space, place) => {
      if (space.hi.length > 0) this.heap[this.size++] = place
    })
    for (let at = this.size >>> 1; at >= 0; at--) this.sink(at)
  }

  /** The space with the least term, and that term's place there. Equal terms come in the order of spaces. */
  get top(): number {
    return this.heap[0]!
  }

  get term(): number {
    return this.cursors[this.top]!
  }

  get hi(): number {
    return this.spaces[this.top]!.hi.at(this.term)
  }

  get lo(): number {
    return this.spaces[this.top]!.lo.at(this.term)
  }

  /** Moves the root's space on to its next term. */
  advance(): void {
    const place = this.top
    this.cursors[place]!++
    if (this.cursors[place]! >= this.spaces[place]!.hi.length) this.heap[0] = this.heap[--this.size]!
    if (this.size > 0) this.sink(0)
  }

  private sink(from: number): void {
    const { heap, size } = this
    let at = from
    for (;;) {
      let child = at * 2 + 1
      if (child >= size) return
      if (child + 1 < size && this.isLess(heap[child + 1]!, heap[child]!)) child++
      if (!this.isLess(heap[child]!, heap[at]!)) return
      const place = heap[child]!
      heap[child] = heap[at]!
      heap[at] = place
      at = child
    }
  }

  private isLess(place: number, other: number): boolean {
    const space = this.spaces[place]!
    const otherSpace = this.spaces[other]!
    const at = this.cursors[place]!
    const otherAt = this.cursors[other]!
    const hi = space.hi.at(at)
    const otherHi = otherSpace.hi.at(otherAt)
    if (hi !== otherHi) return hi < otherHi
    const lo = space.lo.at(at)
    const otherLo = otherSpace.lo.at(otherAt)
    return lo < otherLo || (lo === otherLo && place < other)
  }
}
