import { rowAt, textLines } from "../text-lines.ts"

/** A cell of a notebook. Rows are those of the file, inclusive. */
export type Cell = { readonly kind: "code" | "markdown"; readonly startRow: number; readonly endRow: number }

export type Notebook = {
  /**
   * The sources of the cells, each line on the row that it has in the file, so that line numbers stay the same. All
   * other rows are empty.
   */
  readonly text: string
  readonly cells: readonly Cell[]
  /** The language in the notebook's metadata: python, R, julia; null if there is none. */
  readonly language: string | null
}

/** Separates source lines that are on one row of the file, as in a notebook that is stored without line breaks. */
export const LINE_MARK = "\u2028"

/** Keys whose values are skipped. They make up most of a notebook, and never contain the source of a cell. */
const PASSED: ReadonlySet<string> = new Set(["outputs", "attachments"])

type CellText = { kind: string | null; readonly lines: { readonly row: number; readonly line: string }[] }

const LANGUAGE_PATHS: ReadonlySet<string> = new Set([
  "metadata/language_info/name",
  "metadata/kernelspec/language",
])

/** Reads a notebook of format 4, the only one written since 2015; null if no cell is found. */
export function readNotebook(file: string): Notebook | null {
  const lines = textLines(file)
  const sources = new Map<string, CellText>()
  let language: string | null = null
  for (const { path, start, end } of jsonStrings(file, PASSED)) {
    if (LANGUAGE_PATHS.has(path.join("/"))) language ??= decodeString(file.slice(start, end))
    const [cells, cell = "", key] = path
    if (cells !== "cells" || (key !== "cell_type" && key !== "source")) continue
    const source = sources.get(cell) ?? { kind: null, lines: [] }
    sources.set(cell, source)
    const text = decodeString(file.slice(start, end))
    if (key === "cell_type") source.kind = text
    else source.lines.push({ row: rowAt(lines, start), line: text })
  }
  if (sources.size === 0) return null
  const rows = new Array<string>(lines.count).fill("")
  const cells = [...sources.values()].flatMap((source) => placeLines(source, rows))
  return { text: rows.join("\n") + (file.endsWith("\n") ? "\n" : ""), cells, language }
}

function decodeString(literal: string): string {
  try {
    return String(JSON.parse(literal))
  } catch {
    return literal
  }
}

/** Writes the lines of a cell's source to the rows of the file on which they are. */
function placeLines({ kind, lines }: CellText, rows: string[]): Cell[] {
  const texts = Map.groupBy(lines, ({ row }) => row)
  for (const [row, parts] of texts) {
    const text = parts
      .map(({ line }) => line)
      .join("")
      .replace(/\r?\n$/, "")
    const marked = text.replace(/\r?\n|\r/g, LINE_MARK)
    rows[row] = rows[row] === "" ? marked : `${rows[row]}${LINE_MARK}${marked}`
  }
  const [first, last] = [lines[0], lines.at(-1)]
  if (!first || !last) return []
  return [{ kind: kind === "code" ? "code" : "markdown", startRow: first.row, endRow: last.row }]
}

/** A string value in a JSON text. `end` is the offset after its closing quote. */
type JsonString = { readonly path: JsonPath; readonly start: number; readonly end: number }

/** The keys and list positions that lead to a value, outermost first. */
type JsonPath = readonly string[]

type JsonContainer = { readonly isArray: boolean; key: string; position: number; isAtKey: boolean }

/** Maximum nesting depth of the JSON text; deeper values are skipped. */
const MAX_DEPTH = 6

/**
 * Yields the string values of a JSON text with their offsets, which JSON.parse does not give. Lists and objects below
 * the keys `passed` are skipped. Takes linear time, uses no recursion, and does not check that the text is valid.
 */
function* jsonStrings(text: string, passed: ReadonlySet<string>): Generator<JsonString> {
  const frames: JsonContainer[] = []
  const tokens = /["{}[\],:]/g
  for (let token = tokens.exec(text); token; token = tokens.exec(text)) {
    const start = token.index
    if (token[0] !== '"') {
      if (isPassed(token[0], frames.at(-1), passed)) tokens.lastIndex = valueEnd(text, start)
      else punctuate(token[0], frames)
      continue
    }
    const end = stringEnd(text, start)
    tokens.lastIndex = end
    const frame = frames.at(-1)
    if (frame?.isAtKey) frame.key = text.slice(start + 1, Math.min(end - 1, start + 64))
    else if (frames.length <= MAX_DEPTH) yield { path: frames.map(stepOf), start, end }
  }
}

function punctuate(token: string, frames: JsonContainer[]): void {
  const frame = frames.at(-1)
  if (token === "{" || token === "[") {
    frames.push({ isArray: token === "[", key: "", position: 0, isAtKey: token === "{" })
  } else if (token === "}" || token === "]") {
    frames.pop()
  } else if (frame) {
    frame.isAtKey = token === "," && !frame.isArray
    if (token === ",") frame.position++
  }
}

function stepOf({ isArray, key, position }: JsonContainer): string {
  return isArray ? String(position) : key
}

function isPassed(token: string, frame: JsonContainer | undefined, passed: ReadonlySet<string>): boolean {
  return (token === "{" || token === "[") && frame?.isArray === false && passed.has(frame.key)
}

/** Offset after the list or object that begins at `start`; the end of the text if it is not closed. */
function valueEnd(text: string, start: number): number {
  let depth = 0
  for (let at = start; at < text.length; at++) {
    const code = text.charCodeAt(at)
    if (code === QUOTE) at = stringEnd(text, at) - 1
    else if (code === BRACE || code === BRACKET) depth++
    else if ((code === BRACE + 2 || code === BRACKET + 2) && --depth === 0) return at + 1
  }
  return text.length
}

const [QUOTE, BACKSLASH, BRACE, BRACKET] = [34, 92, 123, 91]

/** Offset after the closing quote; the end of the text if there is none. */
function stringEnd(text: string, start: number): number {
  for (let end = text.indexOf('"', start + 1); end >= 0; end = text.indexOf('"', end + 1)) {
    let before = end
    while (before > start + 1 && text.charCodeAt(before - 1) === BACKSLASH) before--
    if ((end - before) % 2 === 0) return end + 1
  }
  return text.length
}
