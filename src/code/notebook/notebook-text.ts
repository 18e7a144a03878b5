import { rowAt, textLines } from "../text-lines.ts"
import { jsonStrings } from "./json-strings.ts"

/** Rows are those of the file; inclusive. */
export type Cell = { readonly kind: "code" | "markdown"; readonly startRow: number; readonly endRow: number }

export type Notebook = {
  /**
   * As many rows as the file: where a row holds a line of a cell's source, that line; all others are empty. So what
   * is shown can be read, and has the line numbers of the file.
   */
  readonly text: string
  readonly cells: readonly Cell[]
  /** As its metadata name it: python, R, julia. */
  readonly language: string | null
}

/** Parts the lines of a source that stand on one row, as in a notebook without line breaks of its own. */
export const LINE_MARK = "\u2028"

/** Most of a notebook, and no source of a cell. */
const PASSED: ReadonlySet<string> = new Set(["outputs", "attachments"])

type Source = { kind: string | null; readonly lines: { readonly row: number; readonly line: string }[] }

const LANGUAGE_PATHS: ReadonlySet<string> = new Set([
  "metadata/language_info/name",
  "metadata/kernelspec/language",
])

/** Null where no cell is found: it is no notebook of format 4, the only one written since 2015. */
export function readNotebook(file: string): Notebook | null {
  const lines = textLines(file)
  const sources = new Map<string, Source>()
  let language: string | null = null
  for (const { path, start, end } of jsonStrings(file, PASSED)) {
    if (LANGUAGE_PATHS.has(path.join("/"))) language ??= decoded(file.slice(start, end))
    const [cells, cell = "", key] = path
    if (cells !== "cells" || (key !== "cell_type" && key !== "source")) continue
    const source = sources.get(cell) ?? { kind: null, lines: [] }
    sources.set(cell, source)
    const text = decoded(file.slice(start, end))
    if (key === "cell_type") source.kind = text
    else source.lines.push({ row: rowAt(lines, start), line: text })
  }
  if (sources.size === 0) return null
  const rows = new Array<string>(lines.count).fill("")
  const cells = [...sources.values()].flatMap((source) => placed(source, rows))
  return { text: rows.join("\n") + (file.endsWith("\n") ? "\n" : ""), cells, language }
}

function decoded(literal: string): string {
  try {
    return String(JSON.parse(literal))
  } catch {
    return literal
  }
}

/** Writes the lines of a source to their rows. */
function placed({ kind, lines }: Source, rows: string[]): Cell[] {
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
