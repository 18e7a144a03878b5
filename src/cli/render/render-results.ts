/*
 * Prints search results for people. A brief result shows the lines that match most of the query; otherwise the whole
 * text with syntax colours. The second half chooses the excerpt and highlights code and query words.
 */

import type { ShjToken } from "@speed-highlight/core/tokenize"
import type { Explanation, ResultPlace, SearchAnswer, SearchResult } from "../../app/answers.ts"
import { withoutSyntax } from "../../search/query/grep-pattern.ts"
import { parseOperators } from "../../search/query/operators.ts"
import { withNames } from "../../search/query/with-names.ts"
import type { Colors, CommandOutput } from "../output.ts"
import { duration } from "./numbers.ts"
import { printable, printableLine } from "./printable.ts"

/**
 * Max lines of each result in a brief answer, so that five results fit on a screen. Up to three of them are the first lines of
 * other definitions in the file.
 */
const BRIEF_LINES = 6
/** Max characters of a line in a brief answer that is not on a terminal. */
const BRIEF_CHARACTERS = 300
// A tab is shown as spaces, because after a line number the tab stops of a terminal would indent unevenly.
const TAB = "    "

/**
 * Formats results for people: place and symbol, then the lines that match. If not brief, all lines of each
 * result and the further places in its file.
 */
export async function renderResults(
  answer: SearchAnswer,
  output: CommandOutput,
  isBrief: boolean,
): Promise<string> {
  const { colors: c } = output
  if (answer.results.length === 0) return output.isTerminal ? `${c.dim("Nothing found.")}\n` : ""
  const words = queryWords(withNames(withoutSyntax(parseOperators(answer.query).text), answer.names))
  const blocks = await Promise.all(
    answer.results.map((result) => resultBlock(result, words, { output, isBrief })),
  )
  if (output.isTerminal) {
    const many = answer.results.length === 1 ? "1 file" : `${answer.results.length} files`
    const next = nextPageHint(answer, isBrief)
    blocks.push(c.dim(`${many}, ${answer.class} query, ${duration(answer.took_ms)}${next}\n`))
  }
  return blocks.join("\n")
}

/** How to get further results; "" after the last page. */
function nextPageHint({ next_offset }: SearchAnswer, isBrief: boolean): string {
  if (next_offset === null) return ""
  return isBrief ? "; more: -n 10, --full" : `; more: --offset ${next_offset}`
}

type RenderOptions = { readonly output: CommandOutput; readonly isBrief: boolean }

async function resultBlock(
  result: SearchResult,
  words: readonly string[],
  view: RenderOptions,
): Promise<string> {
  const { output, isBrief } = view
  const { colors: c } = output
  if (result.shown_for !== undefined) {
    return `${heading(result, c, { isBrief, firstLine: result.start_line })} ${c.dim(`shown for ${printableLine(result.shown_for)}`)}\n`
  }
  const text = printable(result.text)
  const safe = { ...result, text: output.isTerminal ? text.replaceAll("\t", TAB) : text }
  const further = isBrief ? (result.passages ?? []) : []
  const shown = excerpt(safe, words, isBrief ? BRIEF_LINES - further.length : Number.POSITIVE_INFINITY)
  const firstLine = shown[0]?.number ?? safe.start_line
  const lines = [heading(safe, c, { isBrief, firstLine }), ...(await code(safe, shown, words, view))]
  for (const { text: line, start_line: number } of further) {
    const place = { ...safe, text: printable(line), start_line: number }
    lines.push(...(await code(place, [{ number, text: line }], words, view)))
  }
  if (safe.cut) lines.push(c.dim(`cut to the token budget; use aman read for lines up to ${safe.end_line}`))
  if (safe.also.length > 0 && !isBrief)
    lines.push(`${c.dim("also")} ${safe.also.map((place) => shortPlace(place, c)).join(c.dim(", "))}`)
  if (safe.variants) lines.push(`${c.dim("variants")} ${safe.variants.map(printableLine).join(c.dim(", "))}`)
  if (safe.explanation) lines.push(explanationTable(safe.score, safe.explanation, c))
  return `${lines.join("\n")}\n`
}

/**
 * Heading of a result: its place and symbol. A brief answer names a single line, so that a terminal can open it: the
 * line of the definition, otherwise the first line shown.
 */
