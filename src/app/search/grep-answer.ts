/*
 * A text search for an agent. `grepAnswer` runs the search of grep-project.ts, counts all matches, keeps the lines of
 * the requested files within a token budget, and reports progress, so that an answer exists even if the search has to
 * be ended.
 */

import { FILE_FLAG, SUPPORTING_FLAGS } from "../../base/files/file-flag.ts"
import { languageNamed } from "../../code/languages/languages.ts"
import { DEFINITION } from "../../search/channels/word-scan.ts"
import type { TextLine } from "../../search/patterns/matching-lines.ts"
import { endsIn } from "../../search/query/filter.ts"
import { isCatalog, isTranslation } from "../../search/rank/variants.ts"
import type { ResultCommit, SearchAnswer, SearchResult } from "../answers.ts"
import type { ProjectPlace } from "../project/project-path.ts"
import { type GrepFile, type GrepRequest, grepProject, stoppedNotice } from "./grep-project.ts"
import { Budget } from "./token-budget.ts"

/** An agent's text search; the answer fits into a budget of tokens. */
export type GrepQuestion = {
  readonly query: string
  readonly mode: "exact" | "regex"
  readonly ignoreCase: boolean
  readonly wholeWord: boolean
  /** Lines around each match. */
  readonly context: number
  /** Files, folders or globs; a file is searched if it matches any of them. */
  readonly paths: readonly string[]
  readonly languages: readonly string[]
  readonly extensions?: readonly string[]
  /** Number of files to show, after skipping `offset` files. */
  readonly limit: number
  readonly offset: number
  readonly tokens: number
  /** Name of a repository that a question about several leaves out. */
  readonly without?: string | undefined
}

/** One file. `text` has a line "12:text" for each match and "13-text" for its context. */
export type GrepResult = SearchResult & {
  readonly matches: number
  /** `cut`: `text` ends before the last match. `next_line`: the line to continue at, else null. */
  readonly cut: boolean
  readonly next_line: number | null
}

export type GrepAnswer = SearchAnswer & {
  readonly results: readonly GrepResult[]
  /** Matches in all files, including those not shown. */
  readonly matches: number
  readonly files: number
  readonly searched: number
  /** False when the search stopped before the last file; a notice says why. */
  readonly complete: boolean
  /** Other repositories with results; absent for the project's own files. */
  readonly commits?: readonly ResultCommit[]
}

/** Counts and results found so far, which become the answer if the search has to be ended from outside. */
export type GrepProgress = GrepCounts & { readonly results: readonly GrepResult[] }

export type GrepLimits = {
  /** Time limit; the answer then contains what was found by then. */
  readonly timeoutMs: number
  readonly isCancelled?: () => boolean
  /** Called before each file, and with each result as it is found. */
  readonly onProgress?: (counts: GrepCounts, result: GrepResult | null) => void
}

export type GrepCounts = Pick<GrepAnswer, "files" | "matches" | "searched">

/** Time limit for an agent's search: what was found by then is worth more than waiting for the rest. */
export const GREP_TIMEOUT_MS = 10_000
// Maximum matching lines of one file; for more, search that file alone.
const MAX_LINES = 10_000

const MAX_LINE_CHARACTERS = 300
const BEFORE_MATCH = 100

export async function grepAnswer(
  project: ProjectPlace,
  question: GrepQuestion,
  { timeoutMs, isCancelled = () => false, onProgress = () => {} }: GrepLimits,
): Promise<GrepAnswer> {
  const startedAt = performance.now()
  const { limit, offset } = question
  const budget = new Budget(question.tokens)
  const results: GrepResult[] = []
  let files = 0
  let matches = 0
  const hasExtension = endsIn(question.extensions ?? []) ?? (() => true)
  let searchedSoFar = 0
  const onSearched = (searched: number) => {
    searchedSoFar = searched
    onProgress({ files, matches, searched }, null)
  }
  const matchingFiles = grepProject(project, {
    ...grepRequestOf(question),
    timeoutMs,
    isCancelled,
    onSearched,
  })
  const ranked: RankedGrepFile[] = []
  let step = await matchingFiles.next()
  for (; !step.done; step = await matchingFiles.next()) {
    if (!hasExtension(step.value.path)) continue
    const isShown = files >= offset && results.length < limit
    const result = isShown ? resultOf(step.value, budget) : null
    if (result !== null) results.push(result)
    ranked.push({ path: step.value.path, rank: rankOf(step.value) })
    files++
    matches += step.value.count
    onProgress({ files, matches, searched: searchedSoFar }, result)
  }
  const { searched, notices, complete } = step.value
  // What is found before time is up is shown in the order of paths, because better files may not have been searched.
  if (complete) {
    const page = ranked.sort((a, b) => a.rank - b.rank).slice(offset, offset + limit)
    const left = timeoutMs - (performance.now() - startedAt)
    results.splice(0, results.length, ...(await resultsFor(project, question, page, left)))
  }
  const took = performance.now() - startedAt
  return toAnswer(question, { results, files, matches, searched }, { complete, notices, took })
}

type RankedGrepFile = { readonly path: string; readonly rank: number }

/** Ranks of matching files, best first. A folded file shows only its first match. */
const RANK = { definition: 0, code: 1, test: 2, supporting: 3, folded: 4 } as const

/** Files whose text is made from the code, or is not the project's own. */
const FOLDED_FLAGS = FILE_FLAG.generated | FILE_FLAG.output | FILE_FLAG.vendored

