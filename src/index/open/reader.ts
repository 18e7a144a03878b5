import { ENCODER_SPACE } from "../../../packages/encoder/index.ts"
import type { OpenFolder } from "../../base/index.ts"
import { DerivedWatch, mapSmallDerived, openStore, type SpaceRow, type Store } from "../../store/index.ts"
import { compoundOf, termOf, words } from "../../text/index.ts"
import type { Embedder } from "../embed/port.ts"
import { createStaticEmbedder, isBuiltIn } from "../embed/static.ts"
import { Meanings } from "../encoder/meanings.ts"
import { type PackedCommits, unpackCommits } from "../history/commits.ts"
import { type KeywordIndex, type KeywordPart, openKeywordIndex } from "../keyword/keyword-index.ts"
import { FILE_VECTORS, type VectorIndex } from "../vector/port.ts"
import { openVectors } from "../vector/set.ts"
import { FileFacts } from "./file-facts.ts"
import {
  type ConfiguredSource,
  IndexFilesChanged,
  type QueryEmbedders,
  type SearchSources,
} from "./sources.ts"

/**
 * `isMapped`: index.db is memory-mapped. `isFixed`: nothing writes to the index or replaces it, so that it is not checked
 * for changes. `name`: the project's name, which may be a path; absent: the path of its root.
 */
export type IndexAccess = {
  readonly isMapped: boolean
  readonly isFixed: boolean
  readonly name?: string | undefined
}

/** The reading side of one index. It follows the commits of the writer and never waits for the writer. */
export class IndexReader {
  readonly store: Store
  /** Path of the index folder, used to open its files. */
  readonly folder: string
  readonly #openFolder: OpenFolder | null
  /** See IndexAccess. */
  readonly isFixed: boolean
  readonly #projectTerms: ReadonlySet<string>
  /** The built-in embedder, which made the vectors in the index. */
  readonly embedder: Embedder = createStaticEmbedder()
  #version = -1
  #keyword: KeywordIndex | null = null
  /** Merged keyword segments, by file name. */
  #base: ReadonlyMap<string, KeywordPart["bytes"]> = new Map()
  #files: DerivedWatch | null = null
  #vectors: VectorSources | null = null
  /** Undefined until a search needs them. */
  #meanings: Meanings | null | undefined
  #facts: FileFacts | null = null
  /** Undefined until a search needs them. */
  #pastCommits: PackedCommits | null | undefined
  readonly #queryEmbedders: QueryEmbedders

  /**
   * Throws INDEX_MISSING when there is no index yet, and INDEX_FOREIGN when the index has another id. Once constructed,
   * the reader owns the `OpenFolder` and closes it when the reader is closed.
   */
  constructor(
    folder: OpenFolder | string,
    indexFile: string,
    root: string,
    id?: number,
    queryEmbedders: QueryEmbedders = () => null,
    { isMapped, isFixed, name = root }: IndexAccess = { isMapped: true, isFixed: false },
  ) {
    this.isFixed = isFixed
    this.#queryEmbedders = queryEmbedders
    this.#projectTerms = projectTerms(name)
    this.#openFolder = typeof folder === "string" ? null : folder
    this.folder = typeof folder === "string" ? folder : folder.at
    this.store = openStore(indexFile, { readonly: true, id, isMapped })
  }

  /** False when the file or folder of the index has been replaced since, for example to repair damage. */
  get isCurrent(): boolean {
    return this.#openFolder?.isInPlace !== false && this.store.isInPlace
  }

