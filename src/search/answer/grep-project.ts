/*
 * Finds text or a regular expression in the files of a project as they are on disk. Files are searched one by one;
 * between files other work of the process gets its turn. The summary says what was left out and why the search
 * stopped early.
 */

import { join } from "node:path"
import {
  declaredEncoding,
  FILE_FLAG,
  plural,
  type ResultCommit,
  type SearchAnswer,
  type SearchResult,
  SUPPORTING_FLAGS,
} from "../../base/index.ts"
import { isCatalog, isTranslation, type ProjectPlace, projectPath } from "../../index/index.ts"
import { fileFlags, languageNamed, languageOf } from "../../parse/index.ts"
import { isDocument, isSvg, readAsWritten } from "../../text/index.ts"
import {
  addCounts,
  leftOutNamed,
  leftOutNote,
  type ScannedFolder,
  type ScanOptions,
  type ScanResult,
  scanOptionsOf,
  scanProject,
} from "../../tree/index.ts"
import { DEFINITION } from "../channels/word-scan.ts"
import { pathGlobs } from "../patterns/glob.ts"
import {
  type MatchingLines,
  matchingLines,
  type PatternOptions,
  type TextLine,
  type TextPattern,
  textPattern,
} from "../patterns/text-pattern.ts"
import { endsIn, languageId } from "../query/filter.ts"
import type { GrepMemory } from "./grep-memory.ts"
import { Budget } from "./token-budget.ts"

export type GrepRequest = PatternOptions &
  GrepScope & {
    readonly languages: readonly string[]
    /** Return the lines that do not match. */
    readonly invert: boolean
    readonly before: number
    readonly after: number
    /** Maximum matching lines of a file. */
    readonly maxCount: number
    /** Report where in each line the pattern matches: `maxSpans` places at most, all if absent. */
    readonly withSpans: boolean
    readonly maxSpans?: number
    /** Report the text by which this template would replace each match; see TextPattern. */
    readonly replacement?: string | undefined
    /** Return the files without a match instead, with no lines. */
    readonly withoutMatch?: boolean
    /** Stop after this time, with the results so far. */
    readonly timeoutMs: number
    /** Called often; true stops at once, as if time were up. */
    readonly isCancelled?: () => boolean
    /** The files to search, in this order, where they are known; otherwise those of the scope. */
    readonly files?: GrepFiles
    /** What earlier searches know of the files. */
    readonly memory?: GrepMemory | undefined
    /** Called before each file with the number of files searched. */
    readonly onSearched?: (files: number) => void
  }

export type GrepFile = {
  readonly path: string
  readonly language: string
  /** FILE_FLAG bits, from its path and text. */
  readonly flags: number
  /** Number of matching lines. */
  readonly count: number
  /** The matching lines and their context, in order; must be called before the next file is requested. */
  readonly lines: () => readonly TextLine[]
}

/** Summary when all files are searched or time is up. */
export type GrepSummary = {
  /** Files searched, and the total. */
  readonly searched: number
  readonly total: number
  /** False when time was up, or the request was cancelled, before the last line of the last file. */
  readonly complete: boolean
  readonly left_out: Readonly<Record<string, number>>
  readonly notices: readonly string[]
}

// Maximum time without yielding to other work of the process, such as signals.
const YIELD_MS = 25

/**
 * Finds the matching lines of a project's files as they are on disk now, file by file in the order of paths.
 */
export async function* grepProject(
  project: ProjectPlace,
  request: GrepRequest,
  signal?: AbortSignal,
): AsyncGenerator<GrepFile, GrepSummary> {
  const startedAt = performance.now()
  const { timeoutMs, isCancelled = () => false } = request
  const isOver = () => performance.now() - startedAt > timeoutMs || isCancelled()
  const pattern = await textPattern(request)
  const languages = new Set(request.languages.map(languageId))
  const { paths, leftOut, memory, folders, flags } = request.files ?? listedFiles(project, request)
  const needsMatch = !request.invert && !request.withoutMatch && languages.size === 0
  const known = needsMatch ? memory?.divide(pattern, paths) : undefined
  const { toRead = paths, lacking = 0 } = known ?? {}
  const tally: Tally = { searched: lacking, matching: 0, tooLong: 0, isCut: false, leftOut: { ...leftOut } }
  addCounts(tally.leftOut, known?.leftOut ?? {})
  const options = { ...request, isOver, memory, flags }
  let yieldedAt = startedAt
  for (const path of toRead) {
    if (performance.now() - yieldedAt > YIELD_MS) {
      await new Promise(setImmediate)
      signal?.throwIfAborted()
      yieldedAt = performance.now()
    }
    request.onSearched?.(tally.searched)
    if (isOver()) tally.isCut = true
    if (tally.isCut) break
    const matches = grepFile(project, path, pattern, languages, options, tally)
    if (matches === null) continue
    tally.matching++
    yield matches
  }
  const { root, config } = project
  const named =
    paths.length > 0 ? [] : leftOutNamed({ root, config, store: null, folders }, [...request.globs])
  const summary = grepSummary(tally, paths.length, timeoutMs)
  return { ...summary, notices: [...summary.notices, ...named.map((each) => leftOutNote(each))] }
}

