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
    else if (this.#limit > 0 && (score > this.#least || this.#isLater(this.#slots[0]!, slot)))
      this.#sink(slot, score)
    if (this.#slots.length >= this.#limit) this.#least = this.#scores[0] ?? Number.POSITIVE_INFINITY
  }

  /** Best first. */
  slots(): readonly number[] {
    const [slots, scores] = [this.#slots, this.#scores]
    const places = Array.from(slots.keys())
    places.sort((a, b) => scores[b]! - scores[a]! || (this.#isLater(slots[a]!, slots[b]!) ? 1 : -1))
    return places.map((place) => slots[place]!)
  }

  /** Takes one in at the end of the heap. */
  #rise(slot: number, score: number): void {
    const slots = this.#slots
    const scores = this.#scores
    let at = slots.push(slot) - 1
    scores.push(score)
    while (at > 0) {
      const above = (at - 1) >> 1
      const other = scores[above]!
      if (score > other || (score === other && !this.#isLater(slot, slots[above]!))) break
      slots[at] = slots[above]!
      scores[at] = other
      at = above
    }
    slots[at] = slot
    scores[at] = score
  }

  /** Puts one in the worst one's stead. */
  #sink(slot: number, score: number): void {
    const slots = this.#slots
    const scores = this.#scores
    let at = 0
    for (let below = 1; below < slots.length; below = 2 * at + 1) {
      const right = below + 1
      if (right < slots.length) {
        const difference = scores[right]! - scores[below]!
        if (difference < 0 || (difference === 0 && this.#isLater(slots[right]!, slots[below]!))) below = right
      }
      const other = scores[below]!
      if (score < other || (score === other && this.#isLater(slot, slots[below]!))) break
      slots[at] = slots[below]!
      scores[at] = other
      at = below
    }
    slots[at] = slot
    scores[at] = score
  }

  /** Of two equally good ones. */
  #isLater(slot: number, other: number): boolean {
    return this.#nameOf(slot) > this.#nameOf(other)
  }
}
