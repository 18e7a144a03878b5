import { compareTexts, firstNot } from "../base/index.ts"
import { isUnsureTask, queryKind } from "../search/index.ts"
import { isCallable, isType, qualifiedName } from "../symbols/index.ts"
import type { CountTokens } from "../text/index.ts"
import { type ContextSnippet, fileTokens, snippetTokens } from "./bundle.ts"
import { compared, expectedGains, pieceFile } from "./gain.ts"
import type { NamedPieces } from "./named-lines.ts"
import { type Features, featuresOf, type Piece, type SourceFile, type WordedPiece } from "./pieces.ts"
import { joinRuns, lineWithMost, runOf, runSnippet, type SnippetRun } from "./snippets.ts"
import type { QueryWords, TaskTerms } from "./task-terms.ts"

/** A piece of a file with the expected share of the changed lines in it, 0 to 1. */
export type ScoredPiece = {
  readonly file: SourceFile
  readonly piece: WordedPiece
  readonly gain: number
}

const CHARACTERS_PER_TOKEN = 3.3
// Average of indentation and line end, in characters.
const CHARACTERS_PER_LINE = 4
const SNIPPET_OVERHEAD = 40
const MIN_PART_TOKENS = 60
const MIN_PART_LINES = 3
/** Max lines that belong to no piece, such as blank ones, between two pieces that are joined to one snippet. */
const MAX_BETWEEN = 2
const BETWEEN_TOKENS = 4

/**
 * The order in which pieces are chosen: named ones, then by expected gain per token. It does not depend on the budget,
 * so a larger budget shows the same pieces and more.
 */
export function choiceOrder(candidates: readonly ScoredPiece[], named?: NamedPieces): ScoredPiece[] {
  const first = [...(named ?? [])].flatMap(([file, pieces]) =>
    pieces.map((piece) => ({ file, piece, gain: 1 })),
  )
  const isNamed = ({ file, piece }: ScoredPiece) => named?.get(file)?.includes(piece) ?? false
  const worth = new Map(candidates.map((each) => [each, worthOf(each)]))
  const byWorth = candidates.toSorted(
    (one, other) =>
      worth.get(other)! - worth.get(one)! ||
      compareTexts(one.file.path, other.file.path) ||
      one.piece.startLine - other.piece.startLine,
  )
  return [...first, ...byWorth.filter((each) => !isNamed(each))]
}

/** Expected gain per token. */
function worthOf({ gain, piece: { startLine, endLine, length } }: ScoredPiece): number {
  const characters = length + CHARACTERS_PER_LINE * (endLine - startLine + 1)
  return gain / (characters / CHARACTERS_PER_TOKEN + SNIPPET_OVERHEAD)
}

/**
 * Expected gain per token at which an answer ends early, in small projects only: there a missed piece is soon found. One with
 * at most 50 files of source code has up to 603 chunks. Figures: docs/benchmarks.md.
 */
const [MIN_WORTH, SMALL_CHUNKS] = [0.00012, 700]

/** The first pieces, in the order of choice, that are worth their tokens, or at least half as much as the best one. */
export function worthwhile(ordered: readonly ScoredPiece[], chunks: number): readonly ScoredPiece[] {
  if (chunks > SMALL_CHUNKS) return ordered
  const min = Math.min(MIN_WORTH, ...ordered.slice(0, 1).map((best) => worthOf(best) / 2))
  const end = firstNot(0, ordered.length, (at) => worthOf(ordered[at]!) >= min)
  return ordered.slice(0, end)
}

/** Chooses pieces within a token budget and joins adjacent ones to runs. Files are in the order of their first piece. */
export class Pack {
  readonly #runs = new Map<SourceFile, readonly SnippetRun[]>()
  readonly #query: QueryWords
  readonly #count: CountTokens
  #left: number
  /** Number of pieces chosen so far. */
  #chosenCount = 0

  constructor(budget: number, query: QueryWords, count: CountTokens) {
    this.#left = budget
    this.#query = query
    this.#count = count
  }

  /** Unused tokens. */
  get left(): number {
    return this.#left
  }

  get files(): readonly SourceFile[] {
    return [...this.#runs.keys()]
  }

  /** The runs of a file as snippets, in line order. */
  snippets(file: SourceFile): readonly ContextSnippet[] {
    return (this.#runs.get(file) ?? []).map((run) => runSnippet(file, run, this.#query))
  }

  /**
   * Adds pieces in order until one does not fit. From that piece, the lines around its best line are added. Returns
   * the pieces that are missing or cut.
   */
  fill(ordered: readonly ScoredPiece[]): readonly ScoredPiece[] {
    for (const [i, { file, piece }] of ordered.entries()) {
      if (this.#choose(file, piece)) continue
      const part = this.#part(file, piece)
      if (part !== null) this.#choose(file, part)
      return ordered.slice(i)
    }
    return []
  }

  #choose(file: SourceFile, piece: Piece): boolean {
    const cost = this.#costOf(file, piece)
    if (cost > this.#left) return false
    this.#left -= cost
    const runs = this.#runs.get(file) ?? []
    const touching = runs.filter((run) => isNear(run, piece))
    const run = touching.reduce(joinRuns, runOf(piece, this.#chosenCount++))
    const others = runs.filter((each) => !touching.includes(each))
    this.#runs.set(
      file,
      [...others, run].sort((one, other) => one.startLine - other.startLine),
    )
    return true
  }

  /**
   * Upper bound of the tokens that a piece adds, computed once before it is chosen. A piece far from all chosen runs
   * is counted with the overhead of a snippet of its own, even if it joins a run later.
   */
  #costOf(file: SourceFile, piece: Piece): number {
    const fileRuns = this.#runs.get(file)
    const snippet = runSnippet(file, runOf(piece, this.#chosenCount), this.#query)
    if (fileRuns === undefined)
      return fileTokens(file.head, this.#count) + snippetTokens(snippet, this.#count)
    if (!fileRuns.some((run) => isNear(run, piece))) return snippetTokens(snippet, this.#count)
    return this.#count(`\n${snippet.text}`) + MAX_BETWEEN * BETWEEN_TOKENS
  }

  /**
   * As many lines of a piece as fit, around its best line. With a larger budget the same lines stay and others are
   * added.
   */
  #part(file: SourceFile, piece: Piece): Piece | null {
    if (this.#left < MIN_PART_TOKENS) return null
    const { startLine, endLine } = piece
    const best = startLine + lineWithMost(file.between(startLine, endLine), this.#query).at
    const around = (lines: number): Piece => ({
      ...piece,
      startLine: Math.max(startLine, best - Math.floor(lines / 3)),
      endLine: Math.min(endLine, best + Math.ceil((2 * lines) / 3)),
      isWhole: false,
    })
    const lines = firstNot(
      MIN_PART_LINES,
      endLine - startLine + 2,
      (lines) => this.#costOf(file, around(lines)) <= this.#left,
    )
    return lines === MIN_PART_LINES ? null : around(lines - 1)
  }
}

function isNear(run: SnippetRun, { startLine, endLine }: Piece): boolean {
  return run.startLine <= endLine + MAX_BETWEEN + 1 && run.endLine >= startLine - MAX_BETWEEN - 1
}

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
