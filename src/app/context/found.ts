import { readableText, shownText } from "../../code/readable-text.ts"
import { qualifiedName } from "../../graph/definition.ts"
import { isCallable, isType } from "../../graph/kinds.ts"
import type { SymbolGraph } from "../../graph/symbol-graph.ts"
import type { SymbolRow } from "../../store/symbols.ts"
import { readSource } from "../../text/read-source.ts"
import type { Place, SearchResult } from "../answers.ts"
import type { Project } from "../open-project.ts"
import type { NumberedLine } from "./best-lines.ts"

/** A place that search found, widened to the definition it is of. */
export type Found = {
  readonly symbol: SymbolRow | null
  /** Owner and all; null where nothing is defined. */
  readonly name: string | null
  readonly startLine: number
  readonly endLine: number
  /** Lines of the definition; of the chunk where there is none. */
  readonly body: readonly NumberedLine[]
  /** Those of them that answer best. */
  readonly chunk: readonly NumberedLine[]
  /** The body as one text. */
  readonly text: string
}

/** A file of the answer: its place in the ranking, its lines, what it defines. Read when asked. */
export class FoundFile {
  readonly result: SearchResult
  readonly project: Project
  readonly graph: SymbolGraph
  /** How likely it is among those that are meant, by the odds of the ranking; all together 1. */
  readonly share: number
  #lines: readonly string[] | null = null
  #symbols: readonly SymbolRow[] | null = null
  #best: Found | null = null
  #places: readonly Found[] | null = null

  constructor(
    result: SearchResult,
    at: { readonly project: Project; readonly graph: SymbolGraph },
    share: number,
  ) {
    this.result = result
    this.project = at.project
    this.graph = at.graph
    this.share = share
  }

  get path(): string {
    return this.result.path
  }

  /** The best place by what search has shown of it: no file is read for that. */
  get glimpse(): Found {
    const { start_line, end_line, text } = this.result
    const symbol = this.#symbolAt(this.result)
    const chunk = text.split("\n").map((line, i) => ({ number: start_line + i, text: line }))
    const [startLine, endLine] = symbol === null ? [start_line, end_line] : [symbol.startLine, symbol.endLine]
    const name = symbol === null ? null : qualifiedName({ symbol })
    return { symbol, name, startLine, endLine, body: chunk, chunk, text }
  }

  get best(): Found {
    this.#best ??= this.#widened(this.result)
    return this.#best
  }

  /** The best place, what else is defined next to it, then further places in this file; none within another. */
  places(): readonly Found[] {
    if (this.#places !== null) return this.#places
    const found: Found[] = []
    const others = this.result.also.map((place) => this.#widened(place))
    for (const next of [this.best, ...this.#nextTo(this.best), ...others]) {
      const isNew = found.every(
        ({ startLine, endLine }) => next.startLine > endLine || next.endLine < startLine,
      )
      if (isNew) found.push(next)
    }
    this.#places = found
    return found
  }

  /** Of a chunk of several small definitions the others. */
  #nextTo({ symbol: chosen }: Found): Found[] {
    if (chosen === null) return []
    const { start_line, end_line } = this.result
    return (this.#symbols ?? [])
      .filter((each) => isWhole(each) && each.startLine >= start_line && each.endLine <= end_line)
      .map((each) => this.#widened({ start_line, end_line, symbol: qualifiedName({ symbol: each }) }))
      .slice(0, MOST_NEXT_TO)
  }

  #widened(place: Place): Found {
    const symbol = this.#symbolAt(place)
    const codeLine = symbol?.startLine ?? place.start_line
    const startLine = symbol === null ? codeLine : this.#docStart(codeLine)
    const endLine = symbol?.endLine ?? place.end_line
    const chunk = this.#between(Math.max(place.start_line, codeLine), Math.min(place.end_line, endLine))
    const isApart = chunk.length === 0
    const body = this.#between(startLine, endLine)
    return {
      symbol,
      name: symbol === null ? null : qualifiedName({ symbol }),
      startLine,
      endLine,
      body,
      chunk: isApart ? this.#between(place.start_line, place.end_line) : chunk,
      text: body.map(({ text }) => text).join("\n"),
    }
  }

  /** The definition that the place names, or else the one that it is a part of; of a field its type. */
  #symbolAt({ symbol, start_line, end_line }: Place): SymbolRow | null {
    this.#symbols ??= this.#ofIndex()
    const overlaps = this.#symbols.filter(
      ({ startLine, endLine }) => startLine <= end_line && endLine >= start_line,
    )
    const named = overlaps.find((each) => qualifiedName({ symbol: each }) === symbol)
    if (named && isWhole(named)) return named
    const [first, last] = named ? [named.startLine, named.endLine] : [start_line, end_line]
    const around = overlaps.filter((each) => isWhole(each) && each.startLine <= first && each.endLine >= last)
    const inner = around.reduce<SymbolRow | null>(
      (best, each) => (best === null || sizeOf(each) < sizeOf(best) ? each : best),
      null,
    )
    return inner !== null && sizeOf(inner) <= MOST_AROUND ? inner : (named ?? null)
  }

  #ofIndex(): readonly SymbolRow[] {
    const { store } = this.graph
    const row = store.files.byPath(this.path)
    return row === null ? [] : store.symbols.ofFile(row.id)
  }

  /** A comment, and what is said about a definition before it, belong to it; a manual of its own does not. */
  #docStart(line: number): number {
    const lines = this.#all()
    let at = line
    while (at > 1 && BEFORE.test(lines[at - 2] ?? "")) at--
    return line - at > MOST_DOC_LINES ? line : at
  }

  #between(start: number, end: number): NumberedLine[] {
    return this.#all()
      .slice(start - 1, end)
      .map((text, i) => ({ number: start + i, text }))
  }

  #all(): readonly string[] {
    if (this.#lines === null) {
      const { root, config } = this.project
      const source = readSource(root, this.path, config.index.maxFileBytes)
      const text = "reason" in source ? "" : readableText(this.path, source.text)
      this.#lines = shownText(text).split(/\r?\n/)
    }
    return this.#lines
  }
}

/** What is read as a whole; a field, a key or a constant is a line of something else. */
function isWhole(symbol: SymbolRow): boolean {
  return isCallable(symbol) || isType(symbol) || symbol.kind === "section"
}

function sizeOf({ startLine, endLine }: SymbolRow): number {
  return endLine - startLine + 1
}

// A larger type is told by its part.
const MOST_AROUND = 200
const MOST_NEXT_TO = 6
const MOST_DOC_LINES = 25
const BEFORE = /^\s*(?:\/\/|\/\*|\*|#(?!\s*(?:include|define|if|else|endif|pragma))|--|;;|@|\[[A-Z#]|%)/
