/*
 * Cuts a file into pieces for an answer. Definitions that fit are one piece with their comment; longer ones are cut
 * into parts at blank lines or at little indentation, and large types into their members. Lines between definitions
 * are cut in the same way. Every line with a letter or a digit is in one piece. `SourceFile` is a file of an answer
 * with its pieces, `featuresOf` describes a piece for the estimate of its gain.
 */

import { LRUCache } from "lru-cache"
import { bm25, type ResultPlace, type SearchResult } from "../base/index.ts"
import type { Project } from "../index/index.ts"
import { displayText, readableText } from "../parse/index.ts"
import type { FileRow, SymbolRow } from "../store/index.ts"
import { isCallable, isType, qualifiedName, type SymbolGraph } from "../symbols/index.ts"
import { clearTerms, createTermBuffer, readSource, tokenize } from "../text/index.ts"
import type { LinesBefore } from "../tree/index.ts"
import type { TaskTerms } from "./task-terms.ts"

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
    return line - at > 25 ? Math.max(line, min) : at
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

/** A file that search found for the task. Text, symbols and pieces are read on first use. */
export class SourceFile {
  readonly result: SearchResult
  readonly row: FileRow
  readonly project: Project
  readonly graph: SymbolGraph
  /** Finds lines in the last commit; see `readEdits` of the index. */
  committed: (first: number, last: number) => LinesBefore = (...range) => ({ range, isEdited: false })
  #lines: readonly string[] | null = null
  #symbols: readonly SymbolRow[] | null = null
  #cut: CutFile | null = null
  #pieces: readonly WordedPiece[] | null = null

  constructor(
    result: SearchResult,
    row: FileRow,
    at: { readonly project: Project; readonly graph: SymbolGraph },
  ) {
    this.result = result
    this.row = row
    this.project = at.project
    this.graph = at.graph
  }

  get path(): string {
    return this.result.path
  }

  /** The path, and the repository's name if the file belongs to another repository than the project. */
  get head(): { readonly repository?: string; readonly path: string } {
    const { repository, path } = this.result
    return repository === undefined ? { path } : { repository, path }
  }

  /** The definition at the place that search found; null if nothing is defined there. */
  get named(): SymbolRow | null {
    const { symbol, start_line, end_line } = this.result
    const at = this.symbols.filter(({ startLine, endLine }) => startLine <= end_line && endLine >= start_line)
    return at.find((each) => qualifiedName({ symbol: each }) === symbol) ?? null
  }

  get symbols(): readonly SymbolRow[] {
    this.#symbols ??= this.graph.store.symbols.ofFile(this.row.id)
    return this.#symbols
  }

  /** Lines for display; empty if the file changed since it was indexed, as symbols have the line numbers of then. */
  get lines(): readonly string[] {
    this.#lines ??= readLines(this)
    return this.#lines
  }

  get lineCount(): number {
    this.#cut ??= cachedCut(this)
    return this.#cut.lines
  }

  get pieces(): readonly WordedPiece[] {
    this.#cut ??= cachedCut(this)
    this.#pieces ??= piecesIn(this.#cut, this.symbols)
    return this.#pieces
  }

  /** Lines from start to end, 1-based and inclusive. */
  between(start: number, end: number): readonly string[] {
    return this.lines.slice(start - 1, end)
  }
}

function readLines({ row, path, project, graph: { store } }: SourceFile): readonly string[] {
  const source = readSource(project.root, path, project.config.index.maxFileBytes, { indexed: store.texts })
  if ("reason" in source || source.hash !== row.hash) return []
  return displayText(readableText(path, source.text)).split(/\r?\n/)
}

/** Max bytes of the pieces of files that are cached: those of some 25 MB of text. */
const MAX_CUT = 8_000_000

/**
 * Pieces by version of the file. A session asks about the same files again and again, and most of the time of an answer
 * goes into cutting them and reading their words. Released together with the index's store.
 */
const newCuts = () => new LRUCache<string, CutFile>({ maxSize: MAX_CUT })

function cachedCut(file: SourceFile): CutFile {
  const cache = file.graph.store.kept(newCuts, newCuts)
  const key = `${file.row.id} ${file.row.hash}`
  const known = cache.get(key)
  if (known !== undefined) return known
  const cut = cutFile(file.lines, file.symbols)
  if (cut.lines > 0) cache.set(key, cut, { size: cut.bytes })
  return cut
}

