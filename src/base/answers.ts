/** Results of the use cases: plain data that the CLI and the MCP server render. Paths are relative to the root, with "/". */

export type IndexReport = {
  readonly root: string
  readonly files: number
  readonly chunks: number
  /** Files per language, most frequent first. */
  readonly languages: Readonly<Record<string, number>>
  /** Files left out, by reason. */
  readonly skipped: Readonly<Record<string, number>>
  readonly embedding: {
    readonly provider: string
    readonly model: string
    readonly dimensions: number
    readonly other: ConfiguredEmbedding | null
  }
  /** Present if this run downloaded the index of a commit from the team's server. */
  readonly handed_down?: HandDown["from"] & {}
  /** Number of files this run indexed again and removed from the index. */
  readonly changed: number
  readonly removed: number
  readonly duration_ms: number
  /** Time until keyword search was available, in ms. */
  readonly keyword_ready_ms: number
  /** Time for each phase of the run in ms (see RunReport.times); empty if another process ran it. */
  readonly phases_ms: Readonly<Record<string, number>>
  /** Current degradations, each with a remedy; empty if there are none. */
  readonly notices: readonly string[]
}

export type HandDown = {
  /** The team's server and the commit whose index was downloaded; null if none was. */
  readonly from: { readonly server: string; readonly commit: string } | null
  /** Why no index was downloaded although the server offered one or did not answer; null if there is nothing to report. */
  readonly notice: string | null
}

/** The configured embedder's space, from Ollama or an API. */
export type ConfiguredEmbedding = {
  readonly provider: string
  readonly model: string
  readonly dimensions: number
  /** Share of the chunks that have a vector, 0 to 1. */
  readonly share: number
  /** True if queries use the vectors of this space; false until all chunks have one. */
  readonly serves: boolean
}

export type IndexPhase = "scan" | "parse" | "merge" | "embed" | "link" | "send"

export type IndexProgress = {
  readonly phase: IndexPhase
  readonly done: number
  readonly total: number
}

export type SearchMode = "hybrid" | "keyword" | "semantic"
export type ContentKind = "code" | "docs" | "all"

export type SearchRequest = {
  readonly query: string
  /** Words and identifiers that the code probably uses, as guessed by the caller; absent or empty: none. */
  readonly names?: readonly string[] | undefined
  /** Treat the query as plain text: dashes, colons and quotation marks are no operators. */
  readonly isPlain?: boolean | undefined
  /** The query was given by a flag (-e), so it was not pasted: in a query of one line operators apply at any length. */
  readonly isTyped?: boolean | undefined
  /**
   * True: operators stay in force even if they exclude all results here, because the same query is also sent to other
   * indexes. Otherwise such operators are ignored with a notice.
   */
  readonly keepsOperators?: boolean | undefined
  /** Words of the query whose spelling may be corrected; absent: all that the index does not contain. */
  readonly correctable?: readonly string[] | undefined
  /** Find code similar to this place, "path:line"; the query may then be empty. */
  readonly like?: string | undefined
  /** Max files to return (default: search.limit), after skipping `offset`. */
  readonly limit?: number | undefined
  readonly offset?: number | undefined
  readonly mode: SearchMode
  readonly content: ContentKind
  /** Path prefixes or globs, one of which must match; empty: everything. */
  readonly paths: readonly string[]
  readonly languages: readonly string[]
  /** Symbol kinds; a chunk must define a symbol of one of them. Empty: everything. */
  readonly kinds: readonly string[]
  /** File extensions, such as "ts", one of which must match; absent or empty: everything. */
  readonly extensions?: readonly string[]
  readonly explain: boolean
  /** False: the best page of documentation stays at its place, however near it is. */
  readonly liftsPage?: boolean | undefined
  /** True: of many repositories all are ranked in full, not only those with the best estimates. */
  readonly rankAll?: boolean | undefined
  /** See SearchOptions. Set by a search of many repositories for its first pass. */
  readonly isEstimate?: boolean | undefined
  /** True: past commits do not count. Set by a replay of one of them. */
  readonly ignoresCommits?: boolean | undefined
  /** True: the text of each result begins where it most likely answers the query. */
  readonly brief?: boolean | undefined
  /** The results have passages of about this many tokens together; absent: none. */
  readonly passageTokens?: number | undefined
  /** The numbers of the same search in other indexes: results get sums on the scale that both share; absent: none. */
  readonly beside?: SearchScale | undefined
}

/**
 * The numbers of a search in one index, or in several together, by which files of other indexes are ranked on the same
 * scale. A JSON value. Lists of numbers have one for each term of the query.
 */
export type SearchScale = {
  readonly files: number
  readonly chunks: number
  /** True if a word or name of the query occurs. */
  readonly hasMatch: boolean
  readonly stems: readonly string[]
  readonly weights: readonly number[]
  /** Inverse document frequencies. */
  readonly fileIdf: readonly number[]
  readonly chunkIdf: readonly number[]
  readonly idfSum: number
  readonly chunkIdfSum: number
  readonly maxScore: number
  readonly maxChunk: number
  readonly maxTopChunks: number
  readonly strangeness: number
  readonly maxExactWords: number
}

export type ResultPlace = {
  readonly start_line: number
  readonly end_line: number
  readonly symbol: string | null
}

