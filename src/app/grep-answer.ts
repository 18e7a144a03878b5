import { endsIn } from "../search/extensions.ts"
import type { TextLine } from "../search/matching-lines.ts"
import type { SearchAnswer, SearchResult } from "./answers.ts"
import { Budget } from "./budget.ts"
import { type GrepFile, type GrepRequest, grepProject } from "./grep-project.ts"
import type { Project } from "./open-project.ts"

/** What an agent asks; the answer fits into a budget of tokens. */
export type GrepQuestion = {
  readonly query: string
  readonly mode: "exact" | "regex"
  readonly ignoreCase: boolean
  readonly wholeWord: boolean
  /** Lines around each match. */
  readonly context: number
  /** Files and folders, or globs; any of them. */
  readonly paths: readonly string[]
  readonly languages: readonly string[]
  readonly extensions?: readonly string[]
  /** Files to show, after so many. */
  readonly limit: number
  readonly offset: number
  readonly tokens: number
}

/** One file. `text` has a line for each that matches, "12:text", and for its context, "13-text". */
export type GrepResult = SearchResult & {
  readonly matches: number
  /** Whether `text` ends before the last match, and the line to go on at. */
  readonly cut: boolean
  readonly next_line: number | null
}

export type GrepAnswer = SearchAnswer & {
  readonly results: readonly GrepResult[]
  /** In all files, those that are not shown included. */
  readonly matches: number
  readonly files: number
  readonly searched: number
}

// An agent waits for the answer; what was found by then is worth more to it than the rest.
const TIMEOUT_MS = 10_000
// Of one file; whoever needs more asks for that file alone.
const MOST_LINES = 10_000
const LONGEST_LINE = 300
const BEFORE_MATCH = 100

export async function grepAnswer(
  project: Project,
  question: GrepQuestion,
  signal?: AbortSignal,
): Promise<GrepAnswer> {
  const startedAt = performance.now()
  const { query, mode, limit, offset } = question
  const budget = new Budget(question.tokens)
  const results: GrepResult[] = []
  let files = 0
  let matches = 0
  const isMeant = endsIn(question.extensions ?? []) ?? (() => true)
  const found = grepProject(project, toRequest(question), signal)
  let step = await found.next()
  for (; !step.done; step = await found.next()) {
    if (!isMeant(step.value.path)) continue
    if (files >= offset && results.length < limit) results.push(resultOf(step.value, budget))
    files++
    matches += step.value.count
  }
  const { searched, notices } = step.value
  return {
    ...{ query, class: mode, results, files, matches, searched, offset },
    next_offset: offset + results.length < files ? offset + results.length : null,
    partial: null,
    took_ms: Math.round((performance.now() - startedAt) * 100) / 100,
    notices,
  }
}

function toRequest({ query, context, ...rest }: GrepQuestion): GrepRequest {
  const hasGlobs = rest.paths.some((path) => /[*?[{]/.test(path))
  return {
    ...rest,
    pattern: query,
    paths: hasGlobs ? [] : rest.paths,
    globs: hasGlobs ? rest.paths.map((path) => (/[*?[{]/.test(path) ? path : `/${path}`)) : [],
    invert: false,
    before: context,
    after: context,
    maxCount: MOST_LINES,
    withSpans: true,
    timeoutMs: TIMEOUT_MS,
  }
}

function resultOf({ path, language, count, lines }: GrepFile, budget: Budget): GrepResult {
  const rows = lines().flatMap((line, at, all) => [
    ...(at > 0 && line.line > all[at - 1]!.line + 1 ? [{ text: "--", line: line.line }] : []),
    { text: rowOf(line), line: line.line },
  ])
  const cut = budget.take(rows.map(({ text }) => text).join("\n"))
  const shown = rows.slice(0, cut.lines)
  return {
    path,
    language,
    kind: "text",
    symbol: null,
    score: 1,
    start_line: shown[0]!.line,
    end_line: shown.at(-1)!.line,
    text: cut.text,
    matches: count,
    cut: !cut.isWhole,
    next_line: rows[cut.lines]?.line ?? null,
    also: [],
  }
}

/** A line that is a whole file is shown around its match. */
function rowOf({ line, text, match, spans = [] }: TextLine): string {
  const from = Math.max(0, Math.min((spans[0]?.[0] ?? 0) - BEFORE_MATCH, text.length - LONGEST_LINE))
  const part =
    text.length <= LONGEST_LINE
      ? text
      : `${from > 0 ? "…" : ""}${text.slice(from, from + LONGEST_LINE)}${from + LONGEST_LINE < text.length ? "…" : ""}`
  return `${line}${match ? ":" : "-"}${part.toWellFormed()}`
}
