import { compareTexts, inverseDocumentFrequency } from "../../base/index.ts"
import type { Scale } from "../query/query.ts"
import type { RankedFiles } from "../rank-candidates.ts"
import type { CandidateFile } from "./features.ts"
import {
  type BestPage,
  isPage,
  PAGE_PLACE,
  type RankedFile,
  rank,
  sumAsCode,
  withLiftedPage,
} from "./rank.ts"

/** The result of searching one of several indexes, and the size of that index. */
export type FoundIn = {
  readonly found: RankedFiles
  readonly files: number
  readonly chunks: number
}

/**
 * The size of an index. It is needed even for an index without any word of the query, because it affects how rare the
 * words are.
 */
export type IndexSize = Pick<FoundIn, "files" | "chunks">

/** The data, besides the files themselves, on which the merged order depends. */
export type FoundStatistics = IndexSize & Pick<RankedFiles, "hasMatch" | "scale">

/**
 * `scale`: null if no index contains a word of the query, and for a single index. `isAlike`: for each index, whether it belongs to the group
 * that `largestAlikeGroup` returns.
 */
export type SharedScale = { readonly scale: Scale | null; readonly isAlike: readonly boolean[] }

/** The statistics of one index, without its files. */
export function statisticsOf({ found: { hasMatch, scale }, files, chunks }: FoundIn): FoundStatistics {
  const { coverages: _, ...rest } = scale
  return { hasMatch, files, chunks, scale: { ...rest, answer: { ...scale.answer, files: [] } } }
}

/*
 * Sums of several indexes cannot be compared: each is relative to the best file of its own index, and a word that is rare in
 * one index may be common in another. So the files are ranked again on one scale, as if all were in one index. The IDF
 * counts the documents of all indexes, BM25 scores are divided by the highest score that the query's words can give, and
 * maxima are taken over all indexes. Measured in docs/decisions/08-sharing.md.
 */

/** The place of a file in the order of several indexes. */
export type SharedSum = {
  readonly sum: number
  /** If the file is the best page of its index and may move up, its sum without the weights of pages; else null. */
  readonly sumAsCode: number | null
}

/** `source` is the position of the file's index. */
type RankedSource = SharedSum & { readonly path: string; readonly source: number }

/** The files of several indexes in one order, with the best page moved up as in a single index. */
export function mergeRanked<File extends RankedSource>(files: readonly File[]): File[] {
  const ordered = files.toSorted(bestFirst)
  const page = ordered.find(({ sumAsCode }) => sumAsCode !== null)
  if (page === undefined) return ordered
  const best: BestPage<File> = {
    is: (file) => file === page,
    sumAsCode: page.sumAsCode!,
    withSum: (sum) => ({ ...page, sum }),
  }
  return [...withLiftedPage(ordered, best)]
}

/** The best `limit` files, best first, and the best page if it comes later: after a merge it may move up. */
export function bestAndPage<File extends RankedSource>(files: readonly File[], limit: number): File[] {
  const ordered = files.toSorted(bestFirst)
  const page = ordered.findIndex(({ sumAsCode }) => sumAsCode !== null)
  return ordered.filter((_, at) => at < limit || at === page)
}

function bestFirst(a: RankedSource, b: RankedSource): number {
  return b.sum - a.sum || compareTexts(a.path, b.path) || a.source - b.source
}

/**
 * Computes the scale that the files of all these indexes share. `others` are indexes that contain no word of the query.
 * A single index keeps its own scale and order.
 */
export function shareScale(all: readonly FoundStatistics[], others: readonly IndexSize[] = []): SharedScale {
  const alike = all.length + others.length === 1 ? [] : largestAlikeGroup(all)
  const scale = alike.length === 0 ? null : sharedScale(alike, [...all, ...others])
  return { scale, isAlike: all.map((each) => alike.includes(each)) }
}

/**
 * The largest group of results whose indexes parsed the query into the same stems. Indexes can parse it differently,
 * because spelling is corrected to words that an index contains, and because stop words count only when an index
 * contains no other word.
 */
function largestAlikeGroup(all: readonly FoundStatistics[]): readonly FoundStatistics[] {
  const matching = all.filter(({ hasMatch }) => hasMatch)
  const groups = Map.groupBy(matching, ({ scale }) => scale.query.stems.join(" "))
  return [...groups.values()].reduce(
    (longest, group) => (group.length > longest.length ? group : longest),
    [],
  )
}

