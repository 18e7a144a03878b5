import { coverageText, type Explanation, type IndexCoverage } from "../../app/answers.ts"
import type { CutAnswer, CutResult } from "../../app/search/token-budget.ts"
import { cutAt, DATA_NOTICE, fenced, inline } from "../../text/fence.ts"

/** Joins several answers, each under its query. */
export function titled(queries: readonly string[], texts: readonly string[]): string {
  return texts.map((text, at) => `## ${oneLine(queries[at]!)}\n\n${text}`).join("\n\n")
}

/** Formats the answer for a model: place, kind, lines, and how to get more. */
export function searchText(answer: CutAnswer): string {
  const { results, partial, notices, offset, next_offset } = answer
  if (answer.nearest_only === true && results.length > 0) return nearestText(answer)
  const hasPassages = results.some(({ passages }) => passages !== undefined)
  const head = results.length === 0 ? nothingFoundText(partial) : foundText(results.length, hasPassages)
  const parts = [head, ...results.map((result, index) => resultText(result, offset + index + 1))]
  if (!hasPassages && results.some(({ cut }) => cut))
    parts.push("Cut to the token budget: `read` the path and lines given for the rest.")
  if (next_offset !== null) parts.push(`There is more: the same call with "offset": ${next_offset}.`)
  if (partial) parts.push(shareText(partial, answer.repositories ? "repositories" : "files"))
  return [...parts, ...notices.map((notice) => `Note: ${notice}`)].join("\n\n")
}

function foundText(count: number, hasPassages: boolean): string {
  const files = count === 1 ? "1 file" : `${count} files`
  const more = hasPassages ? "; `read` shows more of a file" : ""
  return `${files}, best first${more}. ${DATA_NOTICE}`
}

function nothingFoundText(partial: IndexCoverage | null): string {
  if (partial !== null) return "Nothing found in what is indexed so far."
  return "Nothing found. Try other words, fewer filters, or one distinctive identifier."
}

function shareText(partial: IndexCoverage, what: string): string {
  const next = partial.is_stopped ? "." : "; try again shortly for complete results."
  return `The index is ${coverageText(partial, what)}${next}`
}

function oneLine(query: string): string {
  const line = query.replace(/[\p{C}\s]+/gu, " ").trim()
  return line.length > MAX_TITLE_CHARACTERS ? `${line.slice(0, MAX_TITLE_CHARACTERS)}…` : line
}

const MAX_TITLE_CHARACTERS = 200

function resultText(result: CutResult, rank: number): string {
  const {
    repository,
    path,
    start_line,
    end_line,
    symbol,
    kind,
    language,
    text,
    cut,
    also,
    variants,
    shown_for,
    explanation,
  } = result
  const where = repository === undefined ? "" : `${inline(repository)} `
  const place = { ...(repository === undefined ? {} : { repository }), path }
  const heading = `${rank}. ${where}${inline(path)}:${start_line}-${end_line}${symbol ? ` ${inline(symbol)}` : ""} (${kind})`
  if (result.passages !== undefined)
    return [resultHeading(where, result, rank), ...passageLines(result)].join("\n")
  if (shown_for !== undefined) return `${heading}, shown for: ${oneLine(shown_for)}`
  const lines = [heading, fenced(text, language)]
  if (cut)
    lines.push(
      `… to line ${end_line}: read {${fieldsOf(place)}, "start_line": ${start_line + text.split("\n").length - 1}, "end_line": ${end_line}}`,
    )
  if (also.length > 0) {
    lines.push(
      `also: ${also.map((place) => `${place.start_line}-${place.end_line}${place.symbol ? ` ${inline(place.symbol)}` : ""}`).join(", ")}`,
    )
  }
  if (variants) lines.push(`variants: ${variants.map(inline).join(", ")}`)
  if (explanation) lines.push(explanationText(explanation))
  return lines.join("\n")
}

/**
 * Path and lines of the first passage, in a form that a client can open. If the passage has one line, the line itself
 * follows.
 */
function resultHeading(
  where: string,
  { path, passages: [first] = [], symbol }: CutResult,
  rank: number,
): string {
  const name = symbol === null ? "" : ` ${inline(symbol)}`
  if (first === undefined) return `${rank}. ${where}${inline(path)}${name}`
  const place = `${rank}. ${where}${inline(path)}:${first.start_line}`
  return first.text.includes("\n") ? `${place}-${first.end_line}` : `${place} ${inline(first.text.trim())}`
}

function passageLines({ passages = [], language, variants }: CutResult): string[] {
  const texts = passages.flatMap(({ start_line, end_line, text }, i) => {
    if (!text.includes("\n")) return i === 0 ? [] : [`:${start_line} ${inline(text.trim())}`]
    return [...(i === 0 ? [] : [`:${start_line}-${end_line}`]), fenced(text, language)]
  })
  return variants ? [...texts, `variants: ${variants.map(inline).join(", ")}`] : texts
}

/**
 * The results as a list of places without text. Used for results that share no word with the query: their text would
 * cost more tokens than it is worth.
 */
function nearestText({ results, notices }: CutAnswer): string {
  const names = results
    .slice(0, MAX_NEAREST)
    .map(({ path, start_line }) => `- ${cutAt(inline(path), MAX_NEAREST_PATH)}:${start_line}`)
  return [...notices.map((notice) => `Note: ${notice}`), ...names].join("\n")
}

const MAX_NEAREST = 3
const MAX_NEAREST_PATH = 80

function fieldsOf(place: Readonly<Record<string, string>>): string {
  return Object.entries(place)
    .map(([name, value]) => `"${name}": ${JSON.stringify(value)}`)
    .join(", ")
}

function explanationText({ channels, features, sum }: Explanation): string {
  const found = Object.entries(channels).map(([name, rank]) => `${name} #${rank}`)
  const shares = features.map(({ name, contribution }) => `${name} ${contribution.toFixed(3)}`)
  return `found by ${found.join(", ")}; ${shares.join(" + ")} = ${sum.toFixed(3)}`
}
