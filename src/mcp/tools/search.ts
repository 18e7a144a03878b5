/*
 * The MCP tool `search`. It has three modes: ranked search of one or several queries (`searchAll`), exact text and
 * regular expressions (`grepAll`), and the explanation why a file is not found (`explainAbsence`). Answers are cut to
 * the token budget.
 */

import { z } from "zod"
import type { SearchAnswer, SearchMode } from "../../app/answers.ts"
import type { GrepAnswer, GrepResult } from "../../app/search/grep-answer.ts"
import { grepCaller } from "../../app/search/grep-for-server.ts"
import { type CutAnswer, cutAllToBudget } from "../../app/search/token-budget.ts"
import { withoutRepeats } from "../../app/search/why-empty.ts"
import { AmanError } from "../../base/errors.ts"
import { plural } from "../../base/plural.ts"
import { SYMBOL_KINDS } from "../../code/parsed-file.ts"
import { DATA_NOTICE, fenced, inline } from "../../text/fence.ts"
import { NAMES, nameList } from "../entry-fields.ts"
import { searchText, titled } from "../render/search-text.ts"
import { INDEX_SHARE, READS_ONLY, toolResult } from "../render/tool-result.ts"
import type { ToolCallExtra } from "../session/call-progress.ts"
import description from "./search.md" with { type: "text" }
import type { ToolBox, ToolSession } from "./tool-box.ts"

const MAX_QUERIES = 10
// Max characters of a query. Only the beginning of a long query is used for ranking; the limit keeps models from
// sending whole files.
const MAX_CHARACTERS = 200_000

const DEFAULT_TOKENS = 1500
/** Default token budget of a result, if a smaller number of results is asked for than fills DEFAULT_TOKENS. */
const TOKENS_OF_RESULT = 400
/**
 * Default token budget of several queries, of exact and regex searches, and of the texts in structured results.
 */
const MANY_TOKENS = 6000
// Maximum files shown by exact and regex searches. It is higher than for other searches, because matching lines take
// less room than chunks.
const DEFAULT_TEXT_FILES = 30

const INPUT = {
  query: z
    .string()
    .max(MAX_CHARACTERS)
    .optional()
    .describe("A question in plain words, an identifier or an error message"),
  names: NAMES,
  queries: z
    .array(z.string().max(MAX_CHARACTERS))
    .max(MAX_QUERIES)
    .optional()
    .describe("Several queries instead, each answered separately"),
  like: z
    .string()
    .max(10_000)
    .optional()
    .describe("Find code similar to path:line, e.g. src/app.ts:120; query is then optional"),
  limit: z.number().int().min(1).max(50).optional().describe("At most this many files (default 10)"),
  offset: z.number().int().min(0).max(10_000).optional().describe("next_offset of the previous answer"),
  path: nameList("Only this folder or glob, e.g. src/auth or **/*.test.ts"),
  language: nameList("Only this language, e.g. go"),
  extension: nameList("Only files with this extension, e.g. go, d.ts; several: any of them"),
  repository: z
    .string()
    .max(1000)
    .optional()
    .describe(
      'Search other repositories whose name contains this, "*" for all (default: this project); `repositories` lists them',
    ),
  kind: z
    .union([z.enum(SYMBOL_KINDS), z.array(z.enum(SYMBOL_KINDS)).max(SYMBOL_KINDS.length)], {
      error: `kinds are ${SYMBOL_KINDS.join(", ")}`,
    })
    .optional()
    .describe("Only places that define this kind; several: any of them"),
  content: z.enum(["all", "code", "docs"]).default("all").describe("Code, documentation, or both"),
  mode: z
    .enum(["hybrid", "keyword", "semantic", "exact", "regex"])
    .default("hybrid")
    .describe(
      "hybrid: words and meaning; exact or regex (RE2): every line that matches the query, as grep does",
    ),
  context: z
    .number()
    .int()
    .min(0)
    .max(20)
    .default(0)
    .describe("With mode exact or regex: lines of context around each match"),
  ignore_case: z.boolean().default(false).describe("With mode exact or regex: ignore case"),
  whole_word: z.boolean().default(false).describe("With mode exact or regex: match whole words only"),
  explain: z.boolean().default(false).describe("Also show how each score was computed"),
  max_tokens: z
    .number()
    .int()
    .min(500)
    .max(20_000)
    .optional()
    .describe("Use about N tokens for the answer (default 1500; several queries, exact and regex 6000)"),
  wait: z
    .boolean()
    .default(false)
    .describe("While the first index is built, wait for it, at most 60 s, instead of a search for words"),
  why_not: z.string().max(4096).optional().describe("Say why this file is not higher in the results"),
}

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
    inputSchema: z.strictObject(INPUT),
    outputSchema: OUTPUT,
    annotations: READS_ONLY,
    hasView: true,
    isShownAtOnce: true,
  }
  tools.register("search", config, (asked, call) =>
    toolResult(async () => {
      const { mode } = asked
      // Models send empty strings for unused fields.
      const request = { ...asked, repository: asked.repository?.trim() || undefined }
      if (request.why_not) return await explainAbsence(session, { ...request, mode }, call)
      const answers =
        mode === "exact" || mode === "regex"
          ? await grepAll(session, { ...request, mode }, call)
          : await searchAll(session, { ...request, mode }, call)
      if (asked.queries === undefined) return { text: answers.texts[0]!, structured: answers.structured[0]! }
      return { text: titled(everyQuery(asked), answers.texts), structured: { answers: answers.structured } }
    }),
  )
}

