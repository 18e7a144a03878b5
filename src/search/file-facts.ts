import { foldName } from "../store/fold-name.ts"
import type { Store } from "../store/store.ts"
import { termOf } from "../text/abbreviations.ts"
import { hashTerm } from "../text/hash.ts"
import { words } from "../text/identifiers.ts"
import { compoundOf } from "./query.ts"

/** What is known of a file before any query: numbers for the ranker, words of its name. */
export type FileFeatures = {
  readonly language: string
  readonly content: string
  /** File name without its last extension, lower case. */
  readonly stem: string
  readonly foldedStem: string
  readonly stemWords: readonly string[]
  readonly stemStems: ReadonlySet<string>
  readonly depth: number
  readonly flags: number
  /** ln(1 + chunks that mention the stem); the mean of that over its five most mentioned names. */
  readonly stemReferences: number
  readonly nameReferences: number
}

/** How many chunks hold a term, over the whole index. */
export type DocumentFrequency = (hash: bigint) => number

const MOST_REFERENCED = 5

/** Facts by file id, computed on first use. The ids of changed files differ, so nothing here goes stale but counts. */
export class FileFacts {
  readonly #store: Store
  readonly #frequency: DocumentFrequency
  readonly #known = new Map<number, FileFeatures>()

  constructor(store: Store, frequency: DocumentFrequency) {
    this.#store = store
    this.#frequency = frequency
  }

  of(id: number, path: string): FileFeatures {
    const known = this.#known.get(id)
    if (known !== undefined) return known
    const facts = this.#compute(id, path)
    if (this.#known.size >= MAX_KNOWN) this.#known.clear()
    this.#known.set(id, facts)
    return facts
  }

  #compute(id: number, path: string): FileFeatures {
    const row = this.#store.files.get(id)
    const name = path.slice(path.lastIndexOf("/") + 1)
    const dot = name.lastIndexOf(".")
    const bare = dot > 0 ? name.slice(0, dot) : name
    const stemWords = words(bare)
    const references = this.#store.symbols
      .namesOf(id)
      .filter((symbol) => symbol.length > 3)
      .map((symbol) => this.#references(symbol))
      .sort((a, b) => b - a)
      .slice(0, MOST_REFERENCED)
    const mean = references.reduce((sum, count) => sum + count, 0) / Math.max(1, references.length)
    return {
      language: row?.language ?? "text",
      content: row?.content ?? "docs",
      stem: bare.toLowerCase(),
      foldedStem: foldName(bare),
      stemWords,
      stemStems: new Set(stemWords.map(termOf)),
      depth: path.split("/").length - 1,
      flags: row?.flags ?? 0,
      stemReferences: Math.log1p(this.#references(bare)),
      nameReferences: Math.log1p(mean),
    }
  }

  #references(name: string): number {
    return this.#frequency(hashTerm(compoundOf(name)))
  }
}

const MAX_KNOWN = 20_000
