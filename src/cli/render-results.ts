import type { Place, SearchAnswer, SearchResult } from "../app/answers.ts"
import { parseOperators } from "../search/operators.ts"
import { excerpt, queryWords } from "./excerpt.ts"
import { highlight } from "./highlight.ts"
import { duration } from "./numbers.ts"
import type { Colors, Output } from "./output.ts"
import { printable, printableLine } from "./printable.ts"
import { explanationTable } from "./render-explanation.ts"

const MOST_LINES = 12
// After a line number the stops of a terminal would set the code apart unevenly.
const TAB = "    "

/** Results for reading at a glance: place and symbol, then the lines that matter. */
export async function renderResults(answer: SearchAnswer, output: Output): Promise<string> {
  const { colors: c } = output
  if (answer.results.length === 0) return output.isTerminal ? `${c.dim("Nothing found.")}\n` : ""
  const words = queryWords(parseOperators(answer.query).text)
  const blocks = await Promise.all(answer.results.map((result) => block(result, words, output)))
  if (output.isTerminal) {
    const many = answer.results.length === 1 ? "1 file" : `${answer.results.length} files`
    const more = answer.next_offset === null ? "" : `; more: --offset ${answer.next_offset}`
    blocks.push(c.dim(`${many}, ${answer.class} query, ${duration(answer.took_ms)}${more}\n`))
  }
  return blocks.join("\n")
}

async function block(result: SearchResult, words: readonly string[], output: Output): Promise<string> {
  const { colors: c } = output
  if (result.shown_for !== undefined) {
    return `${heading(result, c)} ${c.dim(`shown for ${printableLine(result.shown_for)}`)}\n`
  }
  const text = printable(result.text)
  const safe = { ...result, text: output.isTerminal ? text.replaceAll("\t", TAB) : text }
  const lines = [heading(safe, c), ...(await code(safe, words, output))]
  if (safe.cut) lines.push(c.dim(`cut to the token budget; aman read shows lines to ${safe.end_line}`))
  if (safe.also.length > 0)
    lines.push(`${c.dim("also")} ${safe.also.map((place) => shortPlace(place, c)).join(c.dim(", "))}`)
  if (safe.variants)
    lines.push(`${c.dim("in other forms")} ${safe.variants.map(printableLine).join(c.dim(", "))}`)
  if (safe.explanation) lines.push(explanationTable(safe.score, safe.explanation, c))
  return `${lines.join("\n")}\n`
}

function heading(result: SearchResult, c: Colors): string {
  const { repository, path, start_line, end_line, symbol, kind } = result
  const where = repository === undefined ? "" : `${c.cyan(printableLine(repository))} `
  const place = `${where}${c.magenta(printableLine(path))}${c.dim(":")}${c.green(`${start_line}-${end_line}`)}`
  return symbol
    ? `${place}  ${c.bold(printableLine(symbol))} ${c.dim(`(${kind})`)}`
    : `${place}  ${c.dim(`(${kind})`)}`
}

async function code(result: SearchResult, words: readonly string[], output: Output): Promise<string[]> {
  const { colors: c } = output
  const shown = excerpt(result, words, MOST_LINES)
  const coloured = await highlight(result, words, c)
  const width = String(result.end_line).length
  const rows = shown.lines.map(({ number }) => {
    const line = coloured[number - result.start_line] ?? ""
    return `${c.dim(`${String(number).padStart(width)} │`)} ${fitted(line, width + " │ ".length, output)}`
  })
  return [...leftOut(shown.before, "above", width, c), ...rows, ...leftOut(shown.after, "below", width, c)]
}

/** What is piped on stays whole; a terminal would break the line below its number. */
function fitted(line: string, before: number, { isTerminal, columns }: Output): string {
  return isTerminal ? Bun.sliceAnsi(line, 0, Math.max(20, columns - before), "…") : line
}

function leftOut(lines: number, where: string, width: number, c: Colors): string[] {
  if (lines === 0) return []
  return [c.dim(`${" ".repeat(width)} ┆ ${lines} more ${where}`)]
}

function shortPlace({ start_line, end_line, symbol }: Place, c: Colors): string {
  const lines = c.green(`${start_line}-${end_line}`)
  return symbol ? `${lines} ${printableLine(symbol)}` : lines
}
