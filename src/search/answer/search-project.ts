/*
 * Answers a search in one project. `searchProject`: 1. brings the index up to date; in a large project it searches
 * meanwhile; 2. `pageOf` has the index searched (`searchIndex`), lets a re-ranker reorder the files and reads the lines of
 * each result; 3. results whose file has changed are indexed again and the search is repeated, at most MAX_RETRIES
 * times; 4. the page and its notices are assembled.
 */

import {
  elapsedMs,
  type ResultPlace,
  type SearchAnswer,
  type SearchRequest,
  type SearchResult,
  spelledOnDisk,
} from "../../base/index.ts"
import {
  type AnswerOptions,
  belowRoot,
  FreshnessCheck,
  filtersIn,
  IndexFilesChanged,
  type IndexReader,
  type Project,
  partialIndex,
  type ReindexOutcome,
  reindex,
  type Snapshot,
  statAt,
  whyEmpty,
  withoutLines,
} from "../../index/index.ts"
import { displayText, readableText } from "../../parse/index.ts"
import type { Store } from "../../store/index.ts"
import {
  isFunctionWord,
  isNotebook,
  type LineRange,
  lineRange,
  readLines,
  readSource,
} from "../../text/index.ts"
import { leftOutNamed, leftOutNote } from "../../tree/index.ts"
import { mayBeQuestion } from "../channels/candidates.ts"
import type { ReadLines } from "../channels/compare-texts.ts"
import { resultLimit } from "../options.ts"
import { excludedDocuments, languageId } from "../query/filter.ts"
import { NO_OPERATORS, parseOperators, parsePlace } from "../query/operators.ts"
import { coverage, guessedText } from "../query/query.ts"
import type { RankedPlace } from "../rank/rank.ts"
import type { FoundFile, RankedFiles } from "../rank-candidates.ts"
import { type QueryAnswer, searchQuery } from "../search-query.ts"
import { nearestIn } from "./nearest-only.ts"
import { isReranked, RERANKED, reranked, type Suggestions, suggestions } from "./other-rankers.ts"

// A file that changes faster than it can be indexed must not delay a query forever.
const MAX_RETRIES = 2

/**
 * Answers a query from the index; the text comes from the files as they are now. Searches again if a result is stale. The
 * caller has a damaged index repaired.
 */
export async function searchProject(
  project: Project,
  request: SearchRequest,
  options: AnswerOptions,
): Promise<SearchAnswer> {
  const started = performance.now()
  // An unknown language is refused before an index is built for the question.
  for (const name of request.languages) languageId(name)
  let { reader, failure, early } = await freshSnapshot(project, request, options)
  const maxRetries = failure === null ? MAX_RETRIES : 0
  let outcome: ReindexOutcome = "none"
  for (let attempt = 1; ; attempt++) {
    if (reader === null) return empty(request, started)
    const shown = early ?? (await pageOf(project, reader, request))
    early = null
    const { stale } = shown
    if (stale.length > 0 && attempt <= maxRetries) {
      const snapshot = await reindex(project, options, stale)
      ;({ failure, outcome } = snapshot)
      if (outcome === "done") {
        reader = snapshot.reader
        continue
      }
    }
    // With `refresh`, no process indexes the stale files after this answer, so the notice must not promise that.
    const next = options.refresh ? "none" : outcome
    return searchAnswer(project, reader, request, shown, { failure, next, started })
  }
}

type FreshSnapshot = Snapshot & {
  /** Answer found while another thread checked the files, if none had changed; else null. */
  readonly early: Page | null
}

async function freshSnapshot(
  project: Project,
  request: SearchRequest,
  options: AnswerOptions,
): Promise<FreshSnapshot> {
  const prepared = options.refresh
    ? await searchWhileChecking(project, request, options)
    : { reader: project.reader(), failure: null, early: null }
  if (prepared.failure !== null || !isLikeStale(project, request)) return prepared
  return { ...(await reindex(project, options, [])), early: null }
}

/** Brings the index up to date; in a large project, searches it at the same time. */
async function searchWhileChecking(
  project: Project,
  request: SearchRequest,
  options: AnswerOptions,
): Promise<FreshSnapshot> {
  using check = new FreshnessCheck(project, options)
  const current = check.startBeside()
  // All errors are ignored here: if a change has caused the error, the search must be repeated anyway; if not,
  // the repeated search reports it.
  const early = current && (await pageOf(project, current, request, check.throwIfChanged).catch(() => null))
  const { isUnchanged, ...snapshot } = await check.finish()
  return { ...snapshot, early: isUnchanged ? early : null }
}

