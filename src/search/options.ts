import type { SearchRequest } from "../base/index.ts"
import type { ReadLines } from "./channels/compare-texts.ts"
import type { FileFilter } from "./query/filter.ts"
import type { LikeTarget, PhraseCheck } from "./query/operators.ts"

/** A file that a search program found. `ordinal`: the chunk to show; null to choose it by the query. */
export type SuggestedFile = { readonly id: number; readonly path: string; readonly ordinal: number | null }

/** Number of results in a brief answer without a limit; they fit a screen. */
const BRIEF_LIMIT = 5

/** Maximum number of results of a request; `usual`: of one that gives no limit and asks for no brief answer. */
export function resultLimit({ limit, brief }: SearchRequest, usual: number): number {
  return limit ?? (brief ? Math.min(BRIEF_LIMIT, usual) : usual)
}

export type SearchOptions = {
  /** `limit`: number of files to return; `offset`: number of better files to skip before them. */
  readonly limit: number
  readonly offset?: number | undefined
  readonly mode: "hybrid" | "keyword" | "semantic"
  readonly filter: FileFilter
  /** The user's current folder, relative to the root; "" at the root. */
  readonly folder: string
  readonly explain: boolean
  /** Names of symbols to search for in addition to those in the query's text. */
  readonly symbols?: readonly string[]
  /** Words and identifiers that the code probably uses, as guessed by the caller; see channels/candidates.ts. */
  readonly names?: readonly string[] | undefined
  readonly phrases?: PhraseCheck | null
  /** Reads lines of a file, to find the query word for word and to compare its words as typed. */
  readonly readLines?: ReadLines
  /** Files that the user's own search program found, best first. Their order is fused with that of the features. */
  readonly suggested?: readonly SuggestedFile[]
  /** False to leave the best page of documentation at its place; otherwise a question may have it among its first files. */
  readonly liftsPage?: boolean | undefined
  /**
   * True for the first pass over many indexes, which only estimates how good the best file of each is. The search then
   * has few candidates, compares no texts, and returns the best files without places.
   */
  readonly isEstimate?: boolean | undefined
  /** True if past commits do not count, because the one that the query is taken from is among them. */
  readonly ignoresCommits?: boolean | undefined
  /** True to make every file that passes the filter a candidate, even one without any word of the query. */
  readonly everyFile?: boolean
  /** A place in the code. If given, the search returns places similar to it. */
  readonly likeness?: LikeTarget | null
  /** Called between the steps of a search. Throws to end a search whose result is no longer wanted. */
  readonly check?: () => void
}
