import { mayBeQuestion } from "../../search/channels/candidates.ts"
import { coverage } from "../../search/query/query-scale.ts"
import { guessedText } from "../../search/query/with-names.ts"
import type { RankedFiles } from "../../search/search.ts"
import { isFunctionWord } from "../../text/terms/stop-words.ts"
import type { SearchRequest } from "../answers.ts"

/**
 * How far the words of a question have to be from those of the project (`strangenessOf`), and the largest share of the
 * question that the definitions and path of one of the first files may have. Both hold for 54 and 86 % of two sets of
 * questions about applications, and for 5 % of the labelled questions about libraries.
 */
const MIN_STRANGENESS = 0.4
const MAX_NAMED = 0.4
/** Number of words of a question; fewer are words that the user knows from the code. */
const MIN_QUESTION = 4
/** A quotation or an operator: the user knows words of the code. */
const OPERATOR = /"|(?:^|\s)-?\w+:\S/u
/** Number of the first results that are looked at. */
const FILES = 5
const MIN_WORDS = 2
const MAX_WORDS = 4

/**
 * For a question without names that has other words than the code: a line with the words that are in no definition or
 * path of the first results, for which the caller can guess names. Empty if names would hardly help.
 */
export function namesHint({ query, scale, files }: RankedFiles, request: SearchRequest): string[] {
  const { names, mode, like, offset = 0 } = request
  if (guessedText(names) !== "" || mode === "semantic" || like !== undefined || offset > 0) return []
  const isShort = request.query.trim().split(/\s+/u).length < MIN_QUESTION
  if (isShort || OPERATOR.test(request.query)) return []
  if (!mayBeQuestion(query) || query.names.length > 0 || (scale.strangeness ?? 0) < MIN_STRANGENESS) return []
  const named = files.slice(0, FILES).map(({ ranked }) => {
    const { names: defined, stem, dirs } = ranked.candidate.hit.masks
    return defined | stem | dirs
  })
  if (named.length === 0 || named.some((mask) => coverage(mask, scale) > MAX_NAMED)) return []
  const isUnnamed = (index: number) => named.every((mask) => ((mask >>> index) & 1) === 0)
  const words = query.words.filter((word, index) => isUnnamed(index) && !isFunctionWord(word))
  if (words.length < MIN_WORDS) return []
  return [`the code may use other words: ask again with names for ${words.slice(0, MAX_WORDS).join(", ")}`]
}
