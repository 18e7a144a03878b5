import { fileIdentity } from "../base/file-identity.ts"
import type { Embedder } from "../embed/port.ts"
import { codeModelOf, createStaticEmbedder } from "../embed/static.ts"
import { type KeywordIndex, type KeywordPart, openKeywordIndex } from "../keyword/keyword-index.ts"
import { mapSmallDerived } from "../store/derived-files.ts"
import { DerivedWatch } from "../store/derived-watch.ts"
import { openStore } from "../store/open.ts"
import type { Store } from "../store/store.ts"
import { openVectors } from "../vector/set.ts"
import { VIEWS } from "../vector/views.ts"
import { FileFacts } from "./file-facts.ts"
import { openOther } from "./other-source.ts"
import { projectTerms } from "./project-terms.ts"
import { type AskOther, type SearchSources, SourcesTouched } from "./sources.ts"
import { VectorSources } from "./vector-sources.ts"

/** Read side of one index: follows what the writer commits, never waits for it. */
export class IndexReader {
  readonly store: Store
  readonly #folder: string
  readonly #identity: string
  readonly #projectTerms: ReadonlySet<string>
  #version = -1
  #keyword: KeywordIndex | null = null
  /** Folded postings by their file's name. */
  #base: ReadonlyMap<string, KeywordPart["bytes"]> = new Map()
  #files: DerivedWatch | null = null
  #vectors: VectorSources | null = null
  #embedder: Embedder | null = null
  #facts: FileFacts | null = null
  readonly #askOther: AskOther

  /** Throws INDEX_MISSING where nothing was indexed yet, INDEX_FOREIGN where it carries another id. */
  constructor(folder: string, indexFile: string, root: string, id?: number, askOther: AskOther = () => null) {
    this.#askOther = askOther
    this.#projectTerms = projectTerms(root)
    this.#folder = folder
    this.store = openStore(indexFile, { readonly: true, id })
    this.#identity = fileIdentity(indexFile)
  }

  /** False once the index's file was replaced by another, as after damage. */
  get isCurrent(): boolean {
    return fileIdentity(this.store.path) === this.#identity
  }

  /**
   * The newest committed state; cheap while nothing changed (one pragma). `vectors` opens them too; they stay open,
   * whatever is committed, until it is disposed of.
   */
  sources(wanted: { readonly vectors: boolean }): SearchSources & Disposable {
    const keyword = this.keyword()
    this.#facts ??= new FileFacts(this.store, keyword, this.#projectTerms)
    const { embedder } = this
    const files = this.#files!
    if (wanted.vectors) this.#vectors ??= this.#openVectors()
    const lent = wanted.vectors ? this.#vectors!.lend() : null
    return {
      store: this.store,
      keyword,
      vectors: lent?.builtIn ?? null,
      embedder,
      other: lent?.other ?? null,
      facts: this.#facts,
      afterWait: () => {
        if (!files.isUntouched()) throw new SourcesTouched()
      },
      [Symbol.dispose]: () => lent?.[Symbol.dispose](),
    }
  }

  /** That of the vectors that the index has: the settings may want others by now. */
  get embedder(): Embedder {
    if (this.#embedder === null || this.store.dataVersion() !== this.#version) {
      const models = this.store.spaces.all().flatMap((space) => codeModelOf(space) ?? [])
      this.#embedder = createStaticEmbedder(models.at(-1))
    }
    return this.#embedder
  }

  /** Its words alone, for who ranks nothing. */
  keyword(): KeywordIndex {
    const version = this.store.dataVersion()
    // A newer state has other files, and what it does without may be gone: looked at are those of the state that is
    // read.
    if (version !== this.#version || this.#files?.look() !== false) this.#reopen(version)
    return this.#keyword!
  }

  /** Files of the index are missing or not what they were: answers come from the others until it is made whole. */
  get isDamaged(): boolean {
    this.keyword()
    return !this.#files!.isSound
  }

  /** Share of the chunks that have a vector, 0 to 1. */
  vectorShare(): number {
    const space = this.store.spaces.find(this.embedder.space)
    const { chunks, files } = this.store.files.totals()
    if (space === null || chunks === 0) return 0
    const folded = this.store.derived.of("vectors", space.id).find((row) => row.part === 0)?.count ?? 0
    // Beside its chunks every file has three views of its own; files that are gone count until the next fold.
    return Math.min(1, (folded + this.store.vectors.pending(space.id).vectors) / (chunks + VIEWS * files))
  }

  /** True where queries are answered by the space beside the built-in one. */
  get isOtherServing(): boolean {
    using other = openOther(this.store, this.#folder, this.#askOther)
    return other !== null
  }

  close(): void {
    this.#vectors?.[Symbol.dispose]()
    this.#vectors = null
    this.store.close()
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
    const files = new DerivedWatch(this.#folder, derived, this.#files)
    this.#files = files
    const mapped = derived
      .filter((row) => row.kind === "keyword" && files.isWhole(row))
      .map((row) => [row.name, this.#base.get(row.name) ?? mapSmallDerived(this.#folder, row)] as const)
    this.#base = new Map(mapped.flatMap(([name, bytes]) => (bytes === null ? [] : [[name, bytes]])))
    const segments = [
      ...Array.from(this.#base.values(), (bytes) => ({ bytes, isVerified: true })),
      ...deltas.map((delta) => ({ bytes: delta.blob, isVerified: false })),
    ]
    this.#keyword = openKeywordIndex(segments.map((segment) => ({ ...segment, dead })))
    this.#facts = null
    this.#embedder = null
    this.#vectors?.[Symbol.dispose]()
    this.#vectors = null
    this.#version = version
  }

  #openVectors(): VectorSources {
    const space = this.store.spaces.find(this.embedder.space)
    const builtIn = space === null ? null : openVectors(this.store, this.#folder, space)
    return new VectorSources(builtIn, openOther(this.store, this.#folder, this.#askOther))
  }
}
