import { LRUCache } from "lru-cache"
import type { KeywordIndex } from "../keyword/keyword-index.ts"
import type { FileFactsRow } from "../store/file-rows.ts"
import { foldName } from "../store/fold-name.ts"
import type { Store } from "../store/store.ts"
import { compoundOf } from "../text/abbreviations.ts"
import { hashTerm } from "../text/hash.ts"
import { words } from "../text/identifiers.ts"
import { type FolderWords, type PathWords, pathWordsOf, stemName } from "../text/path-words.ts"

/** What is known of a file before any query: numbers for the ranker, words of its path. */
export type FileFeatures = {
  readonly language: string
  readonly content: string
  /** File name without its last extension, lower case, and its words as written. */
  readonly stem: string
  readonly foldedStem: string
  readonly stemWords: readonly string[]
  /** Terms of the stem and of the whole path. */
  readonly stemTerms: readonly PathTerm[]
  readonly pathTerms: readonly PathTerm[]
  /** Terms of the folder it lies in. */
  readonly folderTerms: readonly string[]
  readonly depth: number
  readonly flags: number
  /** Its name says no more than what the project is called. */
  readonly isNamedAsProject: boolean
  /**
   * ln(1 + documents that mention the stem); the same of the mean over its five most mentioned names, which is counted
   * when it is asked for: sixty looks into the dictionary.
   */
  readonly stemReferences: number
  readonly nameReferences: number
  /** Doublings of PageRank above the average file. */
  readonly centrality: number
}

/** A word of paths and its rarity, among the names of files and among whole paths; one for all files that have it. */
export type PathTerm = { readonly term: string; readonly stemIdf: number; readonly pathIdf: number }

export type PathOfFile = { readonly id: number; readonly path: string }

/** About how many documents hold a term, by its hash, and the largest such numbers of many. */
export type Mentions = Pick<KeywordIndex, "documents" | "estimate" | "mostMentioned">

/** Of the index's scale to a doubling. */
const RANK_STEPS = 16
const MOST_REFERENCED = 5
// About a kilobyte each, and what lives long between what does not keeps four times as much from being given back; a
// session asks about the same corner of a project again and again, some 200 files a question.
const MAX_KNOWN = 1_000
/** Some 40 bytes each. */
const MAX_REFERENCES = 65_536
/** Folders whose words are kept; some 200 bytes each. */
const MAX_FOLDERS = 1_024

/** What was found out for earlier questions. */
type Learned = {
  readonly files: LRUCache<number, FileFeatures>
  readonly terms: Map<string, PathTerm>
  readonly folders: FolderWords
}

function nothingLearned(): Learned {
  return { files: new LRUCache({ max: MAX_KNOWN }), terms: new Map(), folders: new Map() }
}

/** Facts by file id, computed on first use. A changed file has another id; counts are those of one state. */
export class FileFacts {
  readonly #store: Store
  readonly #mentions: Mentions
  readonly #projectTerms: ReadonlySet<string>
  readonly #files: number
  /** A collection may take it, as there is one when nobody asks: what lives long among garbage keeps its pages. */
  #learned = new WeakRef(nothingLearned())
  /** Kept longer than the rest. */
  readonly #nameReferences = new Map<number, number>()

  constructor(store: Store, mentions: Mentions, projectTerms: ReadonlySet<string>) {
    this.#store = store
    this.#mentions = mentions
    this.#projectTerms = projectTerms
    this.#files = store.files.totals().files
  }

  /** No file's `nameReferences` are more. */
  get mostReferences(): number {
    return Math.log1p(this.#mentions.documents)
  }

  /** Of the files of one answer, in their order. */
  of(files: readonly PathOfFile[]): FileFeatures[] {
    const learned = this.#learned.deref() ?? nothingLearned()
    this.#learned = new WeakRef(learned)
    const known = new Map(files.map(({ id }) => [id, learned.files.get(id)]))
    const unknown = files.filter(({ id }) => known.get(id) === undefined)
    if (unknown.length > 0) this.#learn(unknown, known, learned)
    return files.map(({ id }) => known.get(id)!)
  }

  #learn(files: readonly PathOfFile[], known: Map<number, FileFeatures | undefined>, learned: Learned): void {
    const rows = new Map(this.#store.files.facts(files.map(({ id }) => id)).map((row) => [row.id, row]))
    if (learned.folders.size > MAX_FOLDERS) learned.folders.clear()
    const split = pathWordsOf(
      files.map(({ path }) => path),
      learned.folders,
    )
    this.#count(
      split.flatMap(({ all }) => all),
      learned,
    )
    for (const [i, { id, path }] of files.entries()) {
      const facts = this.#compute(id, path, split[i]!, rows.get(id), learned)
      known.set(id, facts)
      learned.files.set(id, facts)
    }
  }

  #compute(
    id: number,
    path: string,
    { stem, folder, all }: PathWords,
    row: FileFactsRow | undefined,
    { terms }: Learned,
  ): FileFeatures {
    const referencesOf = (file: number) => this.#referencesOf(file)
    const bare = stemName(path.slice(path.lastIndexOf("/") + 1))
    return {
      language: row?.language ?? "text",
      content: row?.content ?? "docs",
      stem: bare.toLowerCase(),
      foldedStem: foldName(bare),
      stemWords: words(bare),
      stemTerms: stem.map((term) => terms.get(term)!),
      pathTerms: all.map((term) => terms.get(term)!),
      folderTerms: folder,
      depth: path.split("/").length - 1,
      flags: row?.flags ?? 0,
      isNamedAsProject: this.#isNamedAsProject(stem, bare),
      stemReferences: Math.log1p(this.#stemReferences(bare)),
      get nameReferences() {
        return referencesOf(id)
      },
      centrality: (row?.rank ?? 0) / RANK_STEPS,
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
    return this.#mentions.estimate(Number(hash >> 32n), Number(hash & 0xffff_ffffn))
  }

  #referencesOf(id: number): number {
    const known = this.#nameReferences.get(id)
    if (known !== undefined) return known
    if (this.#nameReferences.size > MAX_REFERENCES) this.#nameReferences.clear()
    const names = this.#store.files.names(id)
    const counts = names === null ? [] : this.#mentions.mostMentioned(names, MOST_REFERENCED)
    const mean = counts.reduce((sum, count) => sum + count, 0) / Math.max(1, counts.length)
    const references = Math.log1p(mean)
    this.#nameReferences.set(id, references)
    return references
  }

  #count(words: readonly string[], { terms }: Learned): void {
    const unknown = [...new Set(words)].filter((word) => !terms.has(word))
    if (unknown.length === 0) return
    const counts = this.#store.pathWords.counts(unknown)
    for (const term of unknown) {
      const { stems, paths } = counts.get(term) ?? { stems: 0, paths: 0 }
      terms.set(term, { term, stemIdf: this.#rarity(stems), pathIdf: this.#rarity(paths) })
    }
  }
}
