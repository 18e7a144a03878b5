/*
 * The MCP tool `search`. It has three modes: ranked search of one or several queries (`searchRanked`), exact text and
 * regular expressions (`grepAll`), and the explanation why a file is not found (`explainAbsence`). Answers are cut to
 * the token budget.
 */

import { z } from "zod"
import { searchAll } from "../../../ask/index.ts"
import {
  AmanError,
  coverageText,
  type Explanation,
  type IndexCoverage,
  plural,
  type SearchAnswer,
  type SearchResult,
} from "../../../base/index.ts"
import { type GrepAnswer, type GrepResult, grepCaller, loadWhyNot } from "../../../search/index.ts"
import { cutAt, DATA_NOTICE, fenced, inline } from "../../../text/index.ts"
import { SEARCH, searchRequest, textSearch } from "../../verbs/code.ts"
import type { ArgumentsOf } from "../../verbs/fields.ts"
import type { ToolCallExtra } from "../session/call-progress.ts"
import description from "./search.md" with { type: "text" }
import type { ToolBox, ToolSession } from "./tool-box.ts"
import { INDEX_SHARE, READS_ONLY, toolResult } from "./tool-result.ts"

const DEFAULT_TOKENS = 1500
/** Default token budget of the passages of a page. Later pages have a line of each file: their passages rarely answer. */
export const pageTokens = (offset = 0): number => (offset > 0 ? 0 : DEFAULT_TOKENS)
/** Default token budget of a result, if a smaller number of results is asked for than fills DEFAULT_TOKENS. */
const TOKENS_OF_RESULT = 400
/**
 * Default token budget of several queries, of exact and regex searches, and of the texts in structured results.
 */
const MANY_TOKENS = 6000
// Maximum files shown by exact and regex searches. It is higher than for other searches, because matching lines take
// less room than chunks.
const DEFAULT_TEXT_FILES = 30

const PLACE = { start_line: z.number(), end_line: z.number(), symbol: z.string().nullable() }

const ANSWER = z.looseObject({
  query: z.string(),
  class: z.string().describe("How the query was classified"),
  results: z.array(
    z.looseObject({
      ...PLACE,
      repository: z.string().optional().describe("The other repository; pass it to read"),
      path: z.string().describe("Relative to the root of the project or repository"),
      language: z.string(),
      kind: z.string(),
      score: z.number(),
      text: z.string().describe("The lines from start_line on"),
      cut: z.boolean().describe("Whether text ends before end_line; read has the rest"),
      passages: z
        .array(z.looseObject({ start_line: z.number(), end_line: z.number() }))
        .optional()
        .describe("The lines that most likely answer"),
      also: z.array(z.looseObject(PLACE)).describe("Further places in the same file"),
      variants: z.array(z.string()).optional().describe("Variants for other platforms or languages"),
      shown_for: z.string().optional().describe("The query of this call that shows these lines"),
    }),
  ),
  offset: z.number(),
  next_offset: z.number().nullable().describe("Offset of the next page; null on the last"),
  partial: INDEX_SHARE,
  complete: z
    .boolean()
    .optional()
    .describe("With mode exact or regex: false if it ran out of time; a notice says at which file"),
  took_ms: z.number(),
  notices: z.array(z.string()),
  nearest_only: z
    .boolean()
    .optional()
    .describe("True if no word of the query occurs and results are only the nearest by meaning"),
  repositories: z
    .array(z.looseObject({ repository: z.string(), commit: z.string().nullable(), stale: z.boolean() }))
    .optional()
    .describe("The other repositories that were searched"),
})

// The output must be one object: the answer, or a list of answers for several queries.
const OUTPUT = ANSWER.partial().extend({
  answers: z.array(ANSWER).optional().describe("In the order of queries"),
})

export function registerSearch(tools: ToolBox, session: ToolSession): void {
  const config = {
    title: "Search the project",
    description,
    usual: ["query", "names", "path", "content", "mode", "limit", "offset"] as const,
    fields: SEARCH,
    outputSchema: OUTPUT,
    annotations: READS_ONLY,
    hasView: true,
    isShownAtOnce: true,
  }
  tools.register("search", config, (asked, call) =>
    toolResult(async () => {
      const { mode } = asked
      if (asked.why_not) return await explainAbsence(session, asked, call)
      const answers =
        mode === "exact" || mode === "regex"
          ? await grepAll(session, { ...asked, mode }, call)
          : await searchRanked(session, asked, call)
      if (asked.queries === undefined) return { text: answers.texts[0]!, structured: answers.structured[0]! }
      return { text: titled(everyQuery(asked), answers.texts), structured: { answers: answers.structured } }
    }),
  )
}