/** Finds the matching lines of a text that belongs to no file. */
export async function grepText(text: string, request: GrepRequest): Promise<MatchingLines> {
  return matchingLines(text, await textPattern(request), { ...request, isOver: () => false })
}

type Tally = {
  searched: number
  /** Number of files with a match. */
  matching: number
  tooLong: number
  isCut: boolean
  leftOut: Record<string, number>
}

function grepFile(
  project: ProjectPlace,
  path: string,
  pattern: TextPattern,
  languages: ReadonlySet<string>,
  options: GrepRequest & Pick<GrepFiles, "flags"> & { readonly isOver: () => boolean },
  tally: Tally,
): GrepFile | null {
  const source = textOf(project, path, options.flags)
  options.memory?.add(path, source)
  if ("reason" in source) {
    addCounts(tally.leftOut, { [source.reason]: 1 })
    return null
  }
  if (languages.size > 0 && !languages.has(languageOf(path, source.text).id)) return null
  const { count, lines, tooLong, isWhole } = matchingLines(source.text, pattern, options)
  tally.searched++
  tally.tooLong += tooLong
  tally.isCut ||= !isWhole
  if (options.withoutMatch) {
    const isWithout = count === 0 && isWhole && tooLong === 0
    return isWithout ? { ...described(path, source.text), count, lines } : null
  }
  if (count === 0) return null
  // The lines are collected only when they are needed. If time runs out meanwhile, the search counts as cut.
  const linesUnlessCut = () => {
    const collected = lines()
    tally.isCut ||= options.isOver() && collected.reduce((sum, { match }) => sum + Number(match), 0) < count
    return collected
  }
  return { ...described(path, source.text), count, lines: linesUnlessCut }
}

function textOf(project: ProjectPlace, path: string, flags: GrepFiles["flags"]) {
  // Text search looks at the bytes of the file itself, and a document's bytes are an archive.
  if (isDocument(path) && !isSvg(path)) return { reason: "binary" }
  const encoding = (name: string, hash: string) =>
    project.reader()?.store.texts.encoding(name, hash) ??
    declaredEncoding(flags?.get(name) ?? attributeFlagsOf(project, name))
  return readAsWritten(project.root, path, MAX_FILE_BYTES, { indexed: { find: () => null, encoding } })
}

function described(path: string, text: string): Pick<GrepFile, "path" | "language" | "flags"> {
  return { path, language: languageOf(path, text).id, flags: fileFlags(path, text) }
}

function grepSummary(
  { searched, matching, tooLong, isCut, leftOut }: Tally,
  total: number,
  timeoutMs: number,
): GrepSummary {
  const notices = matching === 0 ? apartNotices(leftOut, total) : []
  for (const [reason, what] of Object.entries(NOT_SEARCHED)) {
    const count = leftOut[reason] ?? 0
    if (count > 0) notices.push(`not searched: ${what(count)}`)
  }
  if (tooLong > 0)
    notices.push(`not searched: ${plural(tooLong, "line")} too long for this regular expression`)
  if (isCut) notices.push(stoppedNotice(timeoutMs, searched, total))
  return { searched, total, complete: !isCut, left_out: leftOut, notices }
}

/** For each reason for which any search may miss a match: what is left out, of which there are `count`. */
const NOT_SEARCHED: Readonly<Record<string, (count: number) => string>> = {
  "too large": (count) => `${plural(count, "file")} larger than 32 MiB`,
  "over the limit": () => "the deepest files, because there are more than index.max_files",
  "too many patterns": (count) =>
    `${plural(count, "file")} or folders, because matching ignore patterns took too long`,
  unreadable: (count) => `${plural(count, "file")} or folders that cannot be read`,
}

/** Reasons for which a search leaves out files that may hold code of the project. */
const NOT_GREPPED = ["excluded", "nested repository", "submodule not checked out"]

