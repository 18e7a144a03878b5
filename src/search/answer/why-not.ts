/*
 * Explains why a file is not, or not higher, among the results. `whyNot`: 1. a search brings the index up to date; 2.
 * a file that is not indexed: the skipped file or folder is named; 3. otherwise its rank among the first MAX_RANK
 * results; 4. if it is not among them, the filters that exclude it, or the words that it lacks.
 */

import { existsSync } from "node:fs"
import { join } from "node:path"
import { type SearchRequest, toPosix } from "../../base/index.ts"
import {
  type AnswerOptions,
  filtersIn,
  type IndexReader,
  type Project,
  partialIndex,
  withIndexRepair,
} from "../../index/index.ts"
import { leftOutAt, leftOutNote } from "../../tree/index.ts"
import { type FilterName, filtersGiven } from "../query/filter.ts"
import type { QueryAnswer } from "../search-query.ts"
import { suggestions } from "./other-rankers.ts"
import { searchIndex, searchProject } from "./search-project.ts"

/** Why a file is missing from the results of a query, or ranks low. */
export type WhyNot = {
  readonly path: string
  readonly query: string
  /** The reason as one sentence. */
  readonly reason: string
  /**
   * The skipped entry that keeps the file out of the index: the file itself or a folder above it. Null if the
   * file is indexed.
   */
  readonly skipped: { readonly path: string; readonly reason: string } | null
  /** Filters and operators of the request that exclude the file. */
  readonly excluded_by: readonly string[]
  /** 1-based rank among all results; null when the file is excluded, not indexed, or ranks below MAX_RANK. */
  readonly rank: number | null
  /** The best result, for comparison. */
  readonly first: string | null
  /** Words of the query that the file has, and those it lacks. */
  readonly has: readonly string[]
  readonly lacks: readonly string[]
}

/** The explanation as lines of text. */
export function whyNotLines({ path, reason, has, first, rank }: WhyNot): string[] {
  return [
    `${path}: ${reason}`,
    ...(has.length === 0 ? [] : [`words of the query that it has: ${has.join(", ")}`]),
    ...(first === null || rank === 1 ? [] : [`the first result is ${first}`]),
  ]
}

/** Files that rank below this are reported as such without an exact rank, because ranking more files takes long. */
const MAX_RANK = 200