function heading(
  result: SearchResult,
  c: Colors,
  { isBrief, firstLine }: { readonly isBrief: boolean; readonly firstLine: number },
): string {
  const { repository, path, start_line, end_line, symbol, kind } = result
  const where = repository === undefined ? "" : `${c.cyan(printableLine(repository))} `
  const lines = isBrief ? `${result.line ?? firstLine}` : `${start_line}-${end_line}`
  const place = `${where}${c.magenta(printableLine(path))}${c.dim(":")}${c.green(lines)}`
  return symbol
    ? `${place}  ${c.bold(printableLine(symbol))} ${c.dim(`(${kind})`)}`
    : `${place}  ${c.dim(`(${kind})`)}`
}

async function code(
  result: SearchResult,
  shown: readonly NumberedLine[],
  words: readonly string[],
  { output, isBrief }: RenderOptions,
): Promise<string[]> {
  const { colors: c } = output
  const coloured = await highlight(result, words, c)
  const width = String(result.end_line).length
  return shown.map(({ number }) => {
    const line = coloured[number - result.start_line] ?? ""
    return `${c.dim(`${String(number).padStart(width)} │`)} ${fitLine(line, width + " │ ".length, output, isBrief)}`
  })
}

/**
 * Cuts a line to the terminal's width, because the rest would wrap to the column of line numbers. Piped output is whole,
 * but for the lines of a brief answer.
 */
function fitLine(
  line: string,
  before: number,
  { isTerminal, columns }: CommandOutput,
  isBrief: boolean,
): string {
  if (!isTerminal && !isBrief) return line
  return Bun.sliceAnsi(line, 0, isTerminal ? Math.max(20, columns - before) : BRIEF_CHARACTERS, "…")
}

function shortPlace({ start_line, end_line, symbol }: ResultPlace, c: Colors): string {
  const lines = c.green(`${start_line}-${end_line}`)
  return symbol ? `${lines} ${printableLine(symbol)}` : lines
}

const DIGITS = 3

/** Table of ranks per channel and of every feature's contribution to the score. */
export function explanationTable(score: number, { channels, features, sum }: Explanation, c: Colors): string {
  const channelRanks = Object.entries(channels).map(([name, rank]) => `${name} #${rank}`)
  const cells = features.map(({ name, value, weight, contribution }) => [
    printableLine(name),
    value.toFixed(DIGITS),
    weight.toFixed(DIGITS),
    signedNumber(contribution),
  ])
  const rows = [["feature", "value", "weight", "share"], ...cells]
  const widths = [0, 1, 2, 3].map((column) => Math.max(...rows.map((row) => row[column]!.length)))
  const lines = rows.map(
    (row) => `  ${row.map((cell, column) => pad(cell, widths[column]!, column)).join("  ")}`,
  )
  const total = widths.reduce((all, width) => all + width, 3 * 2)
  return [
    `  ${c.dim("found by")} ${channelRanks.join(", ") || "no channel"}`,
    c.dim(lines[0]!),
    ...lines.slice(1),
    `  ${c.bold(`sum ${signedNumber(sum).padStart(total - 4)}`)}  ${c.dim(`score ${score.toFixed(DIGITS)}`)}`,
  ].join("\n")
}

function pad(cell: string, width: number, column: number): string {
  return column === 0 ? cell.padEnd(width) : cell.padStart(width)
}

function signedNumber(value: number): string {
  return `${value < 0 ? "-" : "+"}${Math.abs(value).toFixed(DIGITS)}`
}

type NumberedLine = { readonly number: number; readonly text: string }

// Value of an excerpt that contains the line which defines the symbol, in matching words. It is higher if that line is
// among the first TOP_LINES, because the body of the definition follows.
const SYMBOL_WEIGHT = 1.5
const SYMBOL_ON_TOP_WEIGHT = 2.5
const TOP_LINES = 4

/** The `max` adjoining lines of a result that match most of the query; all if there are no more. */
export function excerpt(
  result: { readonly text: string; readonly start_line: number; readonly symbol: string | null },
  words: readonly string[],
  max: number,
): readonly NumberedLine[] {
  const lines = result.text.split("\n").map((text, index) => ({ number: result.start_line + index, text }))
  while (lines.length > 1 && lines.at(-1)!.text.trim() === "") lines.pop()
  if (lines.length <= max) return lines
  const start = bestStart(lines, words, result.symbol, max)
  return lines.slice(start, start + max)
}