/** True for functions and types, which the symbol graph can follow. */
export function isFollowed(symbol: SymbolRow | null): symbol is SymbolRow {
  return symbol !== null && (isCallable(symbol) || isType(symbol))
}

/** Data about a file that is known before its pieces are compared. */
export type PieceFile = {
  readonly path: string
  /** Rank among the compared files, from 0. */
  readonly rank: number
  /** The file's odds relative to the best file, 0 to 1. */
  readonly score: number
  readonly isTest: boolean
  /**
   * True if the file is an example, a benchmark, a script, contains declarations without code, or serves old
   * versions.
   */
  readonly isAside: boolean
  /** True for generated or vendored files and build output, which people do not edit in this project. */
  readonly isNotWrittenHere: boolean
  readonly lineCount: number
  readonly pieces: readonly WordedPiece[]
  /** The places that search found in the file, best first. */
  readonly places: readonly Pick<ResultPlace, "start_line" | "end_line">[]
}

/** Features that predict a piece's gain; the weights are in gain.ts. */
export type Features = {
  /** ln(1 + BM25) of the piece over all words of the task. */
  readonly body: number
  /** BM25 of the piece over all words, relative to the best piece of its file, 0 to 1. */
  readonly bodyInFile: number
  /** BM25 of the file's best piece, relative to the best piece of all files, 0 to 1. */
  readonly fileBody: number
  /** Share of the name's words that occur in the task; 0 unless one of them is in the task's title. */
  readonly nameShare: number
  /** ln(1 + idf) of the task's words in the names of the symbols around the piece. */
  readonly around: number
  /** ln(1 + idf) of the task's compound identifiers that occur in the piece. */
  readonly identifiers: number
  /** Share of the title's idf that occurs in the path. */
  readonly path: number
  /** ln(1 + rank) and ln(score + .01) of the file. */
  readonly rank: number
  readonly score: number
  /** 1 if search ranked this place first in the file; the next two fields mean second, and third or later. */
  readonly firstPlace: number
  readonly secondPlace: number
  readonly laterPlace: number
  /** ln of the number of lines of the piece. */
  readonly lines: number
  /** ln of the number of lines of the file. */
  readonly fileLines: number
  /** Share of the piece's lines that are comments. */
  readonly comments: number
  /** Share of the piece's lines that are imports. */
  readonly imports: number
  readonly isTest: number
  readonly isAside: number
  readonly isNotWrittenHere: number
}

// The length of a piece is its characters without indents; the average is a function of 15 lines.
const AVERAGE_LENGTH = 600
const SMALLEST = 1e-6

/** The features of each piece of each file. */
export function featuresOf(files: readonly PieceFile[], task: TaskTerms): Features[][] {
  const scored = files.map((file) => file.pieces.map((piece) => taskScores(piece, task)))
  const bests = scored.map((pieces) => pieces.reduce((max, { body }) => Math.max(max, body), SMALLEST))
  const best = bests.reduce((max, each) => Math.max(max, each), SMALLEST)
  return files.map((file, i) => {
    const ofFile = { ...fileFeatures(file, task), fileBody: bests[i]! / best }
    return file.pieces.map((piece, j) => {
      const { body, identifiers } = scored[i]![j]!
      const lines = piece.endLine - piece.startLine + 1
      return {
        ...ofFile,
        body: Math.log1p(body),
        bodyInFile: body / bests[i]!,
        identifiers: Math.log1p(identifiers),
        lines: Math.log(lines),
        comments: piece.comments / lines,
        imports: piece.imports / lines,
        ...nameFeatures(piece, task),
        ...placeFeatures(file, piece),
        isTest: file.isTest || piece.isTestModule ? 1 : 0,
      }
    })
  })
}

function fileFeatures(file: PieceFile, task: TaskTerms) {
  const inTitle = sumOfIdf(task, task.countedIn(termsOfText(file.path)), ({ inTitle }) => inTitle)
  return {
    path: inTitle / (task.titleIdf + 1),
    rank: Math.log1p(file.rank),
    score: Math.log(file.score + 0.01),
    fileLines: Math.log(file.lineCount + 1),
    isAside: file.isAside ? 1 : 0,
    isNotWrittenHere: file.isNotWrittenHere ? 1 : 0,
  }
}

