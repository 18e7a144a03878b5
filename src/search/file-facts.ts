import { foldName } from "../store/fold-name.ts"
import type { Store } from "../store/store.ts"
import { hashTerm } from "../text/hash.ts"
import { words } from "../text/identifiers.ts"
import { pathWords, stemName } from "../text/path-words.ts"
import { compoundOf } from "./query.ts"

/** What is known of a file before any query: numbers for the ranker, words of its path. */
export type FileFeatures = {
  readonly language: string
  readonly content: string
  /** File name without its last extension, lower case, and its words as written. */
  readonly stem: string
  readonly foldedStem: string
  readonly stemWords: readonly string[]
  /** Terms of the stem and of the whole path, with their rarity among stems and among paths. */
  readonly stemTerms: readonly WeighedTerm[]
  readonly pathTerms: readonly WeighedTerm[]
  /** Terms of the folder it lies in. */
  readonly folderTerms: readonly string[]
  readonly depth: number
  readonly flags: number
  /** Its name says no more than what the project is called. */
  readonly isNamedAsProject: boolean
  /** ln(1 + documents that mention the stem); the same of the mean over its five most mentioned names. */
  readonly stemReferences: number
  readonly nameReferences: number
}

export type WeighedTerm = { readonly term: string; readonly idf: number }

/** About how many documents hold a term. */
export type DocumentFrequency = (hash: bigint) => number

const MOST_REFERENCED = 5
const MAX_KNOWN = 20_000

/** Facts by file id, computed on first use. A changed file has another id; counts are those of one state. */
export class FileFacts {
  readonly #store: Store
  readonly #frequency: DocumentFrequency
  readonly #projectTerms: ReadonlySet<string>
  readonly #files: number
  readonly #known = new Map<number, FileFeatures>()

  constructor(store: Store, frequency: DocumentFrequency, projectTerms: ReadonlySet<string>) {
    this.#store = store
    this.#frequency = frequency
    this.#projectTerms = projectTerms
    this.#files = store.files.totals().files
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
    const bare = stemName(path.slice(path.lastIndexOf("/") + 1))
    const { stem, folder, all } = pathWords(path)
    return {
      language: row?.language ?? "text",
      content: row?.content ?? "docs",
      stem: bare.toLowerCase(),
      foldedStem: foldName(bare),
      stemWords: words(bare),
      stemTerms: stem.map((term) => ({ term, idf: this.#rarity(this.#store.pathWords.get(term).stems) })),
      pathTerms: all.map((term) => ({ term, idf: this.#rarity(this.#store.pathWords.get(term).paths) })),
      folderTerms: folder,
      depth: path.split("/").length - 1,
      flags: row?.flags ?? 0,
      isNamedAsProject: this.#isNamedAsProject(stem, bare),
      stemReferences: Math.log1p(this.#references(bare)),
      nameReferences: Math.log1p(this.#nameReferences(id)),
    }
  }

  #rarity(count: number): number {
    return Math.log(1 + (this.#files - count + 0.5) / (count + 0.5))
  }

  #isNamedAsProject(stem: readonly string[], bare: string): boolean {
    const isKnown = (term: string) => this.#projectTerms.has(term)
    return stem.length > 0 && (stem.every(isKnown) || isKnown(compoundOf(bare)))
  }

  #nameReferences(id: number): number {
    const counts = this.#store.symbols
      .namesOf(id)
      .filter((name) => name.length > 3)
      .map((name) => this.#references(name))
      .sort((a, b) => b - a)
      .slice(0, MOST_REFERENCED)
    return counts.reduce((sum, count) => sum + count, 0) / Math.max(1, counts.length)
  }

  #references(name: string): number {
    return this.#frequency(hashTerm(compoundOf(name)))
  }
}