function searchAnswer(
  project: Project,
  reader: IndexReader,
  request: SearchRequest,
  { found, results, stale }: Page,
  run: { readonly failure: string | null; readonly next: ReindexOutcome; readonly started: number },
): SearchAnswer {
  const { query, names, offset = 0, mode } = request
  const nearest = nearestIn([found], mode)
  const { nearNames = [] } = found
  const hint = nearest.nearest_only && nearNames.length === 0 ? [] : namesHint(found, request)
  return {
    query,
    ...(guessedText(names) === "" ? {} : { names }),
    class: found.query.classification.class,
    results,
    offset,
    next_offset: found.hasMore ? offset + found.files.length : null,
    partial: partialIndex(reader.store),
    notices: [
      ...found.notices,
      ...(run.failure === null ? [] : [run.failure]),
      ...searchNotices(found, offset),
      ...nearest.notices,
      ...(request.explain && nearNames.length > 0
        ? [`names nearest to the question: ${nearNames.join(", ")}`]
        : []),
      ...hint,
      ...staleNotices(stale, run.next),
      ...leftOutNotices(project, reader, request),
      ...emptyNotices(project, reader, found),
      ...(nearest.notices.length > 0 || found.files.length === 0 ? documentNotices(reader, request) : []),
    ],
    ...(nearest.nearest_only ? { nearest_only: true } : {}),
    ...(hint.length > 0 && nearNames.length > 0 ? { near_names: nearNames } : {}),
    took_ms: elapsedMs(run.started),
  }
}

function searchNotices(found: QueryAnswer, offset: number): string[] {
  const notices: string[] = []
  if (found.files.length === 0 && offset) {
    notices.push(`there are no results at offset ${offset}; start at offset 0`)
  }
  if (found.embedderFailure !== null)
    notices.push(`${found.embedderFailure}; the built-in vectors were used instead`)
  return notices
}

function staleNotices(stale: readonly string[], outcome: ReindexOutcome): string[] {
  if (stale.length === 0) return []
  const next = outcome === "none" ? "" : "; they are being indexed"
  return [`${stale.length} changed since indexing and omitted${next}`]
}

/** Why files that the question names are not in the index. */
function leftOutNotices(
  { root, config }: Project,
  { store }: IndexReader,
  { query, names = [], paths }: SearchRequest,
): string[] {
  if (partialIndex(store) !== null) return []
  return leftOutNamed({ root, config, store }, [query, ...names, ...paths]).map((each) => leftOutNote(each))
}

function emptyNotices({ root }: Project, { store }: IndexReader, found: QueryAnswer): string[] {
  return found.files.length === 0 ? [...found.whyNothing, ...whyEmpty(root, store)] : []
}

/** Says that documents were not searched, because one of them may have the words that no other file has. */
function documentNotices({ store }: IndexReader, request: SearchRequest): string[] {
  const { wanted } = request.isPlain
    ? NO_OPERATORS
    : parseOperators(request.query, { isTyped: request.isTyped })
  const { length } = excludedDocuments(store.files, request, wanted)
  if (length === 0) return []
  const which = length === 1 ? "1 document was" : `${length} documents were`
  return [`${which} not searched; the content "docs" finds documents, too`]
}

/** The place of `like` with its path relative to the root. */
function placeIn({ root }: Project, like: string): string {
  const place = belowRoot(root, like.trim()) ?? like
  const { path } = withoutLines(place)
  return spelledOnDisk(root, path) + place.slice(path.length)
}

/** True when the file of the `like` place differs from its indexed version, or is not indexed. */
function isLikeStale(project: Project, { like }: SearchRequest): boolean {
  const reader = like ? project.reader() : null
  if (!like || reader === null) return false
  const { root, config } = project
  const { path } = parsePlace(placeIn(project, like))
  const row = reader.store.files.byPath(path)
  if (row === null) return !path.includes("..") && (statAt(`${root}/${path}`)?.isFile() ?? false)
  const indexed = reader.store.texts
  const source = readSource(root, path, config.index.maxFileBytes, { indexed })
  return "reason" in source || source.hash !== row.hash
}

type RankingOptions = {
  /** Throws when the search is to end early. */
  readonly check?: (() => void) | undefined
  /** Files that the user's search program found for the same query; absent: the program is asked. */
  readonly known?: Suggestions
}