function bestStart(
  lines: readonly NumberedLine[],
  words: readonly string[],
  symbol: string | null,
  max: number,
): number {
  const lower = lines.map(({ text }) => text.toLowerCase())
  const name = symbolPattern(symbol)
  const value = (start: number): number => {
    const window = lower.slice(start, start + max)
    // Counts distinct words, so that one repeated word does not hide the others.
    const matchingWords = words.filter((word) => window.some((line) => line.includes(word))).length
    const at = name ? window.findIndex((line) => name.test(line)) : -1
    const symbolWeight = at < TOP_LINES ? SYMBOL_ON_TOP_WEIGHT : SYMBOL_WEIGHT
    const symbolValue = at < 0 ? 0 : symbolWeight
    return matchingWords + symbolValue - (window[0]!.trim() === "" ? 0.5 : 0)
  }
  let best = 0
  for (let start = 1; start + max <= lines.length; start++) if (value(start) > value(best)) best = start
  return best
}

/** Pattern for the symbol's last name as a whole word: "rank" does not match "ranked". */
function symbolPattern(symbol: string | null): RegExp | null {
  const name = symbol
    ?.split(/[.:#]+/)
    .at(-1)
    ?.match(/[\p{L}\p{N}_$]+/u)?.[0]
    .toLowerCase()
  return name
    ? new RegExp(`(?<![\\p{L}\\p{N}_$])${name.replaceAll("$", "\\$")}(?![\\p{L}\\p{N}_$])`, "u")
    : null
}

/** Words of a query to highlight, in lower case. */
export function queryWords(query: string): string[] {
  const words = query.toLowerCase().match(/[\p{L}\p{N}_$]{2,}/gu) ?? []
  return [...new Set(words)].filter((word) => !COMMON.has(word))
}

const COMMON: ReadonlySet<string> = new Set(
  "an and are as at be by can do does for from get has have how if in into is it its not of on or that the their then there this to use used was what when where which who why will with".split(
    " ",
  ),
)

type CodeExcerpt = { readonly text: string; readonly language: string; readonly symbol: string | null }
type Style = (text: string) => string

/** The lines of a result, with syntax colours, its symbol and the query's words highlighted. */
export async function highlight(result: CodeExcerpt, words: readonly string[], c: Colors): Promise<string[]> {
  if (!c.isColorSupported) return result.text.split("\n")
  const { tokenizeWith } = await import("@speed-highlight/core/tokenize")
  const { highlightGrammar } = await import("./highlight-grammars.ts")
  const grammar = await highlightGrammar(result.language)
  const lines = new HighlightedLines(highlightPattern(result, words), c)
  if (grammar) tokenizeWith(result.text, grammar, (text, token) => lines.add(text, token))
  else lines.add(result.text)
  return lines.all
}

/** Collects coloured lines; a token that spans lines is split, because each line needs its own colours. */
class HighlightedLines {
  readonly all: string[] = [""]
  readonly #pattern: RegExp | null
  readonly #colors: Colors

  constructor(pattern: RegExp | null, colors: Colors) {
    this.#pattern = pattern
    this.#colors = colors
  }

  add(text: string, token?: ShjToken): void {
    const style = styleOf(token, this.#colors)
    text.split("\n").forEach((part, index) => {
      if (index > 0) this.all.push("")
      if (part !== "") this.all[this.all.length - 1] += this.#emphasised(part, style)
    })
  }

  #emphasised(text: string, style: Style): string {
    if (!this.#pattern) return style(text)
    const { bold, underline } = this.#colors
    return style(text.replace(this.#pattern, (word) => bold(underline(word))))
  }
}

function styleOf(token: ShjToken | undefined, c: Colors): Style {
  switch (token) {
    case "kwd":
      return c.magenta
    case "str":
    case "insert":
      return c.green
    case "cmnt":
      return c.gray
    case "num":
    case "bool":
    case "esc":
      return c.yellow
    case "func":
    case "section":
      return c.blue
    case "class":
    case "type":
      return c.cyan
    case "deleted":
    case "err":
      return c.red
    default:
      return (text) => text
  }
}

function highlightPattern({ symbol }: CodeExcerpt, words: readonly string[]): RegExp | null {
  const name = symbol?.split(/[.:#]+/).at(-1)
  // The longest words come first, otherwise "use" would match before "useEffect".
  const all = [...words, ...(name ? [name] : [])].sort((a, b) => b.length - a.length)
  return all.length === 0 ? null : new RegExp(all.map(escapePattern).join("|"), "giu")
}

function escapePattern(word: string): string {
  return word.replace(/[\\^$.*+?()[\]{}|/-]/g, "\\$&")
}
