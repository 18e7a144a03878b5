import { AmanError } from "../../base/index.ts"
import type { SpaceRow, Store } from "../../store/index.ts"
import type { QueryVector } from "../embed/embedder.ts"
import type { Embedder } from "../embed/port.ts"
import type { Meanings } from "../encoder/meanings.ts"
import type { PackedCommits } from "../history/commits.ts"
import type { KeywordIndex } from "../keyword/keyword-index.ts"
import type { VectorIndex } from "../vector/port.ts"
import type { FileFacts } from "./file-facts.ts"

/** One state of an index, which does not change while a search reads it. */
export type SearchSources = {
  readonly store: Store
  readonly keyword: Pick<KeywordIndex, "query" | "holders" | "someHolders" | "estimate" | "documents">
  /** The vectors of the built-in space; null when there are none yet or the caller wants none. */
  readonly vectors: VectorIndex | null
  readonly embedder: Embedder
  /** The configured space; null unless it is complete and selected by the settings. */
  readonly configured?: ConfiguredSource | null
  readonly facts: FileFacts
  /** The past commits of the project; null if the index has none. */
  readonly pastCommits: () => PackedCommits | null
  /** The encoder's vectors; null until all files have theirs. */
  readonly meanings: () => Meanings | null
  /**
   * Must be called after every wait. Throws IndexFilesChanged if files that this state reads were changed during the
   * wait.
   */
  readonly afterWait?: () => void
  /** True if the sources stay open after the search, because nothing replaces the index. */
  readonly isFixed?: boolean
}

/**
 * Thrown when files that are mapped into memory may have been truncated, so that reading them could crash the process.
 * The caller must open new sources.
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

/** Returns the function that embeds queries for a configured space; null if the settings do not select that space. */
export type QueryEmbedders = (space: SpaceRow) => ConfiguredSource["embedQuery"] | null