function rankOf(file: GrepFile): number {
  const { path, language, flags } = file
  if ((flags & FOLDED_FLAGS) !== 0 || isTranslation(path) || isCatalog(path)) return RANK.folded
  if ((flags & FILE_FLAG.test) !== 0) return RANK.test
  const isCode = languageNamed(language)?.kind === "code"
  if (!isCode || (flags & SUPPORTING_FLAGS) !== 0) return RANK.supporting
  return file.count <= MAX_LISTED && file.lines().some(isDefinition) ? RANK.definition : RANK.code
}

/** Of a file with more matching lines, none is looked at to find a definition. */
const MAX_LISTED = 1_000

/** True for a line in which the match is the name that it defines, or begins before that name. */
function isDefinition({ text, match, spans: [span] = [] }: TextLine): boolean {
  const definition = match && span ? DEFINITION.exec(text) : null
  if (!definition) return false
  const name = definition[0].length
  return span![0] <= name || RECEIVER.test(text.slice(name, span![0]))
}

/** Matches what may stand between the keyword and the name: the receiver of a method in Go. */
const RECEIVER = /^\s*\([^()]*\)\s*$/

/** The results of these files, which are searched a second time, so that not all matches are kept. */
async function resultsFor(
  project: ProjectPlace,
  question: GrepQuestion,
  page: readonly RankedGrepFile[],
  timeoutMs: number,
): Promise<GrepResult[]> {
  const budget = new Budget(question.tokens)
  const ranks = new Map(page.map(({ path, rank }) => [path, rank]))
  const files = { paths: [...ranks.keys()], leftOut: {} }
  const results: GrepResult[] = []
  const request = { ...grepRequestOf(question), files, timeoutMs: Math.max(timeoutMs, MIN_SHOW_MS) }
  for await (const file of grepProject(project, request)) {
    const isFolded = ranks.get(file.path) === RANK.folded
    results.push(resultOf(file, budget, isFolded))
  }
  return results
}

/** Minimum time for the second search, whose files have been searched in time before. */
const MIN_SHOW_MS = 500

/** The answer for a search that was ended from outside. */
export function stoppedAnswer(question: GrepQuestion, progress: GrepProgress, tookMs: number): GrepAnswer {
  const notices = [stoppedNotice(tookMs, progress.searched, null)]
  return toAnswer(question, progress, { complete: false, notices, took: tookMs })
}

function toAnswer(
  { query, mode, offset }: GrepQuestion,
  progress: GrepProgress,
  { complete, notices, took }: { complete: boolean; notices: readonly string[]; took: number },
): GrepAnswer {
  const next = offset + progress.results.length
  return {
    ...{ query, class: mode, ...progress, offset, complete },
    next_offset: next < progress.files ? next : null,
    partial: null,
    took_ms: Math.round(took * 100) / 100,
    notices,
  }
}

function grepRequestOf({ query, context, ...rest }: GrepQuestion): Omit<GrepRequest, "timeoutMs"> {
  const hasGlobs = rest.paths.some((path) => /[*?[{]/.test(path))
  return {
    ...rest,
    pattern: query,
    paths: hasGlobs ? [] : rest.paths,
    globs: hasGlobs ? rest.paths.map((path) => (/[*?[{]/.test(path) ? path : `/${path}`)) : [],
    invert: false,
    before: context,
    after: context,
    maxCount: MAX_LINES,
    withSpans: true,
    // The first match decides which part of a long line is shown.
    maxSpans: 1,
  }
}

function resultOf({ path, language, count, lines }: GrepFile, budget: Budget, isFolded = false): GrepResult {
  const rows = lines().flatMap((line, at, all) => [
    ...(at > 0 && line.line > all[at - 1]!.line + 1 ? [{ text: "--", line: line.line, isMatch: false }] : []),
    { text: rowOf(line), line: line.line, isMatch: line.match },
  ])
  const first = isFolded ? rows.findIndex(({ isMatch }) => isMatch) : 0
  const own = isFolded ? rows.slice(first, first + 1) : rows
  const cut = budget.take(own.map(({ text }) => text).join("\n"))
  const shown = own.slice(0, cut.lines)
  const next = rows[first + cut.lines]
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
    cut: !cut.isWhole || own.length < rows.length,
    next_line: next?.line ?? null,
    also: [],
  }
}

/** A result line; from a very long line, the part around its match. */
function rowOf({ line, text, match, spans = [] }: TextLine): string {
  const from = Math.max(0, Math.min((spans[0]?.[0] ?? 0) - BEFORE_MATCH, text.length - MAX_LINE_CHARACTERS))
  const part =
    text.length <= MAX_LINE_CHARACTERS
      ? text
      : `${from > 0 ? "…" : ""}${text.slice(from, from + MAX_LINE_CHARACTERS)}${from + MAX_LINE_CHARACTERS < text.length ? "…" : ""}`
  return `${line}${match ? ":" : "-"}${part.toWellFormed()}`
}

/** Indexes of the Int32 values in the memory that a search thread shares with the thread that started it. */
export const SHARED = {
  /** Anything but 0 ends the search soon. */
  cancelled: 0,
  files: 1,
  matches: 2,
  searched: 3,
} as const

export const SHARED_BYTES = Object.keys(SHARED).length * Int32Array.BYTES_PER_ELEMENT
