import { compareTexts } from "../../base/compare-texts.ts"
import { firstNot } from "../../base/sorted.ts"
import type { CountTokens } from "../../text/tokenizer.ts"
import { fileTokens, snippetTokens } from "./bundle.ts"
import type { Piece } from "./pieces/pieces.ts"
import type { SourceFile } from "./pieces/source-file.ts"
import type { QueryWords } from "./query-words.ts"
import type { ContextSnippet } from "./request.ts"
import { joinRuns, lineWithMost, runOf, runSnippet, type SnippetRun } from "./snippets.ts"

/** A piece of a file with the expected share of the changed lines in it, 0 to 1. */
export type ScoredPiece = {
  readonly file: SourceFile
  readonly piece: Piece
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
 * The order in which pieces are chosen. It does not depend on the budget, so a larger budget shows the same
 * pieces and more.
 */
export function choiceOrder(candidates: readonly ScoredPiece[]): ScoredPiece[] {
  const worth = new Map(candidates.map((each) => [each, each.gain / estimate(each)]))
  return [...candidates].sort(
    (one, other) =>
      worth.get(other)! - worth.get(one)! ||
      compareTexts(one.file.path, other.file.path) ||
      one.piece.startLine - other.piece.startLine,
  )
}

function estimate({ file, piece: { startLine, endLine } }: ScoredPiece): number {
  const lines = file.between(startLine, endLine)
  const characters = lines.reduce((sum, line) => sum + line.trim().length + CHARACTERS_PER_LINE, 0)
  return characters / CHARACTERS_PER_TOKEN + SNIPPET_OVERHEAD
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
    return this.#count(JSON.stringify(snippet.text)) + MAX_BETWEEN * BETWEEN_TOKENS
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
