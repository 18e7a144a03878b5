/*
 * Scores by slot, and the formulas of ranking: BM25, reciprocal rank fusion, and the selection of the best slots by a
 * heap. Arrays are pooled, because new ones for each question would be garbage of a megabyte.
 */

/**
 * A number for each slot, most of them 0. `slots` lists the slots with a value, each once, so that callers
 * need not read all of them. The list is a typed array that is reused, because an array emptied and refilled
 * for each word of a question leaves 0.5 MB of garbage.
 */
export class Scores {
  readonly values: Float64Array
  /** The first `count` elements are valid: each slot once, in the order of first use. */
  readonly slots: Int32Array
  count = 0
  /**
   * 1 for each listed slot. Needed for slots with the value 0, because a slot may be listed although its values add
   * up to 0.
   */
  readonly #isListed: Uint8Array

  constructor(capacity: number) {
    this.values = new Float64Array(capacity)
    this.slots = new Int32Array(capacity)
    this.#isListed = new Uint8Array(capacity)
  }

  of(slot: number): number {
    return this.values[slot]!
  }

  add(slot: number, value: number): void {
    if (value === 0) return
    if (this.values[slot] === 0) this.#list(slot)
    this.values[slot]! += value
  }

  /** Keeps the greater of the slot's value and `value`. */
  raise(slot: number, value: number): void {
    const known = this.values[slot]!
    if (value <= known) return
    if (known === 0) this.#list(slot)
    this.values[slot] = value
  }

  set(slot: number, value: number): void {
    if (this.values[slot] === 0) this.#list(slot)
    this.values[slot] = value
  }

  greatest(): number {
    let greatest = 0
    for (let i = 0; i < this.count; i++) greatest = Math.max(greatest, this.values[this.slots[i]!]!)
    return greatest
  }

  clear(): void {
    for (let i = 0; i < this.count; i++) this.values[this.slots[i]!] = this.#isListed[this.slots[i]!] = 0
    this.count = 0
  }

  #list(slot: number): void {
    if (this.#isListed[slot] === 1) return
    this.#isListed[slot] = 1
    this.slots[this.count++] = slot
  }
}

/**
 * Reusable `Scores`. New ones for each question would be 1 MB of garbage for a store with thousands of
 * entries; a server with a small heap would collect it every few questions, 30 ms each time.
 */
export class ScorePool {
  readonly #free: Scores[] = []
  readonly #taken: Scores[] = []
  /** Capacity of all `Scores` in the pool, so that any of them serves any purpose. */
  #capacity = 0

  take(capacity: number): Scores {
    if (capacity > this.#capacity) {
      this.#capacity = Math.ceil(capacity * ROOM)
      this.#free.length = 0
    }
    const scores = this.#free.pop() ?? new Scores(this.#capacity)
    this.#taken.push(scores)
    return scores
  }

  /** Returns `Scores` to the pool before the end of the question; the caller must not use them afterwards. */
  giveBack(scores: Scores): void {
    this.#taken.splice(this.#taken.lastIndexOf(scores), 1)
    this.#keep(scores)
  }

  /** Returns all taken `Scores` to the pool; callers must not use them afterwards. */
  release(): void {
    for (const scores of this.#taken.toReversed()) this.#keep(scores)
    this.#taken.length = 0
  }

  #keep(scores: Scores): void {
    scores.clear()
    if (scores.values.length === this.#capacity) this.#free.push(scores)
  }
}

/** Growth factor of the capacity, so that slots that are added one by one do not each cause a copy. */
const ROOM = 1.25

/**
 * Okapi BM25 of one word without its idf. `times`: occurrences; `length`: length of the text relative to the
 * mean.
 */
export function bm25(times: number, length: number, { k1, b }: Saturation): number {
  return times === 0 ? 0 : (times * (k1 + 1)) / (times + k1 * (1 - b + b * length))
}

type Saturation = { readonly k1: number; readonly b: number }

/** A channel's entries, best first, and the channel's weight. */
type RankedChannel = { readonly slots: readonly number[]; readonly weight: number }

/** Cormack et al. 2009; damps the head so that one channel alone cannot decide the order. */
const RRF_K = 60

/** Reciprocal rank fusion: agreement between channels beats a high place in one. */
export function fuse(channels: readonly RankedChannel[]): Map<number, number> {
  const scores = new Map<number, number>()
  for (const { slots, weight } of channels) {
    for (const [place, slot] of slots.entries()) {
      scores.set(slot, (scores.get(slot) ?? 0) + weight / (RRF_K + place + 1))
    }
  }
  return scores
}

/** The slots with the greatest scores, best first; at most `limit`. */
export function ranking(scores: Scores, limit: number, nameOf: (slot: number) => string): readonly number[] {
  const best = new TopSlots(limit, nameOf)
  for (let i = 0; i < scores.count; i++) best.add(scores.slots[i]!, scores.of(scores.slots[i]!))
  return best.slots()
}

/**
 * Keeps the best `limit` of the added slots; equal scores are ordered by name. Scores are compared in single
 * precision: the same terms summed in another order differ in their last bits, and two processes that took in the
 * same entries in another order must not order them differently.
 */
export class TopSlots {
  readonly #limit: number
  readonly #nameOf: (slot: number) => string
  /** A binary heap; the worst kept slot is the first. */
  readonly #slots: number[] = []
  readonly #scores: number[] = []
  /** Scores below this are rejected. */
  #min = Number.NEGATIVE_INFINITY

  constructor(limit: number, nameOf: (slot: number) => string) {
    this.#limit = limit
    this.#nameOf = nameOf
  }

  /** False when a slot with this score would be rejected. */
  admits(score: number): boolean {
    return Math.fround(score) >= this.#min
  }

  add(slot: number, exact: number): void {
    const score = Math.fround(exact)
    if (score < this.#min) return
    if (this.#slots.length < this.#limit) this.#rise(slot, score)
    else if (this.#limit > 0 && (score > this.#min || this.#isLater(this.#slots[0]!, slot)))
      this.#sink(slot, score)
    if (this.#slots.length >= this.#limit) this.#min = this.#scores[0] ?? Number.POSITIVE_INFINITY
  }

  /** The kept slots, best first. */
  slots(): readonly number[] {
    const [slots, scores] = [this.#slots, this.#scores]
    const places = Array.from(slots.keys())
    places.sort((a, b) => scores[b]! - scores[a]! || (this.#isLater(slots[a]!, slots[b]!) ? 1 : -1))
    return places.map((place) => slots[place]!)
  }

  /** Appends a slot to the heap and restores its order. */
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

  /** Replaces the worst slot and restores the heap's order. */
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

  /** True when `slot` is ordered after `other`; for slots with equal scores. */
  #isLater(slot: number, other: number): boolean {
    return this.#nameOf(slot) > this.#nameOf(other)
  }
}