function sharedScale(alike: readonly FoundStatistics[], all: readonly IndexSize[]): Scale {
  const { query, answer } = alike[0]!.scale
  const fileIdf = jointIdf(alike, all, "fileIdf", ({ files }) => files)
  const chunkIdf = jointIdf(alike, all, "chunkIdf", ({ chunks }) => chunks)
  const idfSum = scaledSum(fileIdf, query.scored)
  const chunkIdfSum = scaledSum(chunkIdf, query.scored)
  const maxOf = (of: (scale: Scale) => number) => Math.max(...alike.map(({ scale }) => of(scale)))
  return {
    query,
    answer: {
      ...answer,
      fileIdf,
      chunkIdf,
      maxScore: maxOf((own) => (own.answer.maxScore * idfSum) / own.idfSum),
      maxChunk: maxOf((own) => (own.answer.maxChunk * chunkIdfSum) / own.chunkIdfSum),
      maxTopChunks: maxOf((own) => (own.answer.maxTopChunks * chunkIdfSum) / own.chunkIdfSum),
    },
    idfSum,
    chunkIdfSum,
    strangeness: Math.min(...alike.map(({ scale }) => scale.strangeness ?? 0)),
    maxExactWords: maxOf((own) => ((own.maxExactWords ?? 0) * idfSum) / own.idfSum),
  }
}

/**
 * The sums of the files on the shared scale, in the order of `files`. They are unchanged if the result is not ordered
 * by features.
 */
export function sumsOn(shared: Scale | null, found: RankedFiles, isAlike: boolean): SharedSum[] {
  const { scale, table, files } = found
  if (shared === null || !found.isByFeatures)
    return files.map(({ ranked: { sum } }) => ({ sum, sumAsCode: null }))
  const inFiles = shared.idfSum / scale.idfSum
  const inChunks = shared.chunkIdfSum / scale.chunkIdfSum
  const candidates = files.map(({ ranked }) => scaled(ranked, inFiles, inChunks))
  const own = isAlike ? shared : scaleForOwnWords(scale, shared, inFiles, inChunks)
  const ranked = new Map(rank(candidates, own, table, "").map((file) => [file.candidate, file]))
  const rows = candidates.map((candidate) => ranked.get(candidate)!)
  // A page after these is too far behind the best file, otherwise its index would have moved it up.
  const page = found.liftsPage
    ? rows.slice(0, PAGE_PLACE).find(({ features }) => isPage(features))
    : undefined
  return rows.map((row) => ({ sum: row.sum, sumAsCode: row === page ? sumAsCode(row, table) : null }))
}

/** The scale for an index that parsed the query differently: its own words with the maxima of all indexes. */
function scaleForOwnWords(own: Scale, shared: Scale, inFiles: number, inChunks: number): Scale {
  const { maxScore, maxChunk, maxTopChunks } = shared.answer
  return {
    query: own.query,
    answer: {
      ...own.answer,
      maxScore: Math.max(maxScore, own.answer.maxScore * inFiles),
      maxChunk: Math.max(maxChunk, own.answer.maxChunk * inChunks),
      maxTopChunks: Math.max(maxTopChunks, own.answer.maxTopChunks * inChunks),
    },
    strangeness: shared.strangeness ?? 0,
    maxExactWords: Math.max(shared.maxExactWords ?? 0, (own.maxExactWords ?? 0) * inFiles),
    idfSum: own.idfSum * inFiles,
    chunkIdfSum: own.chunkIdfSum * inChunks,
  }
}

function scaled({ candidate }: RankedFile, inFiles: number, inChunks: number): CandidateFile {
  const { hit } = candidate
  return {
    ...candidate,
    // A clone has no history, so its files would be behind those of the project without a reason.
    similarCommits: 0,
    exactWords: (candidate.exactWords ?? 0) * inFiles,
    hit: {
      ...hit,
      score: hit.score * inFiles,
      bestChunk: hit.bestChunk * inChunks,
      topChunks: hit.topChunks * inChunks,
    },
  }
}

/**
 * IDF over the documents of all indexes. The number of documents that contain a term is computed back from the term's
 * IDF in each index. It counts as 0 in an index that parsed the query differently.
 */
function jointIdf(
  alike: readonly FoundStatistics[],
  all: readonly IndexSize[],
  kind: "fileIdf" | "chunkIdf",
  documentsOf: (index: IndexSize) => number,
): Float64Array {
  const documents = all.reduce((sum, each) => sum + documentsOf(each), 0)
  return alike[0]!.scale.answer[kind].map((_, term) => {
    const holding = alike.reduce((sum, each) => {
      const { answer, query } = each.scale
      return sum + holdersOf(answer[kind][term]! / (query.terms[term]?.weight ?? 1), documentsOf(each))
    }, 0)
    const { weight = 1 } = alike[0]!.scale.query.terms[term] ?? {}
    return weight * inverseDocumentFrequency(documents, holding)
  })
}

/** Number of documents that contain a term, computed back from its BM25 IDF. */
function holdersOf(idf: number, documents: number): number {
  const odds = Math.exp(idf) - 1
  return Math.max(0, (documents + 0.5 - 0.5 * odds) / (1 + odds))
}

/** Added to sums that are divided by and may be 0. */
const EPSILON = 1e-6

function scaledSum(idf: Float64Array, scored: number): number {
  return idf.subarray(0, scored).reduce((sum, each) => sum + each, EPSILON)
}
