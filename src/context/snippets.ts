import type { SymbolRow } from "../store/index.ts"
import { qualifiedName } from "../symbols/index.ts"
import { cutAt, oneLine } from "../text/index.ts"
import type { ContextSnippet } from "./bundle.ts"
import type { Piece, SourceFile } from "./pieces.ts"
import type { QueryWords } from "./task-terms.ts"

const MAX_SIGNATURE = 110
// Longer lines are data and are cut.
const MAX_LINE = 400

const GAP = "…"

/** Consecutive lines of a file that are shown as one snippet. */
export type SnippetRun = {
  readonly startLine: number
  readonly endLine: number
  /** The piece that was chosen first; the reason shown for the run is the reason for this piece. */
  readonly best: Piece
  /** Position of `best` in the order in which pieces were chosen. */
  readonly position: number
  /** The definition that contains the first line; null at the top level. */
  readonly symbol: SymbolRow | null
}

export function runOf(piece: Piece, position: number): SnippetRun {
  const { startLine, endLine, symbol } = piece
  return { startLine, endLine, symbol, best: piece, position }
}

/** Joins two adjacent runs. */
export function joinRuns(one: SnippetRun, other: SnippetRun): SnippetRun {
  const { best, position } = one.position <= other.position ? one : other
  return {
    startLine: Math.min(one.startLine, other.startLine),
    endLine: Math.max(one.endLine, other.endLine),
    symbol: one.startLine <= other.startLine ? one.symbol : other.symbol,
    best,
    position,
  }
}

/** The lines of a run. If it starts inside a definition, the definition's signature comes first. */
export function runSnippet(file: SourceFile, run: SnippetRun, query: QueryWords): ContextSnippet {
  const { startLine, endLine, symbol } = run
  const lines = file.between(startLine, endLine).map(cutLine)
  const before =
    symbol !== null && startLine > symbol.startLine ? [oneLine(symbol.signature, MAX_SIGNATURE), GAP] : []
  const isAlone = lines.length === 1 && before.length === 0
  const text = isAlone ? lines[0]!.trim() : [...before, ...lines].join("\n")
  const edited = file.committed(startLine, endLine).isEdited ? "; edited" : ""
  return { text, lines: `${startLine}-${endLine}`, why: `${whyOf(file, run, query)}${edited}` }
}

function whyOf(file: SourceFile, { startLine, endLine, best }: SnippetRun, query: QueryWords): string {
  const { symbol } = best
  const text = file.between(best.startLine, best.endLine).join("\n")
  if (isBesideMatch(file, text, symbol, query)) return "in a file that matches"
  if (symbol === null) return query.why(text, null)
  const why = query.why(text, qualifiedName({ symbol }), symbol.kind === "section" ? "section" : "defines")
  const isPart = startLine > symbol.startLine || endLine < symbol.endLine
  return isPart ? `${why}; part of ${symbol.startLine}-${symbol.endLine}` : why
}

/** True if the text and the name of its definition contain no word of the query, but another place of the file does. */
function isBesideMatch(file: SourceFile, text: string, symbol: SymbolRow | null, query: QueryWords): boolean {
  if (query.in(text).size > 0 || (symbol !== null && query.in(symbol.name).size > 0)) return false
  return query.has(file.result.text)
}

function cutLine(line: string): string {
  return line.length <= MAX_LINE ? line : `${cutAt(line, MAX_LINE - 1)}${GAP}`
}

/**
 * One line for a file at the place that search found: the signature there, or the line with most of the task's
 * words.
 */
export function lineSnippet(file: SourceFile, query: QueryWords): ContextSnippet | null {
  const { result, named } = file
  const text = oneLine(named?.signature ?? lineWithMost(result.text.split("\n"), query).text, MAX_SIGNATURE)
  if (text === "") return null
  const [start, end] =
    named === null ? [result.start_line, result.end_line] : [named.startLine, named.endLine]
  const name = named === null ? null : qualifiedName({ symbol: named })
  return { text, lines: `${start}-${end}`, why: query.why(result.text, name) }
}

/** The line with most words of the task (the first of equals), and its index from 0. */
export function lineWithMost(
  lines: readonly string[],
  query: QueryWords,
): { readonly text: string; readonly at: number } {
  let best = 0
  let max = 0
  for (const [i, line] of lines.entries()) {
    const words = query.in(line).size
    if (words > max) [best, max] = [i, words]
  }
  return { text: lines[best] ?? "", at: best }
}