/** For a search without a match: files that it does not search unless their path is given. */
function apartNotices(leftOut: GrepSummary["left_out"], total: number): string[] {
  if (total === 0) {
    const ignored = leftOut["ignored"] ?? 0
    const why = ignored > 0 ? `: ${ignored} ignored; to search ignored files, give their path` : ""
    return [`no file was searched${why}`]
  }
  const apart = NOT_GREPPED.flatMap((reason) => (leftOut[reason] ? [`${leftOut[reason]} ${reason}`] : []))
  if (apart.length === 0) return []
  return [`not searched: ${apart.join(", ")}; aman status --skipped lists them; to search one, give its path`]
}

/** Why an answer is not complete. */
export function stoppedNotice(timeoutMs: number, searched: number, total: number | null): string {
  const of = total === null ? "" : ` of ${total}`
  const seconds = Math.round(timeoutMs / 100) / 10
  return `stopped after ${seconds} s, at ${searched}${of} files; give a path to narrow the search`
}

/** Maximum size of a searched file, which is decoded into one string; larger files are data. */
export const MAX_FILE_BYTES = 32 * 1024 * 1024

export type GrepScope = {
  /** Files and folders, relative to the root; none: the whole project. */
  readonly paths: readonly string[]
  /** As ripgrep's `-g`. */
  readonly globs: readonly string[]
}

export type GrepFiles = {
  /** Paths of the files to search, in order. */
  readonly paths: readonly string[]
  /** Number of files left out, by reason; a folder counts once. */
  readonly leftOut: Readonly<Record<string, number>>
  /** The folders of the scan; absent if the project was not scanned for them. */
  readonly folders?: readonly ScannedFolder[] | undefined
  /** What is known of these files; absent if the project was not scanned for them. */
  readonly memory?: GrepMemory | undefined
  /** The FILE_FLAG bits that attributes set for each file; null or absent for a file that no scan has found. */
  readonly flags?: ReadonlyMap<string, number | null> | undefined
}

/**
 * The files to search: all that git does not ignore, whatever their names or sizes, except secrets. Ignored
 * files are searched if they are named explicitly.
 */
export function filesToGrep(
  project: ProjectPlace,
  { paths, globs, memory }: GrepScope & Pick<GrepRequest, "memory">,
): GrepFiles {
  const targets = paths.length === 0 ? [""] : paths.map((path) => projectPath(project, path))
  const files = new Map<string, number | null>()
  const leftOut: Record<string, number> = {}
  let whole: ScanResult | null = null
  for (const target of targets) {
    if (typeof target !== "string" && !target.stat.isDirectory()) {
      if (target.stat.isFile()) files.set(target.path, null)
      else leftOut["not a file"] = (leftOut["not a file"] ?? 0) + 1
      continue
    }
    const folder = typeof target === "string" ? target : target.path
    whole ??= scan(project, "", memory)
    if (!addFilesBelow(whole, folder, "", files, leftOut))
      addFilesBelow(scan(project, folder), "", folder, files, leftOut)
  }
  const isWanted = globs.length === 0 ? () => true : pathGlobs(globs)
  const known = { memory: whole === null ? undefined : memory, folders: whole?.folders, flags: files }
  return { paths: [...files.keys()].filter(isWanted).sort(), leftOut, ...known }
}

/** The same, listed once if they never change. */
function listedFiles(project: ProjectPlace, request: GrepRequest): GrepFiles {
  const isOnce = request.memory?.isFixed && request.paths.length + request.globs.length === 0
  const files = (isOnce && request.memory?.listed) || filesToGrep(project, request)
  if (isOnce) request.memory!.listed = files
  return files
}

function attributeFlagsOf({ root, config }: ProjectPlace, path: string): number {
  const { files } = scanProject(root, { ...scanOptions(config), target: path })
  return files.find((file) => file.path === path)?.attributeFlags ?? 0
}

/** True when the search covers only one file that was named explicitly, so that results need no path. */
export function isOneFile(project: ProjectPlace, { paths }: GrepScope): boolean {
  return paths.length === 1 && projectPath(project, paths[0]!).stat.isFile()
}

function scan(project: ProjectPlace, folder: string, memory?: GrepMemory): ScanResult {
  const { root, config } = project
  const options = scanOptions(config)
  if (memory !== undefined) return memory.scan(root, options)
  return scanProject(join(root, folder), options)
}

function scanOptions(config: ProjectPlace["config"]): ScanOptions {
  return { ...scanOptionsOf(config), maxFileBytes: MAX_FILE_BYTES, everyName: true }
}

/**
 * Adds the files that a scan found below a folder; false when the scan did not visit that folder because it
 * is ignored.
 */