function nameFeatures({ name, nameWords, owners }: WordedPiece, task: TaskTerms) {
  const around = Math.log1p(sumOfIdf(task, task.countedIn(owners)))
  const terms = name === null ? [] : [...task.countedIn(name).keys()]
  const hasTitle = terms.some((term) => task.terms[term]!.inTitle)
  return { nameShare: hasTitle ? Math.min(1, terms.length / nameWords) : 0, around }
}

function placeFeatures({ places }: PieceFile, { startLine, endLine }: Piece) {
  const at = places.findIndex(({ start_line, end_line }) => start_line <= endLine && end_line >= startLine)
  return { firstPlace: at === 0 ? 1 : 0, secondPlace: at === 1 ? 1 : 0, laterPlace: at > 1 ? 1 : 0 }
}

function sumOfIdf(
  { terms }: TaskTerms,
  counts: ReadonlyMap<number, number>,
  accept: (term: TaskTerms["terms"][number]) => boolean = () => true,
): number {
  let sum = 0
  for (const at of counts.keys()) if (accept(terms[at]!)) sum += terms[at]!.idf
  return sum
}

type TaskScores = {
  /** BM25 over all words of the task, each by its weight. */
  readonly body: number
  /** Sum of idf over the task's compound identifiers in the piece. */
  readonly identifiers: number
}

function taskScores(piece: WordedPiece, task: TaskTerms): TaskScores {
  let [body, identifiers] = [0, 0]
  for (const [term, count] of task.countedIn(piece.body)) {
    const { idf, weight, isCompound } = task.terms[term]!
    body += weight * idf * bm25(count, piece.length / AVERAGE_LENGTH)
    if (isCompound) identifiers += idf
  }
  return { body, identifiers }
}

/** A piece with its terms and other properties that do not depend on the task. */
export type WordedPiece = Piece & {
  readonly body: Terms
  /** The terms of the name that the piece defines; null if it defines none. */
  readonly name: Terms | null
  /** Number of words of that name, at least 1. */
  readonly nameWords: number
  /** The terms of the names of the symbols around the piece, and of its symbol's owner. */
  readonly owners: Terms
  /** Characters without indents. */
  readonly length: number
  /** Number of lines that are comments; `imports`: number of lines that are imports. */
  readonly comments: number
  readonly imports: number
  /** True inside a test module in the tested file, as is usual in Rust. */
  readonly isTestModule: boolean
}

/** The terms of a text, in order: the range `from` to `to` of a list that several texts share. */
export type Terms = { readonly list: TermList; readonly from: number; readonly to: number }

/** The terms of some texts, in order: positions in the halves of the hashes, each of which is there once. */
export type TermList = {
  readonly hi: Uint32Array
  readonly lo: Uint32Array
  readonly positions: Uint16Array | Uint32Array
}

