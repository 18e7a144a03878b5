/*
 * Scores by slot, and the selection of the best slots. Arrays are pooled, because new ones for each question would be
 * garbage of a megabyte.
 */

import { TopK } from "../../base/index.ts"
import type { EmbeddingSpace } from "../../index/index.ts"
import type { Numbers } from "./index/frozen.ts"
import type { RecallQuestion } from "./question.ts"

/** Slots, each listed once. In typed arrays that are reused, because emptied and refilled ones leave 0.5 MB of garbage. */
class SlotList {
  /** The first `count` elements are valid, in the order of first use. */
  readonly slots: Int32Array
  count = 0
  readonly #isListed: Uint8Array

  constructor(capacity: number) {
    this.slots = new Int32Array(capacity)
    this.#isListed = new Uint8Array(capacity)
  }

  isListed(slot: number): boolean {
    return this.#isListed[slot] === 1
  }

  list(slot: number): void {
    if (this.#isListed[slot] === 1) return
    this.#isListed[slot] = 1
    this.slots[this.count++] = slot
  }

  clear(): void {
    for (let i = 0; i < this.count; i++) this.#isListed[this.slots[i]!] = 0
    this.count = 0
  }
}

/** A number for each slot, most of them 0. Every slot with a value is listed, also when its values add up to 0. */
export class Scores extends SlotList {
  readonly values: Float64Array

  constructor(capacity: number) {
    super(capacity)
    this.values = new Float64Array(capacity)
  }

  of(slot: number): number {
    return this.values[slot]!
  }

  add(slot: number, value: number): void {
    if (value === 0) return
    if (this.values[slot] === 0) this.list(slot)
    this.values[slot]! += value
  }

  /** Keeps the greater of the slot's value and `value`. */
  raise(slot: number, value: number): void {
    const known = this.values[slot]!
    if (value <= known) return
    if (known === 0) this.list(slot)
    this.values[slot] = value
  }

  greatest(): number {
    let greatest = 0
    for (let i = 0; i < this.count; i++) greatest = Math.max(greatest, this.values[this.slots[i]!]!)
    return greatest
  }

  override clear(): void {
    for (let i = 0; i < this.count; i++) this.values[this.slots[i]!] = 0
    super.clear()
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

/** The scores by words of each entry, by slot; a slot in use is listed. */
export class WordScores extends SlotList {
  /** Score of the entry's best passage. */
  readonly passage: Float64Array
  /** Number of the best passage + 1; 0 for none. */
  readonly bestPassage: Uint32Array
  /** Score of the entry together with its neighbours in the session. */
  readonly window: Float64Array
  /** Score by the same or similar words. */
  readonly grams: Float64Array
  /** Weighted sum of the terms of ranking. */
  readonly total: Float64Array
  constructor(capacity: number) {
    super(capacity)
    this.passage = new Float64Array(capacity)
    this.bestPassage = new Uint32Array(capacity)
    this.window = new Float64Array(capacity)
    this.grams = new Float64Array(capacity)
    this.total = new Float64Array(capacity)
  }

  get capacity(): number {
    return this.slots.length
  }

  override clear(): void {
    const { passage, bestPassage, window, grams, total, slots } = this
    for (let i = 0; i < this.count; i++) {
      const slot = slots[i]!
      passage[slot] = window[slot] = grams[slot] = total[slot] = bestPassage[slot] = 0
    }
    super.clear()
  }
}

/** Two words are close when their positions differ by at most this. */
const NEAR = 4

/** Returns a function that sums the mean idf of the pairs of question words that occur close together in a text. */
export function proximityOf({ terms }: RecallQuestion, dictionarySize: number): (tokens: Numbers) => number {
  // Index of the word in the question + 1; 0 for any other word.
  const rows = new Uint8Array(dictionarySize)
  for (const [row, { variants }] of terms.entries()) for (const { number } of variants) rows[number] = row + 1
  return (tokens) => {
    const pairs = new Set<number>()
    const seen: LastOccurrence[] = []
    for (let at = 0; at < tokens.length; at++) {
      const row = rows[tokens[at]!]! - 1
      if (row >= 0) addPairs({ row, at }, seen, pairs)
    }
    let sum = 0
    for (const pair of pairs) sum += (terms[pair % WIDTH]!.idf + terms[Math.floor(pair / WIDTH)]!.idf) / 2
    return sum
  }
}

type LastOccurrence = { readonly row: number; readonly at: number }

/** Base for encoding a pair as one number; greater than the number of terms in a question. */
const WIDTH = 256

/** Adds the pairs that a word forms with the question words close before it. */
function addPairs(word: LastOccurrence, seen: LastOccurrence[], pairs: Set<number>): void {
  while (seen.length > 0 && word.at - seen[0]!.at > NEAR) seen.shift()
  for (const { row } of seen) {
    if (row !== word.row) pairs.add(Math.min(row, word.row) * WIDTH + Math.max(row, word.row))
  }
  seen.push(word)
}

/**
 * Weights of the sum that orders recalled entries. Each term is 0 to 1, mostly divided by its best value for the
 * question. The numbers are round, because fitted ones were not better (docs/decisions/07-memory.md).
 */
export const WEIGHTS = {
  passage: 1,
  window: 0.6,
  answer: 0.6,
  session: 0.6,
  author: 0.8,
  cosine: 1.6,
  proximity: 0.4,
  grams: 0.1,
  date: 0.6,
  recorded: 0.5,
  number: 0.6,
  length: 0.3,
  asking: -0.1,
  self: 0.2,
  topic: 1.2,
  tags: 0.5,
  near: 0.3,
} as const

export type TermName = keyof typeof WEIGHTS
export type Weights = { readonly [name in TermName]: number }

/** Weights for an embedding space. */
export function weightsFor(space: EmbeddingSpace | null): Weights {
  return { ...WEIGHTS, cosine: cosineFor(space).weight }
}

/**
 * Weight of the cosine, and its factor for conversations: below 1 for models learnt from code and its documentation,
 * which fit everyday language less well.
 */
export function cosineFor(space: EmbeddingSpace | null): {
  readonly weight: number
  readonly spoken: number
} {
  if (space?.provider === "encoder") return { weight: 8, spoken: 0.15 }
  if (space?.model === "aman256") return { weight: 0.6, spoken: 0.35 }
  return { weight: WEIGHTS.cosine, spoken: 1 }
}

/**
 * Factor for what a person said, relative to a long text of an agent or tool, in stores that contain both:
 * there a person's words are the answer in 90 % of cases. A statement (not a question) by an agent or tool
 * gets part of the factor when it is short, because it is mostly a finding.
 */
export const PERSON_FACTOR = 2

/** Factor for a note that was recorded on a date that the question names; messages often tell of other days than their own. */
export const DATED_FACTOR = 1.4

/** Factor for a project's own entries, relative to those of no project or of another one. */
export const OWN_PROJECT_FACTOR = 1.25
