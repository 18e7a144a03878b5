import { oneLine } from "../../text/fence.ts"
import type { CountTokens } from "../../text/tokenizer.ts"
import type { SearchAnswer } from "../answers.ts"
import type { ContextFile, ContextSnippet } from "./request.ts"

export type LeftOut = {
  /** Places that are told by less than all of them, as path:lines. */
  readonly places: readonly string[]
  /** There is no room to name them: each says itself which lines it is of. */
  readonly isBrief: boolean
  /** Files that were found and are not there at all. */
  readonly files: number
  /** There are more than were looked at. */
  readonly isMore: boolean
  /** It was told to show no more files. */
  readonly isCapped: boolean
}

const MAX_PLACES = 4
const MAX_NOTICES = 3
const LONGEST = 240

/** What is missing, and how one gets it. */
export function leftOutHints({ places, isBrief, files, isMore, isCapped }: LeftOut): string[] {
  const named = places.slice(0, MAX_PLACES).join(", ")
  const which = isBrief ? "the lines given" : `${named}${places.length > MAX_PLACES ? ", …" : ""}`
  const raise = isCapped ? "allow more files" : "raise the budget"
  return [
    ...(places.length === 0 ? [] : [`some code is cut: read ${which}`]),
    ...(files > 0 ? [`${files}${isMore ? " or more" : ""} other files match: search, or ${raise}`] : []),
  ].map((hint) => oneLine(hint, LONGEST))
}

/** Where a piece of a file is to be read. */
export function placeOf(
  { repository, path }: Pick<ContextFile, "repository" | "path">,
  { lines }: Pick<ContextSnippet, "lines">,
): string {
  return `${repository === undefined ? "" : `${repository} `}${path}:${lines}`
}

export const OTHER_WORDS = "try other words, fewer filters, or one distinctive identifier"

/** What is not as it should be. */
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

/** The first of them that fit together. */
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