const IMPORT =
  /^\s*(?:import\b|package\b|from\s+\S+\s+import\b|using\s+[\w.]+;|(?:pub )?use\s+[\w:\\{}, ]+;|(?:const|let|var)\s.*=\s*require\(|#\s*include\b|export \* from)/
const COMMENT = /^\s*(?:\/\/|\/\*|\*|#(?!\s*(?:include|define|if|else|endif|pragma|!\[|\[))|--|;;)/

const buffer = createTermBuffer()

/** The pieces of a file with their words, as arrays, because those of many files are kept. */
type CutFile = {
  /** Number of lines. */
  readonly lines: number
  readonly list: TermList
  /** COLUMNS numbers for each piece. */
  readonly rows: Uint32Array
  /** For each symbol, the position of the one around it, plus 1; 0 if there is none. */
  readonly outer: Uint32Array
  readonly bytes: number
}

const COLUMNS = 14
/** Bytes of the objects and arrays of a file besides the elements. */
const OBJECT_BYTES = 600

function cutFile(lines: readonly string[], symbols: readonly SymbolRow[]): CutFile {
  clearTerms(buffer)
  const positions = new Map(symbols.map((symbol, at) => [symbol, at + 1]))
  const positionOf = (symbol: SymbolRow | null = null) => (symbol === null ? 0 : positions.get(symbol)!)
  const outer = new Uint32Array(symbols.length)
  const rows = piecesOf(lines, symbols).flatMap(({ startLine, endLine, symbol, isWhole, around }) => {
    const pieceLines = lines.slice(startLine - 1, endLine)
    for (const [at, each] of around.entries()) outer[positionOf(each) - 1] = positionOf(around[at + 1])
    const body = appendTerms(pieceLines)
    const name = appendTerms(symbol === null ? [] : [symbol.name])
    const owners = appendTerms([[...around.map((each) => each.name), symbol?.owner ?? ""].join(" ")])
    const isTest = [symbol, ...around].some((each) => each !== null && /^tests?$/i.test(each.name))
    return [
      ...[startLine, endLine, Number(isWhole), positionOf(symbol), positionOf(around[0])],
      ...[body, name, owners, buffer.count, symbol === null ? 1 : wordCount(symbol.name)],
      ...[...shapeOf(pieceLines), Number(isTest)],
    ]
  })
  const list = listedTerms()
  const numbers = 2 * list.hi.length + list.positions.length / 2 + rows.length + outer.length
  return { lines: lines.length, list, rows: Uint32Array.from(rows), outer, bytes: OBJECT_BYTES + 4 * numbers }
}

/** The pieces of a file that was cut with the same symbols. */
function piecesIn({ list, rows, outer }: CutFile, symbols: readonly SymbolRow[]): WordedPiece[] {
  return Array.from({ length: rows.length / COLUMNS }, (_, row) => {
    let at = row * COLUMNS
    const [startLine, endLine, isWhole] = [rows[at++]!, rows[at++]!, rows[at++] === 1]
    const symbol = symbols[rows[at++]! - 1] ?? null
    const around: SymbolRow[] = []
    for (let each = rows[at++]!; each > 0; each = outer[each - 1]!) around.push(symbols[each - 1]!)
    const [body, ofName, ofOwners, end] = [rows[at++]!, rows[at++]!, rows[at++]!, rows[at++]!]
    return {
      ...{ startLine, endLine, isWhole, symbol, around },
      body: { list, from: body, to: ofName },
      name: symbol === null ? null : { list, from: ofName, to: ofOwners },
      owners: { list, from: ofOwners, to: end },
      nameWords: rows[at++]!,
      length: rows[at++]!,
      comments: rows[at++]!,
      imports: rows[at++]!,
      isTestModule: rows[at] === 1,
    }
  })
}

/** The terms of one text. */
export function termsOfText(text: string): Terms {
  clearTerms(buffer)
  appendTerms([text])
  return { list: listedTerms(), from: 0, to: buffer.count }
}

/**
 * Appends the terms of some lines to the buffer, and returns the position of the first. Lines are read one by one, so
 * that the last word of a line forms no compound with the first of the next.
 */
function appendTerms(lines: readonly string[]): number {
  const from = buffer.count
  for (const line of lines) tokenize(line, 0, line.length, buffer)
  return from
}

/** The terms in the buffer. */
function listedTerms(): TermList {
  const known = new Map<number, number>()
  const hi: number[] = []
  const lo: number[] = []
  const positions = new Uint32Array(buffer.count)
  for (let at = 0; at < buffer.count; at++) {
    // 53 of its 64 bits tell a term from all others.
    const key = buffer.hi[at]! * 2 ** 21 + (buffer.lo[at]! >>> 11)
    let position = known.get(key)
    if (position === undefined) {
      position = lo.length
      known.set(key, position)
      hi.push(buffer.hi[at]!)
      lo.push(buffer.lo[at]!)
    }
    positions[at] = position
  }
  const isSmall = lo.length <= 0xffff
  return {
    ...{ hi: Uint32Array.from(hi), lo: Uint32Array.from(lo) },
    positions: isSmall ? Uint16Array.from(positions) : positions,
  }
}

function shapeOf(lines: readonly string[]) {
  let [length, imports, comments] = [0, 0, 0]
  for (const line of lines) {
    length += line.trim().length
    if (IMPORT.test(line)) imports++
    if (COMMENT.test(line)) comments++
  }
  return [length, comments, imports]
}

function wordCount(name: string): number {
  return Math.max(1, name.match(/[A-Z]+(?![a-z])|[A-Z]?[a-z]+|\d+/g)?.length ?? 1)
}