function addFilesBelow(
  { files, folders }: ScanResult,
  below: string,
  prefix: string,
  found: Map<string, number | null>,
  leftOut: Record<string, number>,
): boolean {
  const inside = below === "" ? "" : `${below}/`
  const visited = folders.filter(({ path }) => path === below || path.startsWith(inside))
  for (const folder of visited) addCounts(leftOut, folder.skipped)
  for (const { path, attributeFlags = 0 } of files) {
    if (path.startsWith(inside)) found.set(prefix === "" ? path : `${prefix}/${path}`, attributeFlags)
  }
  return visited.length > 0
}

/*
 * A text search for an agent. `grepAnswer` runs the search of grep-project.ts, counts all matches, keeps the lines of
 * the requested files within a token budget, and reports progress, so that an answer exists even if the search has to
 * be ended.
 */

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
  /** True for people: files in the order of their paths, each with all its matches. Otherwise the best files come first. */
  readonly isAll?: boolean | undefined
}

/** One file. `text` has a line "12:text" for each match and "13-text" for its context. */
export type GrepResult = SearchResult & {
  readonly matches: number
  /** `cut`: `text` ends before the last match. `next_line`: the line to continue at, else null. */
  readonly cut: boolean
  readonly next_line: number | null
}

export type GrepAnswer = Omit<SearchAnswer, "results"> & {
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

export type GrepLimits = Pick<GrepRequest, "memory"> & {
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
  { timeoutMs, isCancelled = () => false, onProgress = () => {}, memory }: GrepLimits,
): Promise<GrepAnswer> {
  const startedAt = performance.now()
  const { limit, offset } = question
  const budget = new Budget(question.tokens)
  const [results, leftOut] = [[] as GrepResult[], [] as string[]]
  let [files, matches, searchedSoFar] = [0, 0, 0]
  const hasExtension = endsIn(question.extensions ?? []) ?? (() => true)
  const onSearched = (searched: number) => {
    searchedSoFar = searched
    onProgress({ files, matches, searched }, null)
  }
  const request = { ...grepRequestOf(question), timeoutMs, isCancelled, onSearched, memory }
  const matchingFiles = grepProject(project, request)
  const ranked: RankedGrepFile[] = []
  let step = await matchingFiles.next()
  for (; !step.done; step = await matchingFiles.next()) {
    if (!hasExtension(step.value.path)) continue
    const isShown = files >= offset && results.length < limit
    const result = isShown ? resultOf(step.value, budget) : null
    if (result !== null) results.push(result)
    if (limit > 0 && !question.isAll) ranked.push({ path: step.value.path, rank: rankOf(step.value) })
    files++
    matches += step.value.count
    leftOut.push(...limitNotice(step.value))
    onProgress({ files, matches, searched: searchedSoFar }, result)
  }
  const { searched, complete } = step.value
  const notices = [...step.value.notices, ...leftOut.slice(0, 3)]
  // What is found before time is up is shown in the order of paths, because better files may not have been searched.
  if (complete && ranked.length > 0) {
    const page = ranked.sort((a, b) => a.rank - b.rank).slice(offset, offset + limit)
    const left = timeoutMs - (performance.now() - startedAt)
    results.splice(0, results.length, ...(await resultsFor(project, question, page, left)))
  }
  const took = performance.now() - startedAt
  return toAnswer(question, { results, files, matches, searched }, { complete, notices, took })
}

/** Says that not all lines of a file were looked at. */
const limitNotice = ({ path, count }: GrepFile) =>
  count < MAX_LINES ? [] : [`${path}: lines after the first ${MAX_LINES} that match are left out`]

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
  for await (const file of grepProject(project, request))
    results.push(resultOf(file, budget, ranks.get(file.path) === RANK.folded))
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
    ...{ invert: false, before: context, after: context, maxCount: MAX_LINES, withSpans: true },
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
    ...{ path, language, kind: "text", symbol: null, score: 1, text: cut.text, matches: count, also: [] },
    ...{ start_line: shown[0]!.line, end_line: shown.at(-1)!.line, next_line: next?.line ?? null },
    cut: !cut.isWhole || own.length < rows.length,
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

/** The lines of a result's text: "12:text" for a match, "13-text" for its context. */
export function linesIn(rows: string): TextLine[] {
  return rows.split("\n").flatMap((row) => {
    const [, line, mark, text = ""] = /^(\d+)([:-])(.*)$/s.exec(row) ?? []
    return line === undefined ? [] : [{ line: Number(line), text, match: mark === ":" }]
  })
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
