/** Keeps the best of many scored places in a heap whose root is the worst kept. */
export class TopFiles {
  private readonly heap: Float64Array
  private readonly scores: Float64Array
  private readonly isBefore: (place: number, other: number) => boolean
  private count = 0
  /** No score below this can enter. */
  least: number

  /** `isBefore` decides between equal scores. */
  constructor(limit: number, isBefore: (place: number, other: number) => boolean) {
    this.heap = new Float64Array(limit)
    this.scores = new Float64Array(limit)
    this.isBefore = isBefore
    this.least = limit === 0 ? Number.POSITIVE_INFINITY : 0
  }

  /** In no order. */
  get places(): Float64Array {
    return this.heap.subarray(0, this.count)
  }

  offer(place: number, score: number): void {
    const { heap, scores } = this
    if (this.count < heap.length) this.rise(this.count++, place, score)
    else if (heap.length > 0 && this.isWorse(heap[0]!, scores[0]!, place, score)) this.sink(place, score)
    if (this.count === heap.length && heap.length > 0) this.least = scores[0]!
  }

  private isWorse(place: number, score: number, other: number, otherScore: number): boolean {
    return score < otherScore || (score === otherScore && this.isBefore(other, place))
  }

  /** Puts it where the hole at `from` rises to. */
  private rise(from: number, place: number, score: number): void {
    const { heap, scores } = this
    let at = from
    while (at > 0) {
      const parent = (at - 1) >>> 1
      if (!this.isWorse(place, score, heap[parent]!, scores[parent]!)) break
      heap[at] = heap[parent]!
      scores[at] = scores[parent]!
      at = parent
    }
    heap[at] = place
    scores[at] = score
  }

  /** Puts it where the hole at the root sinks to. */
  private sink(place: number, score: number): void {
    const { heap, scores, count } = this
    let at = 0
    for (;;) {
      let child = at * 2 + 1
      if (child >= count) break
      const other = child + 1
      if (other < count && this.isWorse(heap[other]!, scores[other]!, heap[child]!, scores[child]!))
        child = other
      if (!this.isWorse(heap[child]!, scores[child]!, place, score)) break
      heap[at] = heap[child]!
      scores[at] = scores[child]!
      at = child
    }
    heap[at] = place
    scores[at] = score
  }
}