type SearchArguments = z.infer<z.ZodObject<typeof INPUT>>
type RenderedSearches = { readonly texts: readonly string[]; readonly structured: readonly object[] }

async function searchAll(
  session: ToolSession,
  {
    max_tokens,
    path,
    language,
    kind,
    extension,
    names,
    repository,
    ...asked
  }: SearchArguments & { readonly mode: SearchMode },
  call: ToolCallExtra,
): Promise<RenderedSearches> {
  const filters = {
    paths: asList(path),
    languages: asList(language),
    kinds: asList(kind),
    extensions: asList(extension),
    names: asList(names),
  }
  const { query: _, queries: __, wait, ...rest } = asked
  if (wait && repository === undefined)
    await session.withProject((project) => project.untilIndexed(call.signal), call)
  const source = session.source(repository, call)
  const answers: SearchAnswer[] = []
  const all = everyQuery({ ...asked, names })
  const tokensEach = Math.min(DEFAULT_TOKENS, (rest.limit ?? DEFAULT_TOKENS) * TOKENS_OF_RESULT)
  const budget = max_tokens ?? Math.min(all.length * tokensEach, MANY_TOKENS)
  // Passages are chosen by the words of the query, so without words there are none. With an explanation there
  // are none either, because it is about the chunk that was ranked.
  const hasPassages = !asked.explain && all.every((query) => query !== "" || filters.names.length > 0)
  const passageTokens = hasPassages ? Math.floor(budget / all.length) : undefined
  for (const query of all) {
    // Lets other clients' calls run in between: each query may take some hundred milliseconds.
    if (answers.length > 0) await new Promise(setImmediate)
    call.signal.throwIfAborted()
    answers.push(await source.search({ ...rest, ...filters, query, passageTokens }, { signal: call.signal }))
  }
  const structured = cutAllToBudget(withoutRepeats(answers), max_tokens ?? MANY_TOKENS)
  return { texts: structured.map(searchText), structured: structured.map(withPlaces) }
}

/** The structured answer, whose passages are only places: their lines are for models, programs get each result's text. */
function withPlaces(answer: CutAnswer): object {
  const results = answer.results.map(({ passages, ...result }) => ({
    ...result,
    ...(passages && { passages: passages.map(({ start_line, end_line }) => ({ start_line, end_line })) }),
  }))
  return { ...answer, results }
}

async function explainAbsence(
  session: ToolSession,
  { path, language, kind, extension, names, repository, why_not, mode, ...asked }: SearchArguments,
  call: ToolCallExtra,
): Promise<{ readonly text: string; readonly structured: object }> {
  const [query, ...others] = everyQuery({ ...asked, names })
  if (repository !== undefined || others.length > 0 || mode === "exact" || mode === "regex")
    throw new AmanError("USAGE", "why_not explains one query in this project, by words and meaning", {
      hint: "leave out repository, mode and all queries but one",
    })
  const { queries: _, max_tokens: __, ...rest } = asked
  const filters = {
    paths: asList(path),
    languages: asList(language),
    kinds: asList(kind),
    extensions: asList(extension),
    names: asList(names),
  }
  const request = { ...rest, ...filters, mode, query: query! }
  const structured = await session.withProject(
    (project) => project.whyNot(request, why_not!, call.signal),
    call,
  )
  const { whyNotLines } = await import("../../app/search/why-not.ts")
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
  const queries = everyQuery({ ...asked, like: undefined, names: undefined })
  const question = {
    mode: asked.mode,
    ignoreCase: asked.ignore_case,
    wholeWord: asked.whole_word,
    context: asked.context,
    paths: asList(asked.path),
    languages: asList(asked.language),
    extensions: asList(asked.extension),
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
    names: asList(guessed).length > 0,
    kind: asList(kind).length > 0,
    content: content !== "all",
    like: like !== undefined,
    explain,
  }
  const names = Object.entries(given).flatMap(([name, isGiven]) => (isGiven ? [name] : []))
  return names.length === 0 ? [] : [`${names.join(", ")} had no effect: mode ${mode} searches text only`]
}

function everyQuery({
  query,
  queries = [],
  like,
  names,
}: Pick<SearchArguments, "query" | "queries" | "like" | "names">): string[] {
  const all = [...(query === undefined ? [] : [query]), ...queries].filter((each) => each.trim() !== "")
  if (all.length > 0) return all
  if (like !== undefined || asList(names).length > 0) return [""]
  throw new AmanError("USAGE", "no search query given", { hint: "give query, queries, names or like" })
}

function asList(value: string | readonly string[] | undefined): readonly string[] {
  if (value === undefined) return []
  return typeof value === "string" ? [value] : value
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
  if (next_offset !== null) {
    parts.push(
      `${plural(files - next_offset, "more file")}: the same call with "offset": ${next_offset}, or a narrower path.`,
    )
  }
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