  /**
   * The newest committed state. While nothing changes, this costs one SQLite pragma (the data version). With `vectors`,
   * the vectors are opened too, the encoder's unless `encoder` is false; the result keeps them open until it is disposed of.
   */
  sources(wanted: { readonly vectors: boolean; readonly encoder?: boolean }): SearchSources & Disposable {
    const keyword = this.keyword()
    this.#facts ??= new FileFacts(this.store, keyword, this.#projectTerms)
    const { embedder } = this
    const files = this.#files!
    if (wanted.vectors) this.#vectors ??= this.#openVectors()
    const opened = wanted.vectors ? this.#vectors!.retain() : null
    return {
      store: this.store,
      keyword,
      vectors: opened?.builtIn ?? null,
      embedder,
      configured: opened?.configured ?? null,
      facts: this.#facts,
      pastCommits: () => {
        if (this.#pastCommits === undefined) this.#pastCommits = this.#readHistory()
        return this.#pastCommits
      },
      meanings: () => {
        if (!wanted.vectors || wanted.encoder === false) return null
        if (this.#meanings === undefined) this.#meanings = this.#readMeanings()
        return this.#meanings
      },
      isFixed: this.isFixed,
      afterWait: () => {
        if (!this.isFixed && !files.isUntouched()) throw new IndexFilesChanged()
      },
      [Symbol.dispose]: () => opened?.[Symbol.dispose](),
    }
  }

  /** The keyword index alone, for callers that do not rank. */
  keyword(): KeywordIndex {
    if (this.isFixed && this.#keyword !== null) return this.#keyword
    const version = this.store.dataVersion()
    // The check covers the files of the state being read: a newer state has other derived files, and the writer may
    // have deleted the old ones.
    if (version !== this.#version || this.#files?.check() !== false) this.#reopen(version)
    return this.#keyword!
  }

  /**
   * True when files of the index are missing or altered. Until the index is rebuilt, answers come from the remaining
   * files.
   */
  get isDamaged(): boolean {
    this.keyword()
    return !this.#files!.isSound
  }

  /** Share of the chunks that have a vector, 0 to 1. */
  vectorShare(): number {
    const space = this.store.spaces.find(this.embedder.space)
    const { chunks, files } = this.store.files.totals()
    if (space === null || chunks === 0) return 0
    const merged = this.store.derived.of("vectors", space.id).find((row) => row.part === 0)?.count ?? 0
    // Besides the vectors of its chunks, every file has three vectors of its own. Deleted files count until the next
    // merge.
    return Math.min(
      1,
      (merged + this.store.vectors.pending(space.id).vectors) / (chunks + FILE_VECTORS * files),
    )
  }

  /** Share of the files that the sentence encoder has read, 0 to 1; null if it is off. */
  encodedShare(): number | null {
    const space = this.store.spaces.find(ENCODER_SPACE)
    if (space === null) return null
    const { files, allFiles } = this.store.embedded.share(space.id)
    return allFiles === 0 ? 1 : files / allFiles
  }

  /** True when queries search the configured space. */
  get hasConfiguredVectors(): boolean {
    using configured = openConfigured(this.store, this.folder, this.#queryEmbedders)
    return configured !== null
  }

  close(): void {
    this.#vectors?.[Symbol.dispose]()
    this.#vectors = null
    this.store.close()
    this.#openFolder?.closeLate()
  }

  [Symbol.dispose](): void {
    this.close()
  }

  #reopen(version: number): void {
    const { derived, deltas, dead } = this.store.consistently(() => ({
      derived: this.store.derived.all(),
      deltas: this.store.segments.all(),
      dead: new Set(this.store.tombstones.all("keyword")),
    }))
    const files = new DerivedWatch(this.folder, derived, this.#files)
    this.#files = files
    const mapped = derived
      .filter((row) => row.kind === "keyword" && files.isWhole(row))
      .map((row) => [row.name, this.#base.get(row.name) ?? mapSmallDerived(this.folder, row)] as const)
    this.#base = new Map(mapped.flatMap(([name, bytes]) => (bytes === null ? [] : [[name, bytes]])))
    const segments = [
      ...Array.from(this.#base.values(), (bytes) => ({ bytes, isVerified: true })),
      ...deltas.map((delta) => ({ bytes: delta.blob, isVerified: false })),
    ]
    this.#keyword = openKeywordIndex(segments.map((segment) => ({ ...segment, dead })))
    this.#facts = null
    this.#pastCommits = undefined
    this.#meanings = undefined
    this.#vectors?.[Symbol.dispose]()
    this.#vectors = null
    this.#version = version
  }

  #readHistory(): PackedCommits | null {
    const row = this.store.history.get()
    return row && unpackCommits(row.commits)
  }

  #readMeanings(): Meanings | null {
    const space = this.store.spaces.find(ENCODER_SPACE)
    return space === null || !this.store.embedded.isWhole(space.id) ? null : new Meanings(this.store, space)
  }

  #openVectors(): VectorSources {
    const space = this.store.spaces.find(this.embedder.space)
    const builtIn = space === null ? null : openVectors(this.store, this.folder, space)
    return new VectorSources(builtIn, openConfigured(this.store, this.folder, this.#queryEmbedders))
  }
}

// Folder names that describe the layout of a project instead of naming it.
const LAYOUT = new Set(
  "src lib core packages package main java scala kotlin shared common source sources org com http json server utils client modules include app apps internal pkg home users projects code work workspace repos git github tmp".split(
    " ",
  ),
)

/** Number of parts at the end of a project's name or of its root's path that may tell what it is about. */
const NAMED_BY = 3

/** Terms of a project's name: of the last folders of its root's path, or of a repository's name. */
export function projectTerms(name: string): Set<string> {
  const names = name
    .split(/[\\/]/u)
    .filter((part) => part !== "")
    .slice(-NAMED_BY)
  const telling = names.flatMap(words).filter((word) => word.length > 2 && !LAYOUT.has(word))
  return new Set([...telling.map(termOf), ...names.filter((each) => !LAYOUT.has(each)).map(compoundOf)])
}

/** Opens the configured space. Null unless it is complete, undamaged and selected by the settings. */
function openConfigured(
  store: Store,
  folder: string,
  queryEmbedders: QueryEmbedders,
): (ConfiguredSource & Disposable) | null {
  const space = wholeSpace(store)
  const embedQuery = space === null ? null : queryEmbedders(space)
  if (space === null || embedQuery === null) return null
  const vectors = openVectors(store, folder, space)
  if (vectors.isComplete) return { vectors, embedQuery, [Symbol.dispose]: () => vectors[Symbol.dispose]() }
  vectors[Symbol.dispose]()
  return null
}

/**
 * The configured space if every file has vectors in it. Otherwise null, because a search by meaning would miss the
 * files without vectors.
 */
function wholeSpace(store: Store): SpaceRow | null {
  const space = store.spaces.all().find((row) => !isBuiltIn(row))
  return space !== undefined && store.embedded.isWhole(space.id) ? space : null
}

/**
 * The vectors of one state of an index, reference-counted. While one search waits for the vector of its query, another
 * search may open a newer state. The replaced vectors are closed when the last search that uses them disposes of them.
 */
class VectorSources implements Disposable {
  readonly builtIn: VectorIndex | null
  readonly configured: (ConfiguredSource & Disposable) | null
  /** Number of users, each of which must dispose of this object. The reader that opened the vectors is the first one. */
  #users = 1

  constructor(builtIn: VectorIndex | null, configured: (ConfiguredSource & Disposable) | null) {
    this.builtIn = builtIn
    this.configured = configured
  }

  /** Counts one more user, who must dispose of this object too. */
  retain(): this {
    this.#users++
    return this
  }

  [Symbol.dispose](): void {
    this.#users--
    if (this.#users > 0) return
    this.builtIn?.[Symbol.dispose]()
    this.configured?.[Symbol.dispose]()
  }
}
