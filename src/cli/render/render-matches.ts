import type { GrepFile } from "../../app/search/grep-project.ts"
import type { TextLine } from "../../search/patterns/matching-lines.ts"
import type { CommandOutput } from "../output.ts"
import { printable, printableLine } from "./printable.ts"

export type MatchFormat = {
  readonly show: "lines" | "matches" | "files" | "counts"
  /** Show the path: before each line, or on a terminal above all lines of a file. False for a single file. */
  readonly withPath: boolean
  /** On a terminal, show the path once above the lines of a file. */
  readonly isHeaded: boolean
  readonly withLineNumbers: boolean
  /** Separate groups of lines by "--". */
  readonly hasContext: boolean
}

/** Formats the matches of one file as ripgrep does. `isFirst`: no other file was printed before it. */
export function renderMatches(
  { path, count, lines }: Pick<GrepFile, "path" | "count" | "lines">,
  format: MatchFormat,
  isFirst: boolean,
  output: CommandOutput,
): string {
  const { colors: c, isTerminal } = output
  const name = c.magenta(isTerminal ? printableLine(path) : path)
  if (format.show === "files") return `${name}\n`
  if (format.show === "counts") return format.withPath ? `${name}:${count}\n` : `${count}\n`
  const isHeaded = isTerminal && format.withPath && format.isHeaded
  const before = format.withPath && !isHeaded ? name : null
  const rows = groupedRows(lines(), before, format, output)
  if (isHeaded) return `${isFirst ? "" : "\n"}${name}\n${rows}`
  return isFirst || !format.hasContext ? rows : `--\n${rows}`
}

function groupedRows(
  lines: readonly TextLine[],
  name: string | null,
  format: MatchFormat,
  output: CommandOutput,
): string {
  let text = ""
  let last: number | null = null
  for (const line of lines) {
    if (format.hasContext && last !== null && line.line > last + 1) text += "--\n"
    last = line.line
    const mark = line.match ? ":" : "-"
    const place = [
      ...(name === null ? [] : [name]),
      ...(format.withLineNumbers ? [output.colors.green(String(line.line))] : []),
    ]
    const start = place.map((part) => part + mark).join("")
    for (const content of lineContents(line, format, output)) text += `${start}${content}\n`
  }
  return text
}

/**
 * The texts to print for a line: the line itself, or each match if matches are shown. Control characters are replaced
 * only on a terminal.
 */
function lineContents(
  { text, match, spans = [], replacements }: TextLine,
  { show }: MatchFormat,
  { colors: c, isTerminal }: CommandOutput,
): string[] {
  const clean = isTerminal ? printable : (part: string) => part
  const shown = spans.map(([start, end], at) =>
    c.bold(c.red(clean(replacements?.[at] ?? text.slice(start, end)))),
  )
  if (show === "matches" && match) return shown
  let written = ""
  let at = 0
  for (const [index, [start, end]] of spans.entries()) {
    written += clean(text.slice(at, start)) + shown[index]
    at = end
  }
  return [written + clean(text.slice(at))]
}