/** Explains why `path` is not, or not higher, in the answer to a request. */
export async function whyNot(
  project: Project,
  request: SearchRequest,
  path: string,
  options: AnswerOptions,
): Promise<WhyNot> {
  const [wanted = path] = filtersIn(project.root, [toPosix(path).replace(/^\.\//u, "")])
  const { query } = request
  // A search brings the index up to date first. In the mode `keyword` it asks none of the user's programs.
  await withIndexRepair(project, options, () =>
    searchProject(project, { ...request, mode: "keyword", limit: 1 }, options),
  )
  const reader = project.reader()
  const base = {
    ...{ path: wanted, query, excluded_by: [], rank: null, first: null },
    ...{ has: [], lacks: [], skipped: null },
  }
  if (reader === null) return { ...base, reason: "there is no index yet" }
  const row = reader.store.files.byPath(wanted)
  if (row === null) return { ...base, ...notIndexed(project, reader, wanted) }
  const all: SearchRequest = { ...request, limit: MAX_RANK, offset: 0 }
  const suggested = await suggestions(project, reader.store, all)
  const ranked = await searchIndex(project, reader, all, { known: suggested })
  const first = ranked.files[0]?.path ?? null
  const words = queryWordPresence(reader, ranked, row.id)
  const at = ranked.files.findIndex((file) => file.path === wanted || file.variants.includes(wanted))
  if (at >= 0) {
    const isVariant = ranked.files[at]!.path !== wanted
    const reason = rankReason(at + 1, words, isVariant, ranked.files[at]!.path)
    return { ...base, ...words, first, rank: at + 1, reason }
  }
  const rankedPaths = async (changed: Partial<SearchRequest>) => {
    const { files } = await searchIndex(project, reader, { ...all, ...changed }, { known: suggested })
    return files.flatMap(({ path, variants }) => [path, ...variants])
  }
  const excluded = await excludedBy(all, wanted, rankedPaths)
  if (excluded.length > 0)
    return { ...base, ...words, first, excluded_by: excluded, reason: `excluded by ${excluded.join(", ")}` }
  const lacking = words.has.length === 0 ? "it has none of the query's words" : lackOf(words)
  return { ...base, ...words, first, reason: `not among the first ${MAX_RANK} results: ${lacking}` }
}

type QueryWordPresence = { readonly has: readonly string[]; readonly lacks: readonly string[] }

function rankReason(rank: number, words: QueryWordPresence, isVariant: boolean, path: string): string {
  if (isVariant) return `result ${rank} stands for it: ${path} is the same page or module in another form`
  return `result ${rank}: ${lackOf(words)}`
}

function lackOf({ lacks }: QueryWordPresence): string {
  return lacks.length === 0 ? "it has all words of the query" : `it lacks ${lacks.join(", ")}`
}

function notIndexed(
  project: Project,
  { store }: IndexReader,
  path: string,
): Pick<WhyNot, "reason" | "skipped"> {
  if (!existsSync(join(project.root, path))) return { skipped: null, reason: "there is no such file" }
  const { root, config } = project
  const leftOut = leftOutAt({ root, config, store }, path)
  if (leftOut !== null) {
    const { entry, reason } = leftOut
    return { skipped: { path: entry, reason }, reason: leftOutNote(leftOut, "it") }
  }
  const partial = partialIndex(store)
  const why =
    partial === null
      ? "it is a folder, or was written just now"
      : `the first index is being built, ${Math.floor(partial.share * 100)} % are done`
  return { skipped: null, reason: `it is not indexed: ${why}` }
}

/** The words of the query that the file has anywhere, path included, and the others. */
function queryWordPresence(reader: IndexReader, { query }: QueryAnswer, id: number): QueryWordPresence {
  const { files } = reader.keyword().query({ terms: query.terms, files: 0, include: [id] })
  const { body = 0, doc = 0, names = 0, stem = 0, dirs = 0 } = files.find((hit) => hit.id === id)?.masks ?? {}
  const mask = body | doc | names | stem | dirs
  const containsTerm = (_: string, term: number) => ((mask >>> term) & 1) === 1
  return {
    has: query.words.filter(containsTerm),
    lacks: query.words.filter((word, term) => !containsTerm(word, term)),
  }
}

/** The filters that alone exclude the file; all of them together when no single one does. */
async function excludedBy(
  request: SearchRequest,
  path: string,
  rankedPaths: (changed: Partial<SearchRequest>) => Promise<readonly string[]>,
): Promise<readonly string[]> {
  const isFound = async (changed: Partial<SearchRequest>) =>
    (await rankedPaths({ ...changed, keepsOperators: true })).includes(path)
  const here = [...request.paths, path]
  const names = filtersGiven({ ...request, paths: request.paths, extensions: request.extensions ?? [] })
  const without = (name: FilterName): Partial<SearchRequest> => {
    if (name === "content") return { content: "all" }
    return name === "paths" ? { paths: [path] } : { [name]: [] }
  }
  const decisive: string[] = []
  for (const name of names)
    if (await isFound({ ...limitedTo(here, request), ...without(name) })) decisive.push(name)
  if (decisive.length > 0) return decisive
  const unfiltered: Partial<SearchRequest> = {
    ...{ paths: [path], languages: [], kinds: [], extensions: [], content: "all" },
  }
  if (names.length > 0 && (await isFound(unfiltered))) return names
  return (await isFound({ ...unfiltered, isPlain: true })) && !(await isFound(unfiltered))
    ? ["operators in the query"]
    : []
}

/** Limits the search to the file itself if no paths are given: its rank among others does not matter then. */
function limitedTo(paths: readonly string[], { paths: given }: SearchRequest): Partial<SearchRequest> {
  return given.length === 0 ? { paths } : {}
}
