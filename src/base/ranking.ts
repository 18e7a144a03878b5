/*
 * The formulas of ranking: BM25, reciprocal rank fusion, and the selection of the best items.
 */

/**
 * Inverse document frequency of a term that is in `holding` of `documents` documents. It is above zero even if the term
 * is in all documents.
 */
export function inverseDocumentFrequency(documents: number, holding: number): number {
  return Math.log(1 + (documents - holding + 0.5) / (holding + 0.5))
}

/** Parameters of BM25 as Lucene sets them. */
export const USUAL_BM25 = { k1: 1.2, b: 0.75 } as const

/**
 * Okapi BM25 of one word without its inverse document frequency. `times`: occurrences; `length`: length of the text
 * relative to the mean.
 */
export function bm25(
  times: number,
  length: number,
  { k1, b }: { readonly k1: number; readonly b: number } = USUAL_BM25,
): number {
  return times === 0 ? 0 : (times * (k1 + 1)) / (times + k1 * (1 - b + b * length))
}

/** Item numbers, best first, and the weight of the list. */
export type RankedList = { readonly ids: readonly number[]; readonly weight: number }

/** Reduces the advantage of the first ranks, so that one list alone cannot decide the order. */
const RRF_K = 60

/**
 * Reciprocal rank fusion, Σ weight / (RRF_K + rank); an item gets nothing from a list that lacks it (Cormack, Clarke,
 * Büttcher 2009).
 */
export function fuse(lists: readonly RankedList[]): Map<number, number> {
  const scores = new Map<number, number>()
  for (const { ids, weight } of lists) {
    ids.forEach((id, index) => {
      scores.set(id, (scores.get(id) ?? 0) + weight / (RRF_K + index + 1))
    })
  }
  return scores
}

/** Keeps the `limit` best of the offered items, which are numbers, in a heap whose root is the worst item kept. */
export class TopK {
  /** The items that are kept, in no particular order. */
  readonly items: number[] = []
  /** An item with a lower score is not kept. */
  minScore: number
  readonly #scores: number[] = []
  readonly #limit: number
  readonly #isBefore: (item: number, other: number) => boolean

  /** `isBefore` decides between items with equal scores. Scores below `minScore` are rejected from the start. */
  constructor(
    limit: number,
    isBefore: (item: number, other: number) => boolean,
    minScore = Number.NEGATIVE_INFINITY,
  ) {
    this.#limit = limit
    this.#isBefore = isBefore
    this.minScore = limit === 0 ? Number.POSITIVE_INFINITY : minScore
  }

  offer(item: number, score: number): void {
    if (score < this.minScore) return
    if (this.items.length < this.#limit) this.#rise(item, score)
    else if (this.#limit > 0 && this.#isWorse(this.items[0]!, this.#scores[0]!, item, score))
      this.#sink(item, score)
    if (this.items.length >= this.#limit && this.#limit > 0) this.minScore = this.#scores[0]!
  }

  /** The items that are kept, best first. */
  best(): number[] {
    const [items, scores] = [this.items, this.#scores]
    return Array.from(items.keys())
      .sort((a, b) => (this.#isWorse(items[a]!, scores[a]!, items[b]!, scores[b]!) ? 1 : -1))
      .map((at) => items[at]!)
  }

  #isWorse(item: number, score: number, other: number, otherScore: number): boolean {
    return score < otherScore || (score === otherScore && this.#isBefore(other, item))
  }

  /** Adds an item at the end of the heap, and moves it up. */
  #rise(item: number, score: number): void {
    const [items, scores] = [this.items, this.#scores]
    let at = items.length
    while (at > 0) {
      const parent = (at - 1) >>> 1
      if (!this.#isWorse(item, score, items[parent]!, scores[parent]!)) break
      items[at] = items[parent]!
      scores[at] = scores[parent]!
      at = parent
    }
    items[at] = item
    scores[at] = score
  }

  /** Replaces the root by an item, and moves it down the heap. */
  #sink(item: number, score: number): void {
    const [items, scores] = [this.items, this.#scores]
    let at = 0
    for (;;) {
      let child = at * 2 + 1
      if (child >= items.length) break
      const other = child + 1
      if (other < items.length && this.#isWorse(items[other]!, scores[other]!, items[child]!, scores[child]!))
        child = other
      if (!this.#isWorse(items[child]!, scores[child]!, item, score)) break
      items[at] = items[child]!
      scores[at] = scores[child]!
      at = child
    }
    items[at] = item
    scores[at] = score
  }
}