/** The files that the index has for a request, best first; `resultWithText` reads their lines. */
export async function searchIndex(
  project: Project,
  reader: IndexReader,
  request: SearchRequest,
  { check = () => {}, known }: RankingOptions = {},
): Promise<QueryAnswer> {
  const { suggested, notices } = known ?? (await suggestions(project, reader.store, request))
  const readText = (path: string) => {
    const indexed = reader.store.texts
    const source = readSource(project.root, path, project.config.index.maxFileBytes, { indexed })
    return "reason" in source ? null : readableText(path, source.text)
  }
  for (let attempt = 1; ; attempt++) {
    try {
      const vectors = request.mode !== "keyword"
      using sources = reader.sources({ vectors, encoder: project.config.embeddings.encoder !== "off" })
      return await searchQuery(sources, {
        ...request,
        ...(reader.isFixed || partialIndex(reader.store) === null ? {} : TRUSTING),
        paths: filtersIn(project.root, request.paths),
        ...(request.like && { like: placeIn(project, request.like) }),
        limit: resultLimit(request, project.config.search.limit),
        folder: project.folder,
        pathRule: project.pathRule,
        readText,
        readLines: linesReader(project, reader),
        suggested,
        notices,
        check,
      })
    } catch (error) {
      // The index files were replaced while this attempt waited for the embedder. The query's vector is cached
      // now, so the next attempt does not wait.
      if (!(error instanceof IndexFilesChanged) || attempt > MAX_RETRIES) throw error
    }
  }
}

/** A word or an operator that finds nothing in an unfinished index may occur in the files that it lacks. */
const TRUSTING = { correctable: [], keepsOperators: true } as const

type Page = {
  readonly found: QueryAnswer
  readonly results: readonly SearchResult[]
  /** Files that changed since they were indexed, and are therefore not shown. */
  readonly stale: readonly string[]
}

/** The page that is asked for: its files, in the order of the re-ranker if there is one, and the best place of each. */
async function pageOf(
  project: Project,
  reader: IndexReader,
  request: SearchRequest,
  check?: () => void,
): Promise<Page> {
  const { offset = 0 } = request
  const { rerank, search } = project.config
  const limit = resultLimit(request, search.limit)
  const isReordered = offset < RERANKED && isReranked(rerank, request)
  // All results that the re-ranker orders are found, and then the page that is asked for is taken.
  const range = isReordered ? { offset: 0, limit: Math.max(RERANKED, offset + limit) } : { offset, limit }
  const found = await searchIndex(project, reader, { ...request, ...range }, { check })
  const rows = found.files.map((file) => ({ file, result: resultWithText(project, reader, file) }))
  const first = isReordered
    ? await reranked(rerank, request.query, rows.slice(0, RERANKED))
    : { rows: [], notices: [] }
  const from = offset - range.offset
  const page = [...first.rows, ...rows.slice(first.rows.length)].slice(from, from + limit)
  return {
    found: {
      ...found,
      files: page.map(({ file }) => file),
      hasMore: found.hasMore || rows.length > from + limit,
      notices: [...found.notices, ...first.notices],
    },
    results: page.flatMap(({ result }) => result ?? []),
    stale: page.flatMap(({ file, result }) => (result === null ? [file.path] : [])),
  }
}

/** A result with its text; null when the file changed since it was indexed. */
export function resultWithText(project: Project, reader: IndexReader, file: FoundFile): SearchResult | null {
  const row = reader.store.files.get(file.id)
  if (row === null) return null
  const [ranked, ...others] = file.places
  const best = atMatchingLine(reader, file, ranked!)
  const place = resultPlace(reader, file, best)
  const text = indexedLines(project, reader.store, row, [
    { first: place.start_line, last: place.end_line },
  ])?.[0]
  if (text === undefined) return null
  const match = file.matchingLines?.find((line) => line >= place.start_line && line <= place.end_line)
  return {
    path: file.path,
    ...place,
    ...(match === undefined ? {} : { match }),
    language: file.language,
    kind: best.symbol?.kind ?? reader.store.chunks.get(file.id, best.ordinal)?.kind ?? "block",
    score: Math.round(file.score * 1e4) / 1e4,
    text: displayText(text),
    also: others.map((other) => resultPlace(reader, file, other)),
    ...(file.variants.length === 0 ? {} : { variants: file.variants }),
    ...(file.explanation === null ? {} : { explanation: file.explanation }),
  }
}

/** The place with the innermost definition around the line that matches a pattern; unchanged if no line does. */
function atMatchingLine(
  { store }: IndexReader,
  { id, matchingLines = [] }: FoundFile,
  place: RankedPlace,
): RankedPlace {
  const chunk = matchingLines.length === 0 ? null : store.chunks.get(id, place.ordinal)
  const match = chunk && matchingLines.find((line) => line >= chunk.startLine && line <= chunk.endLine)
  if (!match) return place
  const around = store.symbols
    .ofChunk(id, place.ordinal)
    .filter(({ startLine, endLine }) => startLine <= match && endLine >= match)
  const symbol = around.findLast(({ startLine }) => startLine === match) ?? around.at(-1)
  return symbol === undefined ? place : { ordinal: place.ordinal, score: place.score, symbol }
}

