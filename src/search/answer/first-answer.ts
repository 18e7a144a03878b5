/*
 * Answers a search while the first index is being built. `withWordSearch`: 1. reads the files that are not indexed yet,
 * in the order in which they are indexed, for SCAN_MS at most; 2. ranks them by the words of the query
 * (search/channels/word-scan.ts); 3. mixes them with the results of the files that are indexed.
 */

import { elapsedMs, type SearchAnswer, type SearchRequest, type SearchResult } from "../../base/index.ts"
import { filtersIn, type Project, partialIndex, priorityOrder, searchablePaths } from "../../index/index.ts"
import { contentKindOf, displayText, languageOf, readableText } from "../../parse/index.ts"
import { charactersIn, isDocument, lineRange, readSource } from "../../text/index.ts"
import { type ScannedFile, scanOptionsOf, scanProject } from "../../tree/index.ts"
import { type ScannedText, WordScan } from "../channels/word-scan.ts"
import { resultLimit } from "../options.ts"
import { languageId, pathFilter } from "../query/filter.ts"
import { withoutSyntax } from "../query/grep-pattern.ts"
import { comparable, NO_OPERATORS, type Operators, parseOperators, phraseTest } from "../query/operators.ts"
import { withNames } from "../query/query.ts"
import { NEAREST_NOTICE } from "./nearest-only.ts"

/** Maximum time of a word search in ms. MIN_FILES are searched in any case. */
const SCAN_MS = 1_000
const MIN_FILES = 256
/** Maximum time without yielding to other work of the process, such as storing what has been indexed. */
const YIELD_MS = 25

/** The first index of a project with fewer files is built in about two seconds. */
const QUICK_FILES = 1_000

/** True if the first index of the project is still to be built, and takes longer than anybody likes to wait. */
export function isIndexSlow(project: Project): boolean {
  if (!isIndexUnfinished(project)) return false
  project.requireNarrowRoot()
  return filesOf(project).length >= QUICK_FILES
}

/** False for a damaged index, too, which the search itself repairs. */
function isIndexUnfinished(project: Project): boolean {
  try {
    const reader = project.reader()
    return reader === null || partialIndex(reader.store) !== null
  } catch {
    return false
  }
}

/**
 * The answer of an unfinished index, completed by a word search over the text of the project's files. Unchanged if the
 * index is complete, or if the request needs it: similar code, kinds of definitions, meaning only, further pages.
 */
export async function withWordSearch(
  project: Project,
  request: SearchRequest,
  answer: SearchAnswer,
  signal?: AbortSignal,
): Promise<SearchAnswer> {
  const started = performance.now()
  const operators = request.isPlain
    ? { ...NO_OPERATORS, text: request.query }
    : parseOperators(request.query, { isTyped: request.isTyped })
  const scan = new WordScan(withNames(withoutSyntax(operators.text), request.names))
  if (answer.partial === null || scan.isEmpty || needsIndex(request, operators)) return answer
  const { searched, total } = await scanFiles(project, request, operators, scan, {
    ...answer.partial,
    signal,
  })
  const limit = resultLimit(request, project.config.search.limit)
  const found = scan.best(limit).flatMap((text) => resultOf(project, text) ?? [])
  const indexed = answer.nearest_only ? [] : answer.results
  const results = mixed(indexed, withinTokens(found, request.passageTokens), answer.partial.share).slice(
    0,
    limit,
  )
  const { nearest_only: _, ...rest } = answer
  return {
    ...rest,
    results,
    next_offset: null,
    took_ms: answer.took_ms + elapsedMs(started),
    notices: [
      ...answer.notices.filter((notice) => notice !== NEAREST_NOTICE),
      `${searched === total ? `${total} files` : `${searched} of ${total} files`} that are not indexed yet were only searched for the words of the query (results of the kind "text")`,
    ],
  }
}

function needsIndex(
  { like, kinds, mode, offset = 0 }: SearchRequest,
  { wanted, unwanted, like: place }: Operators,
): boolean {
  const named = [kinds, wanted.kinds, wanted.symbols, unwanted.kinds, unwanted.symbols]
  return Boolean(like ?? place) || mode === "semantic" || offset > 0 || named.some(({ length }) => length > 0)
}

