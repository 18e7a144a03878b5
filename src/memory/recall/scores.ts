import { TopK } from "../../base/ranking.ts"

/*
 * Scores by slot, and the selection of the best slots. Arrays are pooled, because new ones for each question would be
 * garbage of a megabyte.
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
 * Keeps the best `limit` of the offered slots; equal scores are ordered by name. Scores are compared in single
 * precision: the same terms summed in another order differ in their last bits, and two processes that took in the
 * same entries in another order must not order them differently.
 */
export class TopSlots {
  readonly #top: TopK

  constructor(limit: number, nameOf: (slot: number) => string) {
    this.#top = new TopK(limit, (slot, other) => nameOf(slot) < nameOf(other))
  }

  /** False when a slot with this score would be rejected. */
  admits(score: number): boolean {
    return Math.fround(score) >= this.#top.minScore
  }

  add(slot: number, score: number): void {
    this.#top.offer(slot, Math.fround(score))
  }

  /** The kept slots, best first. */
  slots(): readonly number[] {
    return this.#top.best()
  }
}

/** The slots with the greatest scores, best first; at most `limit`. */
export function ranking(scores: Scores, limit: number, nameOf: (slot: number) => string): readonly number[] {
  const best = new TopSlots(limit, nameOf)
  for (let i = 0; i < scores.count; i++) best.add(scores.slots[i]!, scores.of(scores.slots[i]!))
  return best.slots()
}