type SearchArguments = ArgumentsOf<typeof SEARCH>
type RenderedSearches = { readonly texts: readonly string[]; readonly structured: readonly object[] }

async function searchRanked(
  session: ToolSession,
  asked: SearchArguments,
  call: ToolCallExtra,
): Promise<RenderedSearches> {
  const { max_tokens, repository, wait } = asked
  const base = searchRequest(asked)
  if (wait && repository === undefined)
    await session.withProject((project) => project.untilIndexed(call.signal), call)
  const all = everyQuery(asked)
  const tokensEach = Math.min(pageTokens(asked.offset), (asked.limit ?? DEFAULT_TOKENS) * TOKENS_OF_RESULT)
  const budget = max_tokens ?? Math.min(all.length * tokensEach, MANY_TOKENS)
  // Passages are chosen by the words of the query, so without words there are none. With an explanation there
  // are none either, because it is about the chunk that was ranked.
  const hasPassages = !asked.explain && all.every((query) => query !== "" || asked.names.length > 0)
  const passageTokens = hasPassages ? Math.floor(budget / all.length) : undefined
  const requests = all.map((query) => ({ ...base, query, passageTokens }))
  const source = session.source(repository, call)
  const structured = await searchAll(source, requests, max_tokens ?? MANY_TOKENS, call.signal)
  return { texts: structured.map(searchText), structured: structured.map(withPlaces) }
}

/** The structured answer, whose passages are only places: their lines are for models, programs get each result's text. */
function withPlaces(answer: SearchAnswer): object {
  const results = answer.results.map(({ passages, ...result }) => ({
    ...result,
    ...(passages && { passages: passages.map(({ start_line, end_line }) => ({ start_line, end_line })) }),
  }))
  return { ...answer, results }
}

async function explainAbsence(
  session: ToolSession,
  asked: SearchArguments,
  call: ToolCallExtra,
): Promise<{ readonly text: string; readonly structured: object }> {
  const { repository, mode, why_not } = asked
  const [query, ...others] = everyQuery(asked)
  if (repository !== undefined || others.length > 0 || mode === "exact" || mode === "regex")
    throw new AmanError("USAGE", "why_not explains one query in this project, by words and meaning", {
      hint: "leave out repository, mode and all queries but one",
    })
  const request = { ...searchRequest(asked), query: query! }
  const structured = await session.withProject(
    (project) => project.whyNot(request, why_not!, call.signal),
    call,
  )
  const { whyNotLines } = await loadWhyNot()
  return {
    text: whyNotLines(structured)
      .map((line) => inline(line))
      .join("\n"),
    structured,
  }
}

async function grepAll(
  session: ToolSession,
  asked: SearchArguments & { readonly mode: "exact" | "regex" },
  call: ToolCallExtra,
): Promise<RenderedSearches> {
  const queries = everyQuery({ ...asked, like: undefined, names: [] })
  const question = {
    ...{ mode: asked.mode, ...textSearch(asked) },
    limit: asked.limit ?? DEFAULT_TEXT_FILES,
    offset: asked.offset ?? 0,
    tokens: Math.floor((asked.max_tokens ?? MANY_TOKENS) / queries.length),
  }
  const ignoredNotices = ignoredFields(asked)
  const caller = grepCaller(session, call.signal)
  const source = session.source(asked.repository, call)
  const structured: GrepAnswer[] = []
  for (const query of queries) {
    const answer = await source.grep({ ...question, query }, { caller, signal: call.signal })
    structured.push({ ...answer, notices: [...answer.notices, ...ignoredNotices] })
  }
  return { texts: structured.map(grepText), structured }
}

/** A notice that names the given fields which have no effect in a search for exact text; empty if there are none. */
function ignoredFields({ names: guessed, kind, content, like, explain, mode }: SearchArguments): string[] {
  const given = {
    ...{ names: guessed.length > 0, kind: kind.length > 0, content: content !== "all" },
    ...{ like: like !== undefined, explain },
  }
  const names = Object.entries(given).flatMap(([name, isGiven]) => (isGiven ? [name] : []))
  return names.length === 0 ? [] : [`${names.join(", ")} had no effect: mode ${mode} searches text only`]
}

type Queries = Pick<SearchArguments, "query" | "queries" | "like" | "names">

function everyQuery({ query, queries, like, names }: Queries): string[] {
  const all = [...(query === undefined ? [] : [query]), ...(queries ?? [])].filter(
    (each) => each.trim() !== "",
  )
  if (all.length > 0) return all
  if (like !== undefined || names.length > 0) return [""]
  throw new AmanError("USAGE", "no search query given", { hint: "give query, queries, names or like" })
}

