import { readableText, shownText } from "../../code/readable-text.ts"
import type { SymbolRow } from "../../store/index/symbols.ts"
import { isCallable, isType, qualifiedName } from "../../symbols/definition.ts"
import type { SymbolGraph } from "../../symbols/symbol-graph.ts"
import { readSource } from "../../text/files/read-source.ts"
import type { Place, SearchResult } from "../answers.ts"
import type { Project } from "../project/open-project.ts"
import type { NumberedLine } from "./excerpts.ts"

/** A place that search found, widened to the definition it is of where that can be shown. */
export type Found = {
  readonly symbol: SymbolRow | null
  /** Owner and all; null where nothing is defined. */
  readonly name: string | null
  readonly startLine: number
  readonly endLine: number
  /** The lines are a part of a definition that is too long to be shown. */
  readonly isPart: boolean
  /** Lines of the definition, or of that part; of the chunk where there is none. */
  readonly body: readonly NumberedLine[]
  /** Those of them that answer best. */
  readonly chunk: readonly NumberedLine[]
  /** The body as one text. */
  readonly text: string
}

/** A place of a file, and how likely it is meant beside the best one; null where search did not tell it from that. */
export type Further = { readonly place: Found; readonly odds: number | null }

/** A file of the answer: its place in the ranking, its lines, what it defines. Read when asked. */
export class FoundFile {
  readonly result: SearchResult
  readonly project: Project
  readonly graph: SymbolGraph
  /** How likely it is among those that are meant, by the odds of the ranking; all together 1. */
  readonly share: number
  /** The same for what is spent on its text: without the floor, and less for what is no source code. */
  readonly depth: number
  readonly #longest: number
  #lines: readonly string[] | null = null
  #symbols: readonly SymbolRow[] | null = null
  #best: Found | null = null

  /** A definition of more characters than `longest` is told by its parts. */
  constructor(
    result: SearchResult,
    at: { readonly project: Project; readonly graph: SymbolGraph },
    { share, depth, longest }: { readonly share: number; readonly depth: number; readonly longest: number },
  ) {
    this.result = result
    this.project = at.project
    this.graph = at.graph
    this.share = share
    this.depth = depth
    this.#longest = longest
  }

  get path(): string {
    return this.result.path
  }

  /** The best place by what search has shown of it: no file is read for that. */
  get glimpse(): Found {
    const { start_line, end_line, text } = this.result
    const symbol = this.#symbolAt(this.result)
    const chunk = text.split("\n").map((line, i) => ({ number: start_line + i, text: line }))
    const name = symbol === null ? null : qualifiedName({ symbol })
    const isPart = symbol !== null && sizeOf(symbol) > MOST_AROUND
    const [startLine, endLine] =
      symbol === null
        ? [start_line, end_line]
        : isPart
          ? [Math.max(start_line, symbol.startLine), Math.min(end_line, symbol.endLine)]
          : [symbol.startLine, symbol.endLine]
    return { symbol, name, startLine, endLine, isPart, body: chunk, chunk, text }
  }

  get best(): Found {
    this.#best ??= this.#widened(this.result)
    return this.#best
  }

  /** Other places than the best: what search has found in this file, and what is defined next to it; none twice. */
  further(): readonly Further[] {
    const others = this.result.also.map((place, i) => ({
      place: this.#widened(place),
      odds: ODDS[i] ?? LEAST,
    }))
    const nextTo = this.#nextTo(this.best).map((place) => ({ place, odds: null }))
    const taken: Found[] = [this.best]
    return [...nextTo, ...others].filter(({ place: { startLine, endLine }, place }) => {
      const isNew = taken.every((known) => startLine > known.endLine || endLine < known.startLine)
      if (isNew) taken.push(place)
      return isNew
    })
  }

  /** What is called or is a type, in the order of the file. */
  definitions(): readonly SymbolRow[] {
    this.#symbols ??= this.#ofIndex()
    return this.#symbols.filter((symbol) => isCallable(symbol) || isType(symbol))
  }

  text(startLine: number, endLine: number): string {
    return this.#between(startLine, endLine)
      .map(({ text }) => text)
      .join("\n")
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
    const whole = this.#between(startLine, endLine)
    const inside = this.#between(Math.max(place.start_line, codeLine), Math.min(place.end_line, endLine))
    const chunk = inside.length === 0 ? this.#between(place.start_line, place.end_line) : inside
    const part = whole.filter(({ number }) => number >= place.start_line && number <= place.end_line)
    const isPart = part.length > 0 && part.length < whole.length && lengthOf(whole) > this.#longest
    const body = isPart ? part : whole
    return {
      symbol,
      name: symbol === null ? null : qualifiedName({ symbol }),
      startLine: isPart ? part[0]!.number : startLine,
      endLine: isPart ? part.at(-1)!.number : endLine,
      isPart,
      body,
      chunk,
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
    if (named && isWhole(named) && !isLong(named, start_line)) return named
    const [first, last] = named ? [named.startLine, named.endLine] : [start_line, end_line]
    const around = overlaps.filter((each) => isWhole(each) && each.startLine <= first && each.endLine >= last)
    const inner = around.reduce<SymbolRow | null>(
      (best, each) => (best === null || sizeOf(each) < sizeOf(best) ? each : best),
      null,
    )
    if (inner !== null && sizeOf(inner) <= MOST_AROUND) return inner
    return named && !isWhole(named) ? named : null
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

/** A type whose beginning is elsewhere says little of a place in it. */
function isLong(symbol: SymbolRow, line: number): boolean {
  return isType(symbol) && sizeOf(symbol) > MOST_AROUND && symbol.startLine < line
}

function sizeOf({ startLine, endLine }: SymbolRow): number {
  return endLine - startLine + 1
}

function lengthOf(lines: readonly NumberedLine[]): number {
  return lines.reduce((sum, { text }) => sum + text.length + 1, 0)
}

// Of the lines that commits have changed in the files that were found, .42 were in the best place, .25 in the second, and
// .06 in each of the next three; with less than this for those fewer of them were shown, and with more, too.
const ODDS: readonly number[] = [0.6, 0.3, 0.2]
const LEAST = 0.15
// A larger type is told by its part.
const MOST_AROUND = 200
const MOST_NEXT_TO = 6
const MOST_DOC_LINES = 25
const BEFORE = /^\s*(?:\/\/|\/\*|\*|#(?!\s*(?:include|define|if|else|endif|pragma))|--|;;|@|\[[A-Z#]|%)/
