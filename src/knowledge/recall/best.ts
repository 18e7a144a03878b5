/** The best so many of what is added, best first, equals by their name. */
export class Best {
  readonly #limit: number
  readonly #nameOf: (slot: number) => string
  readonly #slots: number[] = []
  readonly #scores: number[] = []

  constructor(limit: number, nameOf: (slot: number) => string) {
    this.#limit = limit
    this.#nameOf = nameOf
  }

  /** Whether a score so high may come in at all. */
  admits(score: number): boolean {
    const scores = this.#scores
    return scores.length < this.#limit || score >= scores[scores.length - 1]!
  }

  add(slot: number, score: number): void {
    if (!this.admits(score)) return
    const scores = this.#scores
    // Where many are equal most of them come after the last: told by one name, not by seven.
    if (scores.length === this.#limit && this.#isBefore(scores.length - 1, slot, score)) return
    let low = 0
    let high = scores.length
    while (low < high) {
      const middle = (low + high) >> 1
      if (this.#isBefore(middle, slot, score)) low = middle + 1
      else high = middle
    }
    if (low >= this.#limit) return
    this.#slots.splice(low, 0, slot)
    scores.splice(low, 0, score)
    if (scores.length > this.#limit) {
      this.#slots.pop()
      scores.pop()
    }
  }

  slots(): readonly number[] {
    return this.#slots
  }

  #isBefore(place: number, slot: number, score: number): boolean {
    const other = this.#scores[place]!
    if (other !== score) return other > score
    return this.#nameOf(this.#slots[place]!) < this.#nameOf(slot)
  }
}
