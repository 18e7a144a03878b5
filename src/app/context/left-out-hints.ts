import { oneLine } from "../../text/fence.ts"
import type { CountTokens } from "../../text/tokenizer.ts"
import type { SearchAnswer } from "../answers.ts"
import type { ContextFile, ContextSnippet } from "./request.ts"

export type LeftOut = {
  /** Places shown in part or not at all, as "path:lines". */
  readonly places: readonly string[]
  /** True if there is no room to list the places; each snippet then names its lines itself. */
  readonly isBrief: boolean
  /** Number of found files that are not shown at all. */
  readonly files: number
  /** True if search has further results. */
  readonly isMore: boolean
  /** True if the request limits the number of files. */
  readonly isCapped: boolean
}

const MAX_PLACES = 4
const MAX_NOTICES = 3
const LONGEST = 240

/** Hints that say what was left out and how to get it. */
export function leftOutHints({ places, isBrief, files, isMore, isCapped }: LeftOut): string[] {
  const named = places.slice(0, MAX_PLACES).join(", ")
  const which = isBrief ? "the lines given" : `${named}${places.length > MAX_PLACES ? ", …" : ""}`
  const raise = isCapped ? "allow more files" : "raise the budget"
  return [
    ...(places.length === 0 ? [] : [`some code is cut: read ${which}`]),
    ...(files > 0 ? [`${files}${isMore ? " or more" : ""} other files match: search, or ${raise}`] : []),
  ].map((hint) => oneLine(hint, LONGEST))
}

/** Where a piece of a file can be read, as "path:lines". */
export function placeOf(
  { repository, path }: Pick<ContextFile, "repository" | "path">,
  { lines }: Pick<ContextSnippet, "lines">,
): string {
  return `${repository === undefined ? "" : `${repository} `}${path}:${lines}`
}

export const OTHER_WORDS = "try other words, fewer filters, or one distinctive identifier"

/** Notices about the answer's limits, such as an unfinished index or repositories that did not answer. */
export function noticeHints({ results, notices, partial, repositories }: SearchAnswer): string[] {
  const nothing = results.length > 0 ? [] : [OTHER_WORDS]
  const parts = repositories === undefined ? "files" : "repositories"
  const unfinished =
    partial === null
      ? []
      : [`the index is not complete yet: ${Math.floor(partial.share * 100)} % of the ${parts}`]
  return [...unfinished, ...notices, ...nothing]
    .slice(0, MAX_NOTICES)
    .map((notice) => oneLine(notice, LONGEST))
}

/** The leading hints that fit into `tokens` together. */
export function within(hints: readonly string[], tokens: number, count: CountTokens): string[] {
  const kept: string[] = []
  let left = tokens
  for (const hint of hints) {
    left -= count(hint)
    if (left < 0) break
    kept.push(hint)
  }
  return kept
}
