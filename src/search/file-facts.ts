import type { FileFactsRow } from "../store/files.ts"
import { foldName } from "../store/fold-name.ts"
import type { PathWordCount } from "../store/path-words.ts"
import type { Store } from "../store/store.ts"
import { compoundOf } from "../text/abbreviations.ts"
import { hashTerm } from "../text/hash.ts"
import { words } from "../text/identifiers.ts"
import { type PathWords, pathWords, stemName } from "../text/path-words.ts"

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

export type PathOfFile = { readonly id: number; readonly path: string }

/** About how many documents hold a term. */
export type DocumentFrequency = (hi: number, lo: number) => number

const MOST_REFERENCED = 5
// A few kilobytes each; a session asks about the same corner of a project again and again.
const MAX_KNOWN = 4_000

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

  /** Of the files of one answer, in their order. */
  of(files: readonly PathOfFile[]): FileFeatures[] {
    if (this.#known.size + files.length > MAX_KNOWN) this.#known.clear()
    const unknown = files.filter(({ id }) => !this.#known.has(id))
    if (unknown.length > 0) this.#learn(unknown)
    return files.map(({ id }) => this.#known.get(id)!)
  }

  #learn(files: readonly PathOfFile[]): void {
    const rows = new Map(this.#store.files.facts(files.map(({ id }) => id)).map((row) => [row.id, row]))
    const split = files.map(({ path }) => pathWords(path))
    this.#count(split.flatMap(({ all }) => all))
    for (const [i, { id, path }] of files.entries()) {
      this.#known.set(id, this.#compute(path, split[i]!, rows.get(id)))
    }
  }

  #compute(path: string, { stem, folder, all }: PathWords, row: FileFactsRow | undefined): FileFeatures {
    const bare = stemName(path.slice(path.lastIndexOf("/") + 1))
    return {
      language: row?.language ?? "text",
      content: row?.content ?? "docs",
      stem: bare.toLowerCase(),
      foldedStem: foldName(bare),
      stemWords: words(bare),
      stemTerms: stem.map((term) => ({ term, idf: this.#rarity(this.#pathWords.get(term)!.stems) })),
      pathTerms: all.map((term) => ({ term, idf: this.#rarity(this.#pathWords.get(term)!.paths) })),
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

  #count(words: readonly string[]): void {
    const unknown = [...new Set(words)].filter((word) => !this.#pathWords.has(word))
    if (unknown.length === 0) return
    const counts = this.#store.pathWords.counts(unknown)
    for (const word of unknown) this.#pathWords.set(word, counts.get(word) ?? { paths: 0, stems: 0 })
  }
}