export type SearchResult = ResultPlace & {
  /** Name of the other repository with this file; absent for the project's own files. */
  readonly repository?: string
  readonly path: string
  readonly language: string
  readonly kind: string
  /** 0 to 1, comparable within one answer only. */
  readonly score: number
  /** With `beside` in the request, the `SharedSum` of the file. */
  readonly sum?: number
  readonly sum_as_code?: number | null
  readonly text: string
  readonly also: readonly ResultPlace[]
  /**
   * Up to four variants: the module for other platforms (.ios, .web), or the page in other languages; absent
   * if there are none.
   */
  readonly variants?: readonly string[]
  /** Another query of the same call whose results show this text already; `text` is then empty. */
  readonly shown_for?: string
  /** True if `text` was cut to a token budget and ends before `end_line`; absent without a budget. */
  readonly cut?: boolean
  readonly explanation?: Explanation
  /** Line of the definition that `text` belongs to; absent if `text` is the place that the search itself ranked. */
  readonly line?: number
  /** The first line that matches, where the query is a pattern (`foo\.bar|class Baz`); absent if no line does. */
  readonly match?: number
  /** The lines that most likely answer the query, in file order; absent if the request did not ask for passages. */
  readonly passages?: readonly Passage[]
}

/** Lines of a result: code, or one line with the signature of the definition there. */
export type Passage = {
  readonly start_line: number
  readonly end_line: number
  readonly text: string
}

export type Explanation = {
  /** 1-based rank in each channel that found the file. */
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
  /** The names of the request; absent if it had none. */
  readonly names?: readonly string[] | undefined
  readonly class: string
  readonly results: readonly SearchResult[]
  /** Number of better results that were skipped. */
  readonly offset: number
  /** Offset of the next page; null if this was the last. */
  readonly next_offset: number | null
  /** Coverage of an incomplete index; null when the index is complete. */
  readonly partial: IndexCoverage | null
  readonly took_ms: number
  readonly notices: readonly string[]
  /** True if no word of the query occurs, so that only built-in vectors found results; else absent. */
  readonly nearest_only?: boolean
  /** Names of the project that are nearest in meaning to a question, if the answer is weak; else absent. */
  readonly near_names?: readonly string[]
  /** The other repositories that were searched; absent for a search of the project. */
  readonly repositories?: readonly SearchedRepository[]
  /**
   * Number of repositories that were ranked in full (`full`) and of those that match the query (`of`); absent if all
   * that match were ranked in full. The results are files of the former.
   */
  readonly ranked?: { readonly full: number; readonly of: number }
  /** With `beside` in the request, the numbers of all indexes together, by which the sums were computed. */
  readonly scale?: SearchScale
}

export type SearchedRepository = {
  readonly repository: string
  /** Indexed commit. */
  readonly commit: string | null
  /** Time of the last successful fetch. */
  readonly last_pull: string | null
  /** True if the repository was not fetched in time or the last fetch failed, so that the remote may be newer. */
  readonly stale: boolean
}

/** Another repository with results in an answer, and the indexed commit that they are from. */
export type ResultCommit = { readonly repository: string; readonly commit: string | null }

export type ReadAnswer = {
  /** Name of the other repository with this file; absent for the project's own files. */
  readonly repository?: string
  /** Indexed commit of the other repository. */
  readonly commit?: string | null
  readonly path: string
  readonly language: string
  readonly start_line: number
  readonly end_line: number
  readonly total_lines: number
  readonly text: string
  /** What the reader has to know about the text, such as a difference to the team's; absent if there is nothing. */
  readonly notices?: readonly string[]
}

export type StatusAnswer = {
  readonly root: string
  readonly project: { readonly type: string; readonly source_folders: readonly string[] }
  readonly state: "missing" | "indexing" | "ready"
  readonly files: number
  readonly chunks: number
  readonly languages: Readonly<Record<string, number>>
  readonly skipped: Readonly<Record<string, number>>
  /** Number of indexed files that rank lower in results, by reason. */
  readonly ranked_down: Readonly<Record<string, number>>
  /**
   * Number of files read in each encoding other than UTF-8, how many of these by a guess, and some of these. Absent if all
   * files are UTF-8.
   */
  readonly encodings?:
    | Readonly<
        Record<
          string,
          { readonly files: number; readonly guessed: number; readonly examples: readonly string[] }
        >
      >
    | undefined
  /**
   * For each chunker program of the user, the number of files that have its chunks, and of those for which it failed. Absent
   * if there are none.
   */
  readonly chunkers?:
    | Readonly<Record<string, { readonly files: number; readonly failed: number }>>
    | undefined
  readonly generation: number
  readonly index_bytes: number
  readonly embedding: {
    readonly provider: string
    readonly model: string
    readonly dimensions: number
    /** Share of the chunks that have a vector, 0 to 1. */
    readonly share: number
    readonly other: ConfiguredEmbedding | null
    /** Share of the files that the sentence encoder has read, 0 to 1; absent if it is off. */
    readonly encoded?: number
  }
  readonly memory: { readonly limit_bytes: number; readonly resident_bytes: number }
  readonly progress: IndexProgress | null
  /** Process that keeps the index up to date; "unknown" if the lock cannot be checked. */
  readonly leader: "this process" | "another process" | "nobody" | "unknown"
  /** Number of files that differ from the index; null if unknown. */
  readonly pending: number | null
  /** Time when the index last changed. */
  readonly last_indexed: string | null
  readonly notices: readonly string[]
}

/** Coverage of an index that is not complete: `share` of the files, from 0 to 1. */
export type IndexCoverage = {
  readonly done: number
  readonly total: number
  readonly share: number
  /** True if indexing has stopped; the notices say why. Absent while the index is being built. */
  readonly is_stopped?: true
}

/** State of an incomplete index in words that complete the sentence «the index is …». */
export function coverageText({ is_stopped, share }: IndexCoverage, parts = "files"): string {
  const state = is_stopped ? "incomplete, and no process is adding to it" : "still being built"
  return `${state} (${Math.floor(share * 100)} % of the ${parts})`
}

export type CheckResult = {
  readonly name: string
  readonly state: "ok" | "warning" | "error"
  readonly message: string
  /** What to do next; null if nothing. */
  readonly next: string | null
}
