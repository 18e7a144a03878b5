import { readableText, shownText } from "../code/readable-text.ts"
import { statAt } from "../indexing/rescan.ts"
import { type Answered, ask } from "../search/ask.ts"
import { parsePlace } from "../search/like.ts"
import type { RankedPlace } from "../search/places.ts"
import type { IndexReader } from "../search/reader.ts"
import type { FoundFile } from "../search/search.ts"
import { SourcesTouched } from "../search/sources.ts"
import { isDamage } from "../store/sqlite-error.ts"
import type { LineRange } from "../text/decode-lines.ts"
import { lineRange } from "../text/line-range.ts"
import { isNotebook } from "../text/notebook-file.ts"
import { readLines, readSource } from "../text/read-source.ts"
import type { Place, SearchAnswer, SearchRequest, SearchResult } from "./answers.ts"
import { filtersIn } from "./below-root.ts"
import { leadOrWait } from "./lead-or-wait.ts"
import { nearestIn } from "./nearest-only.ts"
import { partialOf } from "./notices.ts"
import type { Project } from "./open-project.ts"
import { type Refreshed, type RefreshOptions, refreshOrSay } from "./refresh-index.ts"
import { whyEmpty } from "./why-empty.ts"

export type SearchOptions = {
  /** Bring the index up to date first, unless another process does so. */
  readonly refresh: boolean
  readonly signal?: AbortSignal | undefined
  readonly quickFiles?: RefreshOptions["quickFiles"]
  /** Called when files changed since they were indexed, or what is kept of them is damaged. */
  readonly onStale?: (paths: readonly string[]) => Promise<Mended>
}

/** `again`: the index was brought up to date, ask it once more; `later`: that is under way; `not`: not by us. */
export type Mended = "again" | "later" | "not"

// A file that changes faster than it can be indexed must not keep a query from its answer.
const MOST_RETRIES = 2

/** Answers a query from the index; the text shown is what the files hold now. */
export async function searchProject(
  project: Project,
  request: SearchRequest,
  options: SearchOptions,
): Promise<SearchAnswer> {
  const started = performance.now()
  let { failure, answer } = await prepare(project, request, options)
  const mostRetries = failure === null ? MOST_RETRIES : 0
  let mended: Mended = "not"
  for (let attempt = 1; ; attempt++) {
    const reader = project.reader()
    if (reader === null) return empty(request, started)
    const shown = answer ?? (await showOrRebuild(project, reader, request, options))
    answer = null
    if (shown === null) continue
    const { stale } = shown
    if (stale.length > 0 && attempt <= mostRetries) {
      ;({ failure, mended } = await refreshed(project, options, stale))
      if (mended === "again") continue
    }
    // Who looks at the files for each question does nothing about them after it.
    const next = options.refresh ? "not" : mended
    return { ...answerOf(project, reader, request, shown, { failure, next }), took_ms: elapsed(started) }
  }
}

function answerOf(
  project: Project,
  reader: IndexReader,
  { query, offset = 0, mode }: SearchRequest,
  { found, results, stale }: Shown,
  { failure, next }: { readonly failure: string | null; readonly next: Mended },
): Omit<SearchAnswer, "took_ms"> {
  const nearest = nearestIn([found], mode)
  return {
    query,
    class: found.query.classification.class,
    results,
    offset,
    next_offset: found.hasMore ? offset + found.files.length : null,
    partial: partialOf(reader.store),
    notices: [
      ...found.notices,
      ...(failure === null ? [] : [failure]),
      ...noticesOf(found, offset),
      ...nearest.notices,
      ...staleNotices(stale, next),
      ...whyNothing(project, reader, found),
    ],
    ...(nearest.nearest_only ? { nearest_only: true } : {}),
  }
}

function noticesOf(found: Answered, offset: number): string[] {
  const notices: string[] = []
  if (found.files.length === 0 && offset) {
    notices.push(`there are no results from offset ${offset} on; begin with offset 0`)
  }
  if (found.embedderFailure !== null)
    notices.push(`${found.embedderFailure}; ranked by the built-in vectors instead`)
  return notices
}

function staleNotices(stale: readonly string[], mended: Mended): string[] {
  if (stale.length === 0) return []
  const next = mended === "not" ? "" : "; they are being indexed"
  return [`${stale.length} changed since indexing and left out${next}`]
}

function whyNothing({ root }: Project, { store }: IndexReader, found: Answered): string[] {
  return found.files.length === 0 ? [...found.whyNothing, ...whyEmpty(root, store)] : []
}

/** The place that others are to be like is a place of the file as it is now. */
function isLikeStale(project: Project, { like }: SearchRequest): boolean {
  const reader = like ? project.reader() : null
  if (!like || reader === null) return false
  const { root, config } = project
  const { path } = parsePlace(like)
  const known = reader.store.files.byPath(path)
  if (known === null) return !path.includes("..") && (statAt(`${root}/${path}`)?.isFile() ?? false)
  const source = readSource(root, path, config.index.maxFileBytes)
  return "reason" in source || source.hash !== known.hash
}

