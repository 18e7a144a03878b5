import { compareTexts, inverseDocumentFrequency, type SearchScale } from "../../base/index.ts"
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

/** The size of an index. One without any word of the query has it too, because it affects how rare the words are. */
export type IndexSize = { readonly files: number; readonly chunks: number }

/** The result of searching one of several indexes, and the size of that index. */
export type FoundIn = IndexSize & { readonly found: RankedFiles }

/**
 * `scale`: null if no index contains a word of the query, and for a single index. `isAlike`: for each index, whether it has
 * a word of the query and parsed the query into the stems of the scale.
 */
export type SharedScale = { readonly scale: SearchScale | null; readonly isAlike: readonly boolean[] }

/** The numbers of one index. */
export function scaleIn({ found: { hasMatch, scale }, files, chunks }: FoundIn): SearchScale {
  const { query, answer, idfSum, chunkIdfSum, strangeness = 0, maxExactWords = 0 } = scale
  const { fileIdf, chunkIdf, maxScore, maxChunk, maxTopChunks } = answer
  return {
    ...{ files, chunks, hasMatch, stems: query.stems, weights: query.terms.map(({ weight = 1 }) => weight) },
    ...{ fileIdf: [...fileIdf], chunkIdf: [...chunkIdf], idfSum, chunkIdfSum },
    ...{ maxScore, maxChunk, maxTopChunks, strangeness, maxExactWords },
  }
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
 * The scale that the files of all these indexes share. `others` are indexes that contain no word of the query. A single
 * index keeps its own scale and order.
 */
export function shareScale(all: readonly SearchScale[], others: readonly IndexSize[] = []): SharedScale {
  return onScale(all, all.length + others.length === 1 ? null : jointScale(all, others))
}

/** The same with a scale that was computed from these indexes and further ones. */
export function onScale(all: readonly SearchScale[], joint: SearchScale | null): SharedScale {
  const scale = joint?.hasMatch ? joint : null
  return {
    scale,
    isAlike: all.map((each) => scale !== null && each.hasMatch && stemsOf(each) === stemsOf(scale)),
  }
}

const stemsOf = ({ stems, weights, fileIdf, chunkIdf }: SearchScale) =>
  [...stems, weights.length, fileIdf.length, chunkIdf.length].join(" ")

/**
 * The numbers of all these indexes as if they were one: those of the largest group whose indexes parsed the query into the
 * same stems. Indexes can parse it differently, because spelling is corrected to words that an index contains, and because
 * stop words count only when an index contains no other word.
 */
export function jointScale(all: readonly SearchScale[], others: readonly IndexSize[] = []): SearchScale {
  const matching = all.filter(({ hasMatch }) => hasMatch)
  const groups = [...Map.groupBy(matching, stemsOf).values()]
  const alike = groups.reduce((longest, group) => (group.length > longest.length ? group : longest), [])
  const { stems = [], weights = [] } = alike[0] ?? {}
  const indexes = [...all, ...others]
  const fileIdf = jointIdf(alike, indexes, "fileIdf", "files")
  const chunkIdf = jointIdf(alike, indexes, "chunkIdf", "chunks")
  const idfSum = scaledSum(fileIdf, stems.length)
  const chunkIdfSum = scaledSum(chunkIdf, stems.length)
  const maxOf = (of: (each: SearchScale) => number) => Math.max(0, ...alike.map(of))
  return {
    ...{ files: total(indexes, "files"), chunks: total(indexes, "chunks"), hasMatch: alike.length > 0 },
    ...{ stems, weights, fileIdf, chunkIdf, idfSum, chunkIdfSum },
    maxScore: maxOf((own) => (own.maxScore * idfSum) / own.idfSum),
    maxChunk: maxOf((own) => (own.maxChunk * chunkIdfSum) / own.chunkIdfSum),
    maxTopChunks: maxOf((own) => (own.maxTopChunks * chunkIdfSum) / own.chunkIdfSum),
    strangeness: Math.min(1, ...alike.map(({ strangeness }) => strangeness)),
    maxExactWords: maxOf((own) => (own.maxExactWords * idfSum) / own.idfSum),
  }
}

/**
 * The sums of the files on the shared scale, in the order of `files`. They are unchanged if the result is not ordered
 * by features.
 */
export function sumsOn(shared: SearchScale | null, found: RankedFiles, isAlike: boolean): SharedSum[] {
  const { scale, table, files } = found
  if (shared === null || !found.isByFeatures)
    return files.map(({ ranked: { sum } }) => ({ sum, sumAsCode: null }))
  const inFiles = shared.idfSum / scale.idfSum
  const inChunks = shared.chunkIdfSum / scale.chunkIdfSum
  const candidates = files.map(({ ranked }) => scaled(ranked, inFiles, inChunks))
  const own = scaleOn(shared, scale, isAlike, inFiles, inChunks)
  const ranked = new Map(rank(candidates, own, table, "").map((file) => [file.candidate, file]))
  const rows = candidates.map((candidate) => ranked.get(candidate)!)
  // A page after these is too far behind the best file, otherwise its index would have moved it up.
  const page = found.liftsPage
    ? rows.slice(0, PAGE_PLACE).find(({ features }) => isPage(features))
    : undefined
  return rows.map((row) => ({ sum: row.sum, sumAsCode: row === page ? sumAsCode(row, table) : null }))
}

/** The shared scale for one index, which has its own words if it parsed the query differently. */
function scaleOn(
  shared: SearchScale,
  own: Scale,
  isAlike: boolean,
  inFiles: number,
  inChunks: number,
): Scale {
  const { idfSum, chunkIdfSum, strangeness } = shared
  const { fileIdf, chunkIdf } = isAlike ? shared : own.answer
  return {
    ...{ query: own.query, idfSum, chunkIdfSum, strangeness },
    maxExactWords: Math.max(shared.maxExactWords, (own.maxExactWords ?? 0) * inFiles),
    answer: {
      ...{ ...own.answer, fileIdf: Float64Array.from(fileIdf), chunkIdf: Float64Array.from(chunkIdf) },
      maxScore: Math.max(shared.maxScore, own.answer.maxScore * inFiles),
      maxChunk: Math.max(shared.maxChunk, own.answer.maxChunk * inChunks),
      maxTopChunks: Math.max(shared.maxTopChunks, own.answer.maxTopChunks * inChunks),
    },
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
  alike: readonly SearchScale[],
  all: readonly IndexSize[],
  kind: "fileIdf" | "chunkIdf",
  size: keyof IndexSize,
): number[] {
  const documents = total(all, size)
  const weights = alike[0]?.weights ?? []
  return weights.map((weight, term) => {
    const holding = alike.reduce((sum, each) => {
      return sum + holdersOf(each[kind][term]! / (each.weights[term] ?? 1), each[size])
    }, 0)
    return weight * inverseDocumentFrequency(documents, holding)
  })
}

function total(indexes: readonly IndexSize[], size: keyof IndexSize): number {
  return indexes.reduce((sum, each) => sum + each[size], 0)
}

/** Number of documents that contain a term, computed back from its BM25 IDF. */
function holdersOf(idf: number, documents: number): number {
  const odds = Math.exp(idf) - 1
  return Math.max(0, (documents + 0.5 - 0.5 * odds) / (1 + odds))
}

/** Added to sums that are divided by and may be 0. */
const EPSILON = 1e-6

function scaledSum(idf: readonly number[], scored: number): number {
  return idf.slice(0, scored).reduce((sum, each) => sum + each, EPSILON)
}
