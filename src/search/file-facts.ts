import { foldName } from "../store/fold-name.ts"
import type { PathWordCount } from "../store/path-words.ts"
import type { Store } from "../store/store.ts"
import { compoundOf } from "../text/abbreviations.ts"
import { hashTerm } from "../text/hash.ts"
import { words } from "../text/identifiers.ts"
import { pathWords, stemName } from "../text/path-words.ts"

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
export type DocumentFrequency = (hi: number, lo: number) => number

const MOST_REFERENCED = 5
const MAX_KNOWN = 20_000

/** Facts by file id, computed on first use. A changed file has another id; counts are those of one state. */
export class FileFacts {
  readonly #store: Store
  readonly #frequency: DocumentFrequency
  readonly #projectTerms: ReadonlySet<string>
  readonly #files: number
  readonly #known = new Map<number, FileFeatures>()
  readonly #pathWords = new Map<string, PathWordCount>()

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
    const row = this.#store.files.facts(id)
    const bare = stemName(path.slice(path.lastIndexOf("/") + 1))
    const { stem, folder, all } = pathWords(path)
    return {
      language: row?.language ?? "text",
      content: row?.content ?? "docs",
      stem: bare.toLowerCase(),
      foldedStem: foldName(bare),
      stemWords: words(bare),
      stemTerms: stem.map((term) => ({ term, idf: this.#rarity(this.#count(term).stems) })),
      pathTerms: all.map((term) => ({ term, idf: this.#rarity(this.#count(term).paths) })),
      folderTerms: folder,
      depth: path.split("/").length - 1,
      flags: row?.flags ?? 0,
      isNamedAsProject: this.#isNamedAsProject(stem, bare),
      stemReferences: Math.log1p(this.#stemReferences(bare)),
      nameReferences: Math.log1p(this.#nameReferences(row?.names)),
    }
  }

  #rarity(count: number): number {
    return Math.log(1 + (this.#files - count + 0.5) / (count + 0.5))
  }

  #isNamedAsProject(stem: readonly string[], bare: string): boolean {
    const isKnown = (term: string) => this.#projectTerms.has(term)
    return stem.length > 0 && (stem.every(isKnown) || isKnown(compoundOf(bare)))
  }

  #stemReferences(stem: string): number {
    const hash = hashTerm(compoundOf(stem))
    return this.#frequency(Number(hash >> 32n), Number(hash & 0xffff_ffffn))
  }

  #nameReferences(names: Uint8Array | undefined): number {
    const counts = this.#references(names)
      .sort((a, b) => b - a)
      .slice(0, MOST_REFERENCED)
    return counts.reduce((sum, count) => sum + count, 0) / Math.max(1, counts.length)
  }

  /** About how many documents mention each of these names. */
  #references(names: Uint8Array | undefined): number[] {
    if (names === undefined) return []
    const view = new DataView(names.buffer, names.byteOffset, names.byteLength)
    const counts: number[] = []
    for (let at = 0; at + 8 <= names.byteLength; at += 8) {
      counts.push(this.#frequency(view.getUint32(at, true), view.getUint32(at + 4, true)))
    }
    return counts
  }

  #count(word: string): PathWordCount {
    let count = this.#pathWords.get(word)
    if (count === undefined) {
      count = this.#store.pathWords.get(word)
      this.#pathWords.set(word, count)
    }
    return count
  }
}