async function prepare(
  project: Project,
  request: SearchRequest,
  options: SearchOptions,
): Promise<Refreshed<Shown>> {
  const prepared = options.refresh
    ? await refreshOrSay(project, options, (reader, check) => findAndShow(project, reader, request, check))
    : { failure: null, answer: null }
  if (prepared.failure !== null || !isLikeStale(project, request)) return prepared
  const { failure } = await refreshed(project, options, [])
  return { failure, answer: null }
}

/** After files turned out to be others than the index says. */
export async function refreshed(
  project: Project,
  options: SearchOptions,
  suspects: readonly string[],
): Promise<{ readonly failure: string | null; readonly mended: Mended }> {
  if (!options.refresh) return { failure: null, mended: (await options.onStale?.(suspects)) ?? "not" }
  const { failure } = await refreshOrSay(project, { ...options, suspects })
  return { failure, mended: failure === null ? "again" : "not" }
}

function elapsed(started: number): number {
  return Math.round((performance.now() - started) * 100) / 100
}

/** Null where the index turned out damaged and was made anew: ask again. */
async function showOrRebuild(
  project: Project,
  reader: IndexReader,
  request: SearchRequest,
  options: SearchOptions,
): Promise<Shown | null> {
  try {
    return await findAndShow(project, reader, request)
  } catch (error) {
    if (!isDamage(error) || !options.refresh) throw error
    project.close()
    using indexer = await leadOrWait(project, options.signal)
    // Whoever leads finds it, too, and makes it anew.
    if (indexer === null) throw error
    indexer.rebuild()
    await indexer.run({ signal: options.signal })
    return null
  }
}

/** What the index finds, best first; `show` reads the lines. */
export async function find(
  project: Project,
  reader: IndexReader,
  request: SearchRequest,
  check = () => {},
): Promise<Answered> {
  for (let attempt = 1; ; attempt++) {
    try {
      return await findOnce(project, reader, request, check)
    } catch (error) {
      // What it waited for is known by now: the next attempt does not wait.
      if (!(error instanceof SourcesTouched) || attempt > MOST_RETRIES) throw error
    }
  }
}

async function findOnce(
  project: Project,
  reader: IndexReader,
  request: SearchRequest,
  check: () => void,
): Promise<Answered> {
  using sources = reader.sources({ vectors: request.mode !== "keyword" })
  const readText = (path: string) => {
    const source = readSource(project.root, path, project.config.index.maxFileBytes)
    return "reason" in source ? null : readableText(path, source.text)
  }
  const { limit, rrfK, weights } = project.config.search
  return await ask(sources, {
    ...request,
    paths: filtersIn(project.root, request.paths),
    limit: request.limit ?? limit,
    folder: project.folder,
    rrfK,
    weights,
    readText,
    check,
  })
}

type Shown = {
  readonly found: Answered
  readonly results: readonly SearchResult[]
  /** Files that are not what was indexed, and so not shown. */
  readonly stale: readonly string[]
}

/** Finds files and reads the places of every one. */
async function findAndShow(
  project: Project,
  reader: IndexReader,
  request: SearchRequest,
  check?: () => void,
): Promise<Shown> {
  const found = await find(project, reader, request, check)
  const results: SearchResult[] = []
  const stale: string[] = []
  for (const file of found.files) {
    const result = show(project, reader, file)
    if (result === null) stale.push(file.path)
    else results.push(result)
  }
  return { found, results, stale }
}

/** Null where the file is not what was indexed. */
export function show(project: Project, reader: IndexReader, file: FoundFile): SearchResult | null {
  const row = reader.store.files.get(file.id)
  if (row === null) return null
  const [best, ...others] = file.places
  const place = placeOf(reader, file, best!)
  const text = linesShown(project, file.path, row.hash, { first: place.start_line, last: place.end_line })
  if (text === null) return null
  return {
    path: file.path,
    ...place,
    language: file.language,
    kind: best!.symbol?.kind ?? reader.store.chunks.get(file.id, best!.ordinal)?.kind ?? "block",
    score: Math.round(file.score * 1e4) / 1e4,
    text: shownText(text),
    also: others.map((other) => placeOf(reader, file, other)),
    ...(file.variants.length === 0 ? {} : { variants: file.variants }),
    ...(file.explanation === null ? {} : { explanation: file.explanation }),
  }
}

/** Null where the file has another hash by now. */
function linesShown({ root, config }: Project, path: string, hash: string, lines: LineRange): string | null {
  const { maxFileBytes } = config.index
  if (!isNotebook(path)) return readLines(root, path, { maxBytes: maxFileBytes, hash }, lines)
  const source = readSource(root, path, maxFileBytes)
  if ("reason" in source || source.hash !== hash) return null
  return lineRange(readableText(path, source.text), lines.first, lines.last)
}

function placeOf(reader: IndexReader, file: FoundFile, place: RankedPlace): Place {
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
    took_ms: elapsed(started),
    notices: ["there is no index yet"],
  }
}
