import { STOP_WORDS } from "../../../src/text/index.ts"

export type Ranked<Item> = { readonly item: Item; readonly score: number }

// The usual parameters (Robertson and Zaragoza 2009), which most search engines use.
const K1 = 1.2
const B = 0.75

/**
 * Plain BM25 over texts, without fields, stemming or names: the baseline that a ranking of code has to beat.
 */
export class Bm25<Item> {
  readonly #items: readonly Item[]
  readonly #lengths: Uint32Array
  readonly #postings = new Map<string, { readonly docs: number[]; readonly counts: number[] }>()
  readonly #meanLength: number

  constructor(items: readonly Item[], textOf: (item: Item) => string) {
    this.#items = items
    this.#lengths = new Uint32Array(items.length)
    for (const [doc, item] of items.entries()) {
      const words = codeWords(textOf(item))
      this.#lengths[doc] = words.length
      for (const word of words) this.#count(word, doc)
    }
    const total = this.#lengths.reduce((sum, length) => sum + length, 0)
    this.#meanLength = Math.max(1, total / Math.max(1, items.length))
  }

  #count(word: string, doc: number): void {
    let posting = this.#postings.get(word)
    if (posting === undefined) {
      posting = { docs: [], counts: [] }
      this.#postings.set(word, posting)
    }
    if (posting.docs.at(-1) === doc) posting.counts[posting.counts.length - 1]!++
    else {
      posting.docs.push(doc)
      posting.counts.push(1)
    }
  }

  /** Items that contain a word of the query, best first; of equal scores the earlier item first. */
  rank(query: string): Ranked<Item>[] {
    const scores = new Map<number, number>()
    for (const word of queryWords(query)) {
      const posting = this.#postings.get(word)
      if (posting === undefined) continue
      const { docs, counts } = posting
      const rarity = Math.log(1 + (this.#items.length - docs.length + 0.5) / (docs.length + 0.5))
      for (const [i, doc] of docs.entries()) {
        const norm = K1 * (1 - B + (B * this.#lengths[doc]!) / this.#meanLength)
        scores.set(doc, (scores.get(doc) ?? 0) + (rarity * counts[i]! * (K1 + 1)) / (counts[i]! + norm))
      }
    }
    return [...scores]
      .sort(([a, x], [b, y]) => y - x || a - b)
      .map(([doc, score]) => ({ item: this.#items[doc]!, score }))
  }
}

/** The distinct words of a query without stop words. */
export function queryWords(query: string): string[] {
  return [...new Set(codeWords(query))].filter((word) => !STOP_WORDS.has(word))
}

/** Lower-case words; a compound identifier counts as itself and as its parts. */
export function codeWords(text: string): string[] {
  const words: string[] = []
  for (const [name] of text.matchAll(/[\p{L}\p{N}_]+/gu)) {
    const whole = name.toLowerCase()
    const parts = name
      .split(/_+|(?<=[a-z\d])(?=[A-Z])|(?<=[A-Z])(?=[A-Z][a-z])/u)
      .filter((part) => part !== "" && part.length < name.length)
    words.push(whole, ...parts.map((part) => part.toLowerCase()))
  }
  return words
}
