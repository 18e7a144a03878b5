/** What the use cases return: plain data that both doors render. Paths are relative to the root, with "/". */

import type { IndexShare } from "./index-share.ts"

export type IndexReport = {
  readonly root: string
  readonly files: number
  readonly chunks: number
  /** Files per language, commonest first. */
  readonly languages: Readonly<Record<string, number>>
  /** Files left out, by reason. */
  readonly skipped: Readonly<Record<string, number>>
  readonly embedding: {
    readonly provider: string
    readonly model: string
    readonly dimensions: number
    readonly other: OtherEmbedding | null
  }
  /** What this run did: files read again, files forgotten. */
  readonly changed: number
  readonly removed: number
  readonly duration_ms: number
  /** Time until keyword search could answer. */
  readonly keyword_ready_ms: number
  /** Degradations in force, each with its next step; empty when all is well. */
  readonly notices: readonly string[]
}

/** The space of Ollama or of a server, beside the built-in one. */
export type OtherEmbedding = {
  readonly provider: string
  readonly model: string
  readonly dimensions: number
  /** Share of the chunks that have a vector, 0 to 1. */
  readonly share: number
  /** Queries are ranked by it. */
  readonly serves: boolean
}

export type IndexPhase = "scan" | "parse" | "fold" | "embed" | "link" | "send"

export type IndexProgress = {
  readonly phase: IndexPhase
  readonly done: number
  readonly total: number
}

export type SearchMode = "hybrid" | "keyword" | "semantic"
export type ContentKind = "code" | "docs" | "all"

export type SearchRequest = {
  readonly query: string
  /** All of it is text: a dash, a colon or a quotation mark in it means nothing. */
  readonly isPlain?: boolean | undefined
  /** Find others like this place, "path:line"; then there need be no query. */
  readonly like?: string | undefined
  /** Files to show (default: search.limit), after so many better ones. */
  readonly limit?: number | undefined
  readonly offset?: number | undefined
  readonly mode: SearchMode
  readonly content: ContentKind
  /** Path prefixes or globs, any of which must match; none: everything. */
  readonly paths: readonly string[]
  readonly languages: readonly string[]
  /** Symbol kinds, any of which the chunk must define. */
  readonly kinds: readonly string[]
  /** Extensions of files, any of them, as "ts"; absent or none: everything. */
  readonly extensions?: readonly string[]
  readonly explain: boolean
}

export type Place = {
  readonly start_line: number
  readonly end_line: number
  readonly symbol: string | null
}

export type SearchResult = Place & {
  /** The other repository that the file is of; absent for the project's own. */
  readonly repository?: string
  readonly path: string
  readonly language: string
  readonly kind: string
  /** 0 to 1, comparable within one answer only. */
  readonly score: number
  readonly text: string
  readonly also: readonly Place[]
  /**
   * Up to four: the same module for other platforms (.ios, .web), the same page in other languages; absent without any.
   */
  readonly variants?: readonly string[]
  /** The query of the same call that these lines are shown for; `text` is empty then. */
  readonly shown_for?: string
  /** Where a token budget was given: whether `text` ends before `end_line`. */
  readonly cut?: boolean
  readonly explanation?: Explanation
}

export type Explanation = {
  /** 1-based rank in each channel that found the file; absent where it did not. */
  readonly channels: Readonly<Record<string, number>>
  /** Every feature with its value, weight and contribution; contributions add up to `sum`. */
  readonly features: readonly {
    readonly name: string
    readonly value: number
    readonly weight: number
    readonly contribution: number
  }[]
  readonly sum: number
}

export type SearchAnswer = {
  readonly query: string
  readonly class: string
  readonly results: readonly SearchResult[]
  /** How many better files this answer passed over. */
  readonly offset: number
  /** The offset of the next page; null where this was the last. */
  readonly next_offset: number | null
  /** Null when the index is whole. */
  readonly partial: IndexShare | null
  readonly took_ms: number
  readonly notices: readonly string[]
  /** No word of the query occurs, and the built-in vectors alone say what is near; absent otherwise. */
  readonly nearest_only?: boolean
  /** The other repositories that were searched; absent where the project was. */
  readonly repositories?: readonly SearchedRepository[]
}

export type SearchedRepository = {
  readonly repository: string
  /** The commit that answers are from. */
  readonly commit: string | null
  /** When its remote was last asked with success. */
  readonly last_pull: string | null
  /** Its remote may have moved on: not asked in time, or asked in vain. */
  readonly stale: boolean
}

export type ReadAnswer = {
  /** The other repository that the file is of; absent for the project's own. */
  readonly repository?: string
  readonly path: string
  readonly language: string
  readonly start_line: number
  readonly end_line: number
  readonly total_lines: number
  readonly text: string
}

export type StatusAnswer = {
  readonly root: string
  readonly project: { readonly type: string; readonly source_folders: readonly string[] }
  readonly state: "missing" | "indexing" | "ready"
  readonly files: number
  readonly chunks: number
  readonly languages: Readonly<Record<string, number>>
  readonly skipped: Readonly<Record<string, number>>
  /** Files that are indexed and stand lower in results, by what they are. */
  readonly ranked_down: Readonly<Record<string, number>>
  readonly generation: number
  readonly index_bytes: number
  readonly embedding: {
    readonly provider: string
    readonly model: string
    readonly dimensions: number
    readonly quantization: string
    /** Share of the chunks that have a vector, 0 to 1. */
    readonly share: number
    readonly other: OtherEmbedding | null
  }
  readonly memory: { readonly limit_bytes: number; readonly resident_bytes: number }
  readonly progress: IndexProgress | null
  /** Who keeps the index up to date; "unknown" where its lock may not be asked. */
  readonly leader: "this process" | "another process" | "nobody" | "unknown"
  /** Files that are not in the index as they are now; null where it may be any. */
  readonly pending: number | null
  /** When something last changed in the index. */
  readonly last_indexed: string | null
  readonly notices: readonly string[]
}
