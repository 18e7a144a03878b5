/**
 * search: what should be first?
 *
 * A question's operators are read, `channels` gather candidate files (words, names, vectors, quoted text, past commits), `rank`
 * computes some fifty features of each, their weighted sum orders the files, and the best chunk and other places are
 * chosen. `patterns` finds text and regular expressions in the files themselves. `answer` asks all that of an open project.
 *
 * Words: a channel is one way to find candidates; a feature is a number about a file and the question; a weight is what it
 * counts (`rank/weights.json`, fitted, see packages/lab). Names are what the asker guesses that the code uses.
 */

export type {
  GrepAnswer,
  GrepFile,
  GrepQuestion,
  GrepRequest,
  GrepResult,
  GrepSummary,
} from "./answer/grep-project.ts"
export { type GrepCaller, grepCaller } from "./answer/grep-threads.ts"
export { NEAREST_NOTICE, nearestIn } from "./answer/nearest-only.ts"
export { isReranked, RERANKED, type RerankedRows, reranked } from "./answer/other-rankers.ts"
export { resultWithText, searchIndex, searchProject } from "./answer/search-project.ts"
export { Budget, shortened } from "./answer/token-budget.ts"
export type { WhyNot } from "./answer/why-not.ts"
export { type CodeMatch, matchFiles } from "./channels/match-files.ts"
export { resultLimit } from "./options.ts"
export type { TextLine } from "./patterns/text-pattern.ts"
export { filesByWord, pathTest } from "./query/filter.ts"
export { withoutSyntax } from "./query/grep-pattern.ts"
export { parseOperators, typedWords } from "./query/operators.ts"
export {
  guessedText,
  headAndTail,
  isUnsureTask,
  passagesOf,
  type QueryClass,
  queryKind,
  withNames,
} from "./query/query.ts"
export {
  bestAndPage,
  type IndexSize,
  jointScale,
  mergeRanked,
  onScale,
  type SharedScale,
  type SharedSum,
  scaleIn,
  shareScale,
  sumsOn,
} from "./rank/merge-found.ts"
export type { QueryAnswer } from "./search-query.ts"

// Loaded when first needed, so that a command starts fast.
export const loadFirstAnswer = () => import("./answer/first-answer.ts")
export const loadGrepProject = () => import("./answer/grep-project.ts")
export const loadGrepThreads = () => import("./answer/grep-threads.ts")
export const loadWhyNot = () => import("./answer/why-not.ts")
