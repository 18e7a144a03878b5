import { AmanError, type Config, type SearchRequest, type SearchResult, toPosix } from "../../base/index.ts"
import { askSearcher, configuredReranker, type Project } from "../../index/index.ts"
import type { Store } from "../../store/index.ts"
import type { SuggestedFile } from "../options.ts"

/** Number of results that the re-ranker puts in a new order. */
export const RERANKED = 20
/** Characters of a result that are sent: about what re-rankers read. */
const MAX_DOCUMENT_CHARS = 2000
/** A notice about the same failure is repeated only after this time. */
const REPEAT_AFTER_MS = 10 * 60_000

export type RerankedRows<Row> = { readonly rows: readonly Row[]; readonly notices: readonly string[] }

const shownAt = new Map<string, number>()

/** True if a re-ranker orders the results of this request. */
export function isReranked(
  rerank: Config["rerank"],
  request: { mode?: string | undefined; like?: unknown },
): boolean {
  return rerank.provider !== "none" && request.mode !== "keyword" && !request.like
}

/**
 * The rows in the order of the configured re-ranker. Without an answer they keep their order, and a notice says why,
 * once in ten minutes.
 */
export async function reranked<Row extends { readonly result: SearchResult | null }>(
  rerank: Config["rerank"],
  query: string,
  rows: readonly Row[],
): Promise<RerankedRows<Row>> {
  const sent = rows.filter(({ result }) => result !== null)
  if (sent.length < 2) return { rows, notices: [] }
  try {
    const reranker = configuredReranker(rerank)!
    const scores = await reranker.scores(
      query,
      sent.map(({ result }) => rerankText(result!)),
    )
    const scoreOf = new Map(sent.map((row, at) => [row, scores[at]!]))
    // Rows without a text come last. Sorting is stable: rows with equal scores keep their order.
    const score = (row: Row) => scoreOf.get(row) ?? Number.NEGATIVE_INFINITY
    return { rows: rows.toSorted((one, other) => compareNumbers(score(other), score(one))), notices: [] }
  } catch (error) {
    if (!(error instanceof AmanError)) throw error
    return { rows, notices: occasionalNotice(error) }
  }
}

function compareNumbers(one: number, other: number): number {
  return one === other ? 0 : one - other
}

/** The failure of a re-ranker or a search program as a notice; none if the same was shown less than ten minutes ago. */
function occasionalNotice({ message, hint }: AmanError): string[] {
  const now = performance.now()
  if (now - (shownAt.get(message) ?? Number.NEGATIVE_INFINITY) < REPEAT_AFTER_MS) return []
  shownAt.set(message, now)
  return [`${message}; the results are in aman's own order${hint === undefined ? "" : ` (${hint})`}`]
}

function rerankText({ path, symbol, text }: SearchResult): string {
  const head = symbol === null ? path : `${path} ${symbol}`
  return `${head}\n${text}`.slice(0, MAX_DOCUMENT_CHARS).toWellFormed()
}

export type Suggestions = {
  readonly suggested: readonly SuggestedFile[]
  readonly notices: readonly string[]
}

const NONE: Suggestions = { suggested: [], notices: [] }

/**
 * The indexed files that the user's search program finds for a request, best first; none without a program, and for a
 * search by words alone, for similar code, and for an estimate. If it fails, a notice says why, once in ten minutes.
 */
export async function suggestions(
  { root, config: { searcher } }: Project,
  store: Store,
  { query, mode, like, isEstimate }: SearchRequest,
): Promise<Suggestions> {
  if (searcher.program === "" || mode === "keyword" || like || isEstimate) return NONE
  try {
    const places = await askSearcher(searcher, root, query)
    const files = new Map<string, SuggestedFile>()
    for (const { path: given, line } of places) {
      const path = toPosix(given).replace(/^\.\//u, "")
      const id = files.has(path) ? undefined : store.files.byPath(path)?.id
      if (id === undefined) continue
      files.set(path, {
        id,
        path,
        ordinal: line === null ? null : (store.chunks.atLine(id, line)?.ordinal ?? null),
      })
    }
    return { suggested: [...files.values()], notices: [] }
  } catch (error) {
    if (!(error instanceof AmanError)) throw error
    return { suggested: [], notices: occasionalNotice(error) }
  }
}