/** Formats all matches for a model: counts, places, lines, and how to get the rest. */
function grepText(answer: GrepAnswer): string {
  const { results, matches, files, searched, next_offset, notices } = answer
  const parts = [
    files === 0
      ? `No line matches in ${plural(searched, "file")}. Matching is case-sensitive unless ignore_case is true; mode "hybrid" finds by meaning.`
      : `${plural(matches, "line")} in ${plural(files, "file")}, definitions and code first. ${DATA_NOTICE}`,
    ...results.map(grepResultText),
  ]
  const rest = `the same call with "offset": ${next_offset}, or a narrower path.`
  if (next_offset !== null) parts.push(`${plural(files - next_offset, "more file")}: ${rest}`)
  return [...parts, ...notices.map((notice) => `Note: ${notice}`)].join("\n\n")
}

function grepResultText({ repository, path, matches, text, language, cut, next_line }: GrepResult): string {
  const where = repository === undefined ? "" : `${inline(repository)} `
  const shown = `${where}${inline(path)} (${plural(matches, "line")})\n${fenced(text, language)}`
  if (!cut) return shown
  const place = { ...(repository === undefined ? {} : { repository }), path }
  const rest = next_line === null ? place : { ...place, start_line: next_line }
  return `${shown}\n… more: read ${JSON.stringify(rest)}, or this call with the path alone`
}

/** Joins several answers, each under its query. */
export function titled(queries: readonly string[], texts: readonly string[]): string {
  return texts.map((text, at) => `## ${oneLine(queries[at]!)}\n\n${text}`).join("\n\n")
}

/** Formats the answer for a model: place, kind, lines, and how to get more. */
export function searchText(answer: SearchAnswer): string {
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
  const more = hasPassages ? "; `read` shows more of a file" : ""
  return `${plural(count, "file")}, best first${more}. ${DATA_NOTICE}`
}

function nothingFoundText(partial: IndexCoverage | null): string {
  if (partial !== null) return "Nothing found in what is indexed so far."
  return "Nothing found. Try other words, fewer filters, or one distinctive identifier."
}

function shareText(partial: IndexCoverage, what: string): string {
  return `The index is ${coverageText(partial, what)}${partial.is_stopped ? "." : "; try again shortly for complete results."}`
}

function oneLine(query: string): string {
  const line = query.replace(/[\p{C}\s]+/gu, " ").trim()
  return line.length > 200 ? `${line.slice(0, 200)}…` : line
}

function resultText(result: SearchResult, rank: number): string {
  const { repository, path, start_line, end_line, symbol, kind, language, text } = result
  const { cut, also, variants, shown_for, explanation } = result
  const where = repository === undefined ? "" : `${inline(repository)} `
  const place = { ...(repository === undefined ? {} : { repository }), path }
  const heading = `${rank}. ${where}${inline(path)}:${start_line}-${end_line}${symbol ? ` ${inline(symbol)}` : ""} (${kind})`
  if (result.passages !== undefined)
    return [resultHeading(where, result, rank), ...passageLines(result)].join("\n")
  if (shown_for !== undefined) return `${heading}, shown for: ${oneLine(shown_for)}`
  const lines = [heading, fenced(text, language)]
  const next = start_line + text.split("\n").length - 1
  if (cut)
    lines.push(
      `… to line ${end_line}: read {${fieldsOf(place)}, "start_line": ${next}, "end_line": ${end_line}}`,
    )
  const further = also.map((each) =>
    `${each.start_line}-${each.end_line} ${inline(each.symbol ?? "")}`.trim(),
  )
  if (further.length > 0) lines.push(`also: ${further.join(", ")}`)
  if (variants) lines.push(`variants: ${variants.map(inline).join(", ")}`)
  if (explanation) lines.push(explanationText(explanation))
  return lines.join("\n")
}

/**
 * Path and lines of the first passage, in a form that a client can open. If the passage has one line, the line itself
 * follows.
 */
function resultHeading(where: string, result: SearchResult, rank: number): string {
  const { path, passages: [first] = [], symbol } = result
  const name = symbol === null ? "" : ` ${inline(symbol)}`
  if (first === undefined) return `${rank}. ${where}${inline(path)}${name}`
  const place = `${rank}. ${where}${inline(path)}:${first.start_line}`
  return first.text.includes("\n") ? `${place}-${first.end_line}` : `${place} ${inline(first.text.trim())}`
}

function passageLines({ passages = [], language, variants }: SearchResult): string[] {
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
function nearestText({ results, notices }: SearchAnswer): string {
  const names = results
    .slice(0, 3)
    .map(({ path, start_line }) => `- ${cutAt(inline(path), 80)}:${start_line}`)
  return [...notices.map((notice) => `Note: ${notice}`), ...names].join("\n")
}

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
