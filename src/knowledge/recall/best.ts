/** The best so many of what is added, equals by their name. */
export class Best {
  readonly #limit: number
  readonly #nameOf: (slot: number) => string
  /** A heap of places: the worst of them is the first. */
  readonly #slots: number[] = []
  readonly #scores: number[] = []
  /** What is below comes in no more. */
  #least = Number.NEGATIVE_INFINITY

  constructor(limit: number, nameOf: (slot: number) => string) {
    this.#limit = limit
    this.#nameOf = nameOf
  }

  /** Whether a score so high may come in at all. */
  admits(score: number): boolean {
    return score >= this.#least
  }

  add(slot: number, score: number): void {
    if (score < this.#least) return
    if (this.#slots.length < this.#limit) this.#rise(slot, score)
    else if (this.#limit > 0 && this.#isWorse(this.#slots[0]!, this.#scores[0]!, slot, score))
      this.#sink(slot, score)
    if (this.#slots.length >= this.#limit) this.#least = this.#scores[0] ?? Number.POSITIVE_INFINITY
  }

  /** Best first. */
  slots(): readonly number[] {
    const [slots, scores] = [this.#slots, this.#scores]
    const places = Uint32Array.from(slots.keys())
    const isWorse = (a: number, b: number) => this.#isWorse(slots[a]!, scores[a]!, slots[b]!, scores[b]!)
    return Array.from(
      places.sort((a, b) => (isWorse(a, b) ? 1 : -1)),
      (place) => slots[place]!,
    )
  }

  /** Takes one in at the end of the heap. */
  #rise(slot: number, score: number): void {
    const [slots, scores] = [this.#slots, this.#scores]
    let at = slots.push(slot) - 1
    scores.push(score)
    while (at > 0) {
      const above = (at - 1) >> 1
      if (!this.#isWorse(slot, score, slots[above]!, scores[above]!)) break
      slots[at] = slots[above]!
      scores[at] = scores[above]!
      at = above
    }
    slots[at] = slot
    scores[at] = score
  }

  /** Puts one in the worst one's stead. */
  #sink(slot: number, score: number): void {
    const [slots, scores] = [this.#slots, this.#scores]
    let at = 0
    for (let below = 1; below < slots.length; below = 2 * at + 1) {
      const other = below + 1
      if (other < slots.length && this.#isWorse(slots[other]!, scores[other]!, slots[below]!, scores[below]!))
        below = other
      if (!this.#isWorse(slots[below]!, scores[below]!, slot, score)) break
      slots[at] = slots[below]!
      scores[at] = scores[below]!
      at = below
    }
    slots[at] = slot
    scores[at] = score
  }

  #isWorse(slot: number, score: number, other: number, otherScore: number): boolean {
    if (score !== otherScore) return score < otherScore
    return this.#nameOf(slot) > this.#nameOf(other)
  }
}