async function scanFiles(
  project: Project,
  request: SearchRequest,
  operators: Operators,
  scan: WordScan,
  { done, signal }: { readonly done: number; readonly signal: AbortSignal | undefined },
): Promise<{ readonly searched: number; readonly total: number }> {
  const { root, config } = project
  const startedAt = performance.now()
  const isWanted = fileTest(project, request, operators)
  const isHolding = textTest(operators)
  const reader = project.reader()
  const indexed = reader === null ? new Set() : searchablePaths(reader.store, done)
  const isLeft = (file: ScannedFile) => !indexed.has(file.path) && isWanted(file)
  const files = priorityOrder(filesOf(project).filter(isLeft))
  let yieldedAt = startedAt
  for (const [searched, { path }] of files.entries()) {
    const now = performance.now()
    if (searched >= MIN_FILES && now - startedAt > SCAN_MS) return { searched, total: files.length }
    if (now - yieldedAt > YIELD_MS) {
      await new Promise(setImmediate)
      signal?.throwIfAborted()
      yieldedAt = performance.now()
    }
    const source = readSource(root, path, config.index.maxFileBytes)
    if ("reason" in source) continue
    const text = readableText(path, source.text)
    if (isHolding(text)) scan.add(path, text)
  }
  return { searched: files.length, total: files.length }
}

/** Time in ms for which a file list is used again, because listing 100,000 files takes seconds. */
const LIST_MS = 30_000

const lists = new WeakMap<Project, { readonly files: readonly ScannedFile[]; readonly until: number }>()

function filesOf(project: Project): readonly ScannedFile[] {
  const known = lists.get(project)
  if (known !== undefined && performance.now() < known.until) return known.files
  const { files } = scanProject(project.root, scanOptionsOf(project.config))
  lists.set(project, { files, until: performance.now() + LIST_MS })
  return files
}

/** Tests the path of a file against the filters of the request and the operators of the query. */
function fileTest(
  { root }: Project,
  { paths, extensions = [], languages, content }: SearchRequest,
  { wanted, unwanted }: Operators,
): (file: ScannedFile) => boolean {
  const isWanted = pathFilter({
    paths: filtersIn(root, paths),
    extensions,
    files: wanted.files,
    unwantedFiles: unwanted.files,
  })
  const named = [languages, wanted.languages]
    .filter(({ length }) => length > 0)
    .map((names) => names.map(languageId))
  const without = unwanted.languages.map(languageId)
  return ({ path }) => {
    if (isDocument(path) || !isWanted(path)) return false
    const language = languageOf(path, "")
    const isOfContent = content === "all" || contentKindOf(language) === content
    return isOfContent && named.every((ids) => ids.includes(language.id)) && !without.includes(language.id)
  }
}

/** Tests a text against the phrases and excluded words of the query. */
function textTest({ wanted, unwanted }: Operators): (text: string) => boolean {
  const present = wanted.phrases.map(phraseTest)
  const absent = unwanted.phrases.map(phraseTest)
  const excluded = unwanted.words.map((word) => new WordScan(word))
  if (present.length + absent.length + excluded.length === 0) return () => true
  return (text) => {
    const compared = comparable(text)
    return (
      present.every((isIn) => isIn(compared)) &&
      !absent.some((isIn) => isIn(compared)) &&
      !excluded.some((word) => word.isIn(text))
    )
  }
}

/** A scanned text as a result; null if it can no longer be read. */
function resultOf(
  { root, config }: Project,
  { path, score, startLine, endLine }: ScannedText,
): SearchResult | null {
  const source = readSource(root, path, config.index.maxFileBytes)
  if ("reason" in source) return null
  const text = lineRange(readableText(path, source.text), startLine, endLine).replace(/\n$/, "")
  return {
    path,
    start_line: startLine,
    end_line: startLine + text.split("\n").length - 1,
    symbol: null,
    language: languageOf(path, source.text).id,
    kind: "text",
    score,
    text: displayText(text),
    also: [],
  }
}

/** Gives the results passages: their lines while the tokens last, then their first line each. */
function withinTokens(results: readonly SearchResult[], tokens: number | undefined): readonly SearchResult[] {
  if (tokens === undefined) return results
  let left = charactersIn(tokens)
  return results.map((result) => {
    const { start_line, end_line, text } = result
    left -= text.length
    const whole = { start_line, end_line, text }
    const first = { start_line, end_line: start_line, text: text.split("\n", 1)[0]! }
    return { ...result, passages: [left >= 0 ? whole : first] }
  })
}

/**
 * Mixes the results of the index and of the word search, each as often as its share of the files. Their scores cannot be
 * compared, so that the scores of the answer only give the order.
 */
function mixed(
  indexed: readonly SearchResult[],
  scanned: readonly SearchResult[],
  share: number,
): SearchResult[] {
  const placed = [
    ...indexed.map((result, at) => ({ result, at: (at + 0.5) / share })),
    ...scanned.map((result, at) => ({ result, at: (at + 0.5) / (1 - share) })),
  ]
  placed.sort((a, b) => a.at - b.at)
  return placed.map(({ result }, at) => ({ ...result, score: Math.round(1e4 / (at + 1)) / 1e4 }))
}
