/** Marks those whose neighbours were looked at. */
const TAKEN = 2 ** 31

/**
 * The best so many of the nodes that were met, best first, those met first before their equals. What falls out is
 * further away than all that stay, so its neighbours are none that a search would go on to.
 */
export class NearestNodes {
  #capacity = 0
  #scores = new Float64Array(0)
  #nodes = new Uint32Array(0)
  #count = 0
  /** All before this place are taken. */
  #open = 0

  clear(capacity: number): void {
    if (capacity > this.#scores.length) {
      this.#scores = new Float64Array(capacity)
      this.#nodes = new Uint32Array(capacity)
    }
    this.#capacity = capacity
    this.#count = 0
    this.#open = 0
  }

  offer(node: number, score: number): void {
    if (Number.isNaN(score)) return
    const isFull = this.#count === this.#capacity
    if (isFull && !(score > this.#scores[this.#count - 1]!)) return
    const place = this.#placeFor(score)
    const last = isFull ? this.#count - 1 : this.#count
    this.#scores.copyWithin(place + 1, place, last)
    this.#nodes.copyWithin(place + 1, place, last)
    this.#scores[place] = score
    this.#nodes[place] = node
    if (!isFull) this.#count++
    if (place < this.#open) this.#open = place
  }

  /** The best that was not taken yet; −1 where there is none. */
  take(): number {
    while (this.#open < this.#count && this.#nodes[this.#open]! >= TAKEN) this.#open++
    if (this.#open === this.#count) return -1
    const node = this.#nodes[this.#open]!
    this.#nodes[this.#open++] = node + TAKEN
    return node
  }

  /** The best so many. */
  best(limit: number): number[] {
    return Array.from(this.#nodes.subarray(0, Math.min(limit, this.#count)), (node) =>
      node >= TAKEN ? node - TAKEN : node,
    )
  }

  #placeFor(score: number): number {
    let low = 0
    let high = this.#count
    while (low < high) {
      const middle = (low + high) >>> 1
      if (this.#scores[middle]! >= score) low = middle + 1
      else high = middle
    }
    return low
  }
}
