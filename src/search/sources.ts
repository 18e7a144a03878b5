import { AmanError } from "../base/errors.ts"
import type { QueryVector } from "../embed/configured/embedder.ts"
import type { Embedder } from "../embed/port.ts"
import type { KeywordIndex } from "../keyword/query/keyword-index.ts"
import type { SpaceRow } from "../store/index/spaces.ts"
import type { Store } from "../store/index/store.ts"
import type { VectorIndex } from "../vector/port.ts"
import type { KeywordWeights } from "./query/classify.ts"
import type { FileFilter } from "./query/filter.ts"
import type { LikeTarget } from "./query/like-operator.ts"
import type { PhraseCheck, ReadText } from "./query/phrases.ts"
import type { FileFacts } from "./rank/file-facts.ts"

/** A state of an index that does not change while a search reads it. */
export type SearchSources = {
  readonly store: Store
  readonly keyword: Pick<KeywordIndex, "query" | "holders" | "someHolders" | "estimate" | "documents">
  /** Null when there are no vectors yet or the caller wants none. */
  readonly vectors: VectorIndex | null
  readonly embedder: Embedder
  /** The configured space; null unless it is complete and selected by the settings. */
  readonly other?: ConfiguredSource | null
  readonly facts: FileFacts
  /**
   * Callers must call this after every wait. Throws IndexFilesChanged if files that this state reads have changed
   * since.
   */
  readonly afterWait?: () => void
}

/**
 * Thrown because files that are mapped into memory may have been truncated and must not be read any more: open new
 * sources.
 */
export class IndexFilesChanged extends AmanError {
  constructor() {
    super("INDEX_BUSY", "index files changed during a search", { hint: "ask again" })
  }
}

export type ConfiguredSource = {
  readonly vectors: VectorIndex
  readonly embedQuery: (text: string) => Promise<QueryVector>
}

/** Returns the function that embeds queries for a configured space; null if the settings do not select it. */
export type QueryEmbedders = (space: SpaceRow) => ConfiguredSource["embedQuery"] | null

export type SearchOptions = {
  /** Number of files to return, and of better files to skip before them. */
  readonly limit: number
  readonly offset?: number | undefined
  readonly mode: "hybrid" | "keyword" | "semantic"
  readonly filter: FileFilter
  /** The user's current folder in the project; "" at its root. */
  readonly folder: string
  readonly explain: boolean
  /** Names to search for in addition to those in the query's text. */
  readonly names?: readonly string[]
  readonly phrases?: PhraseCheck | null
  /** Reads file text to find the query word for word. */
  readonly readText?: ReadText
  /** Every file that passes the filter is a candidate, even without any of the query's words. */
  readonly everyFile?: boolean
  /** A place in the code; the search returns places similar to it. */
  readonly likeness?: LikeTarget | null
  /** Weights of the channels and the damping constant of their fusion, when they differ from the defaults. */
  readonly weights?: KeywordWeights
  readonly rrfK: number
  /** Called between the steps of a search; throws when the answer is no longer wanted. */
  readonly check?: () => void
}
