/**
 * The scores by words of each entry, by slot. `slots` lists the slots in use, so that callers need not read all of
 * them.
 */
export class WordScores {
  /** Score of the entry's best passage. */
  readonly passage: Float64Array
  /** Number of the best passage + 1; 0 for none. */
  readonly bestPassage: Uint32Array
  /** Score of the entry together with its neighbours in the session. */
  readonly window: Float64Array
  /** Score by the same or similar words. */
  readonly grams: Float64Array
  /** BM25 score of the whole entry, with its topic and tags. */
  readonly keyword: Float64Array
  /** Number of the question's terms that the entry, its topic or its tags contain. */
  readonly matched: Uint8Array
  /** Weighted sum of the terms of ranking. */
  readonly total: Float64Array
  /** The first `count` elements are the slots in use: each once, in the order of first use. */
  readonly slots: Int32Array
  count = 0
  readonly #isListed: Uint8Array

  constructor(capacity: number) {
    this.passage = new Float64Array(capacity)
    this.bestPassage = new Uint32Array(capacity)
    this.window = new Float64Array(capacity)
    this.grams = new Float64Array(capacity)
    this.keyword = new Float64Array(capacity)
    this.matched = new Uint8Array(capacity)
    this.total = new Float64Array(capacity)
    this.slots = new Int32Array(capacity)
    this.#isListed = new Uint8Array(capacity)
  }

  get capacity(): number {
    return this.slots.length
  }

  isListed(slot: number): boolean {
    return this.#isListed[slot] === 1
  }

  /** Adds the slot to the slots in use. */
  list(slot: number): void {
    if (this.#isListed[slot] === 1) return
    this.#isListed[slot] = 1
    this.slots[this.count++] = slot
  }

  clear(): void {
    const { passage, bestPassage, window, grams, keyword, matched, total, slots } = this
    for (let i = 0; i < this.count; i++) {
      const slot = slots[i]!
      passage[slot] = window[slot] = grams[slot] = keyword[slot] = total[slot] = 0
      bestPassage[slot] = matched[slot] = this.#isListed[slot] = 0
    }
    this.count = 0
  }
}