/** Returns a function that reads lines of indexed files that have not changed since. */
export function linesReader(project: Project, { store }: IndexReader): ReadLines {
  return ({ id, path }, ranges) => {
    const hash = store.files.hash(id)
    return hash === null ? null : indexedLines(project, store, { path, hash }, ranges)
  }
}

/** Ranges of lines of a file; null when its hash is no longer that of the index. */
function indexedLines(
  { root, config }: Project,
  { texts }: Store,
  { path, hash }: { readonly path: string; readonly hash: string },
  ranges: readonly LineRange[],
): readonly string[] | null {
  const { maxFileBytes } = config.index
  if (!isNotebook(path))
    return readLines(root, path, { maxBytes: maxFileBytes, hash, indexed: texts }, ranges)
  const source = readSource(root, path, maxFileBytes)
  if ("reason" in source || source.hash !== hash) return null
  const text = readableText(path, source.text)
  return ranges.map(({ first, last }) => lineRange(text, first, last))
}

function resultPlace(reader: IndexReader, file: FoundFile, place: RankedPlace): ResultPlace {
  const chunk = reader.store.chunks.get(file.id, place.ordinal)
  const { symbol } = place
  return {
    start_line: chunk?.startLine ?? 1,
    end_line: chunk?.endLine ?? 1,
    symbol: symbol === null ? null : symbol.owner === null ? symbol.name : `${symbol.owner}.${symbol.name}`,
  }
}

function empty(request: SearchRequest, started: number): SearchAnswer {
  return {
    query: request.query,
    class: "natural",
    results: [],
    offset: request.offset ?? 0,
    next_offset: null,
    partial: { done: 0, total: 0, share: 0 },
    took_ms: elapsedMs(started),
    notices: ["there is no index yet"],
  }
}

/**
 * How far the words of a question have to be from those of the project (`strangenessOf`), and the largest share of the
 * question that the definitions and path of one of the first files may have. Both hold for 54 and 86 % of two sets of
 * questions about applications, and for 5 % of the labelled questions about libraries.
 */
const MIN_STRANGENESS = 0.4
const MAX_NAMED = 0.4
/** Number of words of a question; fewer are words that the user knows from the code. */
const MIN_QUESTION = 4
/** A quotation or an operator: the user knows words of the code. */
const OPERATOR = /"|(?:^|\s)-?\w+:\S/u
/** Names nearest in meaning that a hint lists. */
const MAX_NEAR = 6
/** Number of the first results that are looked at. */
const FILES = 5

function inShell(text: string): string {
  return `'${text.replaceAll("'", "'\\''")}'`
}

/**
 * For a question without names that has other words than the code: a line with the words that are in no definition or
 * path of the first results, for which the caller can guess names, and with the project's own names that are nearest in
 * meaning. Empty if names would hardly help.
 */
function namesHint({ query, scale, files, nearNames = [] }: RankedFiles, request: SearchRequest): string[] {
  const { names, mode, like, offset = 0 } = request
  if (guessedText(names) !== "" || mode === "semantic" || like !== undefined || offset > 0) return []
  const isShort = request.query.trim().split(/\s+/u).length < MIN_QUESTION
  if (isShort || OPERATOR.test(request.query)) return []
  if (!mayBeQuestion(query) || query.names.length > 0 || (scale.strangeness ?? 0) < MIN_STRANGENESS) return []
  const named = files.slice(0, FILES).map(({ ranked }) => {
    const { names: defined, stem, dirs } = ranked.candidate.hit.masks
    return defined | stem | dirs
  })
  if (named.length === 0 || named.some((mask) => coverage(mask, scale) > MAX_NAMED)) return []
  const isUnnamed = (index: number) => named.every((mask) => ((mask >>> index) & 1) === 0)
  const words = query.words.filter((word, index) => isUnnamed(index) && !isFunctionWord(word))
  if (words.length < 2) return []
  const unnamed = words.slice(0, 4).join(", ")
  const near = nearNames.slice(0, MAX_NEAR)
  if (near.length === 0) return [`the code may use other words: ask again with names for ${unnamed}`]
  return [
    `the code may use other words for ${unnamed}. Its names nearest in meaning follow; keep those that fit: aman search ${inShell(request.query)} --names ${near.join(" ")}`,
  ]
}
