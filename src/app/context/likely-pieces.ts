import { isUnsureTask, queryKind } from "../../search/query/query-kind.ts"
import { isCallable, isType, qualifiedName } from "../../symbols/definition.ts"
import { compared, expectedGains, pieceFile } from "./gain.ts"
import type { ScoredPiece } from "./pack.ts"
import { type Features, featuresOf } from "./pieces/piece-features.ts"
import type { Piece } from "./pieces/pieces.ts"
import type { SourceFile } from "./pieces/source-file.ts"
import type { QueryWords } from "./query-words.ts"
import type { TaskTerms } from "./task-terms.ts"

/**
 * Weights of a conditional logit over the pieces of one file: the probability that a piece is the function that a
 * question describes. Fitted on 454 doc comments of 15 repositories, with the comments removed; by cross-validation the
 * first piece is right in .62 of the files, .46 by expected gain (docs/decisions/10-context.md). The weights of kinds
 * are halved, because these questions are about functions only.
 */
const WEIGHTS: Partial<Record<keyof Features, number>> = {
  body: 0.95,
  bodyInFile: 1.07,
  nameShare: 3.14,
  around: 0.87,
  firstPlace: 1.16,
  secondPlace: 0.69,
  laterPlace: 0.07,
  lines: -0.47,
  imports: -0.13,
}
const WEIGHT_OF = {
  callable: 0.9,
  type: -0.3,
  noSymbol: -0.5,
  whole: 0.5,
  found: 0.85,
  foundLater: 0.8,
} as const

/** Maximum number of pieces of a file. */
const MAX_PIECES = 4
/** Minimum probability of a piece, relative to the best one of its file. */
const MIN_SHARE = 0.05

/**
 * The pieces of each file that most likely answer the query, best first, at most MAX_PIECES; `gain` is the probability
 * within the file. Of a task the pieces that most likely change. Files without such a piece are absent.
 */
export function likelyPieces(
  files: readonly SourceFile[],
  task: TaskTerms,
  query: QueryWords,
  text: string,
): ReadonlyMap<SourceFile, readonly ScoredPiece[]> {
  if (queryKind(text) === "task" && !isUnsureTask(text)) {
    const gains = expectedGains(files, task, query, false).toSorted((a, b) => b.gain - a.gain)
    return new Map(
      [...Map.groupBy(gains, ({ file }) => file)].map(([file, all]) => [file, all.slice(0, MAX_PIECES)]),
    )
  }
  const chosen = compared(files, query)
  const features = featuresOf(
    chosen.map((file, rank) => pieceFile(file, rank, query)),
    task,
  )
  return new Map(chosen.map((file, at) => [file, likely(file, features[at]!)]))
}

function likely(file: SourceFile, features: readonly Features[]): ScoredPiece[] {
  const candidates = file.pieces.flatMap((piece, at) =>
    features[at]!.body === 0 ? [] : [{ file, piece, gain: Math.exp(sumOf(features[at]!, piece, file)) }],
  )
  const total = candidates.reduce((sum, { gain }) => sum + gain, 0)
  const best = candidates.toSorted((a, b) => b.gain - a.gain).slice(0, MAX_PIECES)
  return best
    .filter(({ gain }) => gain >= MIN_SHARE * best[0]!.gain)
    .map((piece) => ({ ...piece, gain: piece.gain / total }))
}

function sumOf(features: Features, { symbol, isWhole, startLine, endLine }: Piece, file: SourceFile): number {
  let sum = isWhole ? WEIGHT_OF.whole : 0
  for (const name in WEIGHTS) sum += WEIGHTS[name as keyof Features]! * features[name as keyof Features]
  if (symbol === null) return sum + WEIGHT_OF.noSymbol
  if (isCallable(symbol)) sum += WEIGHT_OF.callable
  if (isType(symbol)) sum += WEIGHT_OF.type
  const name = qualifiedName({ symbol })
  const place = [file.result, ...file.result.also].findIndex(
    ({ symbol: found, start_line, end_line }) =>
      found === name && start_line <= endLine && end_line >= startLine,
  )
  if (place < 0) return sum
  return sum + (place === 0 ? WEIGHT_OF.found : WEIGHT_OF.foundLater)
}
