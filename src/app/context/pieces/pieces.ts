/*
 * Cuts a file into pieces for an answer. Definitions that fit are one piece with their comment; longer ones are cut
 * into parts at blank lines or at little indentation, and large types into their members. Lines between definitions
 * are cut in the same way. Every line with a letter or a digit is in one piece.
 */

import type { SymbolRow } from "../../../store/index/symbols.ts"
import { isCallable, isType } from "../../../symbols/definition.ts"

/** Lines of a file that are shown together or not at all; the pieces of a file do not overlap. */
export type Piece = {
  readonly startLine: number
  readonly endLine: number
  /** The innermost function, type or section that the lines belong to; null at the top level of the file. */
  readonly symbol: SymbolRow | null
  /** True when the piece contains the whole of `symbol`; its comment may be included. */
  readonly isWhole: boolean
  /** The symbols around `symbol`, innermost first. */
  readonly around: readonly SymbolRow[]
}

/** Max lines of a definition that is one piece; a longer one is cut into parts. */
const MAX_WHOLE = 60
/** Max lines of a type that is one piece; a longer one is cut into its members. */
const MAX_TYPE = 30
/** Max lines of a part of a definition or of top-level code. */
const MAX_PART = 30

const MIN_PART = 10
const MAX_DOC = 25
/** Lines above a definition that belong to it: comments, annotations and the like. */
const LEADING_LINE =
  /^\s*(?:\/\/|\/\*|\*|#(?!\s*(?:include|define|if|else|endif|pragma))|--|;;|@|\[[A-Z#]|%|"""|''')/

type Node = {
  readonly symbol: SymbolRow
  readonly start: number
  readonly end: number
  readonly inner: Node[]
}

/** Cuts a file at its definitions. Every line with a letter or a digit is in one piece. */
export function piecesOf(lines: readonly string[], symbols: readonly SymbolRow[]): Piece[] {
  const pieces: Piece[] = []
  const cutter = new PieceCutter(lines, pieces)
  cutter.between(1, lines.length, nodesOf(symbols, lines.length), [])
  return pieces
}

class PieceCutter {
  readonly #lines: readonly string[]
  readonly #pieces: Piece[]

  constructor(lines: readonly string[], pieces: Piece[]) {
    this.#lines = lines
    this.#pieces = pieces
  }

  /** Pieces of the definitions and of the lines between them. */
  between(start: number, end: number, nodes: readonly Node[], around: readonly SymbolRow[]): void {
    let at = start
    for (const node of nodes) {
      const first = this.#docStart(node.start, at)
      this.#cut(at, first - 1, around)
      this.#node(node, first, around)
      at = node.end + 1
    }
    this.#cut(at, end, around)
  }

  #node(node: Node, first: number, around: readonly SymbolRow[]): void {
    const { symbol, end, inner } = node
    const size = end - first + 1
    const isContainer = isType(symbol) && inner.length > 0
    if (size <= (isContainer ? MAX_TYPE : MAX_WHOLE)) {
      this.#pieces.push({ startLine: first, endLine: end, symbol, isWhole: true, around })
    } else this.between(first, end, inner, [symbol, ...around])
  }

  /**
   * Cuts lines outside inner definitions into parts that end at a blank line or at a line with little
   * indentation.
   */
  #cut(start: number, end: number, [inner, ...around]: readonly SymbolRow[]): void {
    const symbol = inner ?? null
    let from = start
    while (from <= end) {
      while (from <= end && !HAS_CONTENT.test(this.#lines[from - 1]!)) from++
      if (from > end) return
      const to = end - from < MAX_PART ? end : this.#boundary(from + MIN_PART - 1, from + MAX_PART - 1)
      this.#pieces.push({ startLine: from, endLine: this.#lastIn(from, to), symbol, isWhole: false, around })
      from = to + 1
    }
  }

  /** The best line to end a part: before a blank line, otherwise where the next line is indented least. */
  #boundary(min: number, max: number): number {
    let best = max
    let leastDepth = Number.POSITIVE_INFINITY
    for (let line = max; line >= min; line--) {
      const next = this.#lines[line] ?? ""
      const nextDepth = separationDepth(next)
      if (nextDepth < leastDepth) [best, leastDepth] = [line, nextDepth]
    }
    return best
  }

  #lastIn(from: number, to: number): number {
    let last = to
    while (last > from && this.#lines[last - 1]!.trim() === "") last--
    return last
  }

  /**
   * First line of a definition including the comments and annotations above it; a comment long enough for a
   * piece of its own is not included.
   */
  #docStart(line: number, min: number): number {
    let at = line
    while (at > min && LEADING_LINE.test(this.#lines[at - 2]!)) at--
    return line - at > MAX_DOC ? Math.max(line, min) : at
  }
}

/** How deep a line is inside a block: -1 for a blank line, otherwise its indentation; more for the end of a block. */
function separationDepth(line: string): number {
  if (line.trim() === "") return -1
  const isBlockEnd = /^\s*[)\]}]|^\s*end\b/.test(line)
  return line.length - line.trimStart().length + (isBlockEnd ? 100 : 0)
}

const HAS_CONTENT = /[\p{L}\p{N}]/u

/** Definitions of more than one line, nested as in the file. */
function nodesOf(symbols: readonly SymbolRow[], lines: number): Node[] {
  const multiLine = symbols
    .filter(
      (each) =>
        each.startLine >= 1 &&
        each.endLine <= lines &&
        (staysWhole(each) ? each.endLine >= each.startLine : each.endLine - each.startLine >= 4),
    )
    .sort(
      (one, other) =>
        one.startLine - other.startLine || other.endLine - one.endLine || one.index - other.index,
    )
  const top: Node[] = []
  const open: Node[] = []
  for (const symbol of multiLine) {
    const { startLine: start, endLine: end } = symbol
    while (open.length > 0 && open.at(-1)!.end < start) open.pop()
    const outer = open.at(-1)
    // Skips a symbol that overlaps another one only in part, or that starts and ends on the same lines as the one
    // around it.
    if (outer && (end > outer.end || (start === outer.start && end === outer.end))) continue
    const among = outer?.inner ?? top
    if (among.length > 0 && among.at(-1)!.end >= start) continue
    const node = { symbol, start, end, inner: [] }
    among.push(node)
    open.push(node)
  }
  return top
}

function staysWhole(symbol: SymbolRow): boolean {
  return isCallable(symbol) || isType(symbol) || symbol.kind === "section"
}
