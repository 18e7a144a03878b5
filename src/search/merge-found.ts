import { inverseDocumentFrequency } from "../keyword/bm25.ts"
import type { Candidate } from "./features.ts"
import type { Scale } from "./query-scale.ts"
import { comparePaths, type RankedFile, rank } from "./rank.ts"
import type { Found, FoundFile } from "./search.ts"

/** What one of several indexes found, and how large that index is. */
export type FoundIn = {
  readonly found: Found
  readonly files: number
  readonly chunks: number
}

export type MergedFile = {
  /** Which of the indexes it is of, by position. */
  readonly source: number
  readonly file: FoundFile
  /** 0 to 1: the odds of this file against the best one of all. */
  readonly score: number
}

/**
 * The files of several indexes in one order. Their sums cannot be compared as they are: each is relative to the best of
 * its own index, and a word is rare in one that is common in another. So they are judged again on one scale, as if all
 * were in one index: rarity from the documents of all together, BM25 as a share of what the query's words can give, the
 * best of all as the best. Measured in docs/decisions/0017-other-repositories.md.
 */
export function mergeFound(founds: readonly FoundIn[]): MergedFile[] {
  const alike = readAlike(founds)
  const shared = alike.length === 0 ? null : sharedScale(alike, founds)
  const merged = founds.flatMap((each, source) => {
    const sums = sumsOf(each, shared, alike.includes(each))
    return each.found.files.map((file, at) => ({ source, file, sum: sums[at]! }))
  })
  merged.sort((a, b) => b.sum - a.sum || comparePaths(a.file.path, b.file.path) || a.source - b.source)
  const best = merged[0]?.sum ?? 0
  return merged.map(({ source, file, sum }) => ({ source, file, score: Math.exp(sum - best) }))
}

/**
 * Those that read the query like most do. Spelling is corrected by what an index knows, and where none of the words
 * occurs stop words count.
 */
function readAlike(founds: readonly FoundIn[]): readonly FoundIn[] {
  const matching = founds.filter(({ found }) => found.hasMatch)
  const groups = Map.groupBy(matching, ({ found }) => found.scale.query.stems.join(" "))
  return [...groups.values()].reduce((most, group) => (group.length > most.length ? group : most), [])
}

function sharedScale(alike: readonly FoundIn[], all: readonly FoundIn[]): Scale {
  const { query, answer } = alike[0]!.found.scale
  const fileIdf = jointIdf(alike, all, "fileIdf", ({ files }) => files)
  const chunkIdf = jointIdf(alike, all, "chunkIdf", ({ chunks }) => chunks)
  const idfSum = sumOf(fileIdf, query.scored)
  const chunkIdfSum = sumOf(chunkIdf, query.scored)
  const most = (of: (scale: Scale) => number) => Math.max(...alike.map(({ found }) => of(found.scale)))
  return {
    query,
    answer: {
      ...answer,
      fileIdf,
      chunkIdf,
      maxScore: most((own) => (own.answer.maxScore * idfSum) / own.idfSum),
      maxChunk: most((own) => (own.answer.maxChunk * chunkIdfSum) / own.chunkIdfSum),
      maxTopChunks: most((own) => (own.answer.maxTopChunks * chunkIdfSum) / own.chunkIdfSum),
    },
    idfSum,
    chunkIdfSum,
  }
}

/** In their own order; as they are where the order is none of features. */
function sumsOf({ found }: FoundIn, shared: Scale | null, isAlike: boolean): number[] {
  const { scale, table, files } = found
  if (shared === null || !found.isByFeatures) return files.map(({ ranked }) => ranked.sum)
  const inFiles = shared.idfSum / scale.idfSum
  const inChunks = shared.chunkIdfSum / scale.chunkIdfSum
  const candidates = files.map(({ ranked }) => scaled(ranked, inFiles, inChunks))
  const own = isAlike ? shared : ownWords(scale, shared, inFiles, inChunks)
  const sums = new Map(rank(candidates, own, table, "").map(({ candidate, sum }) => [candidate, sum]))
  return candidates.map((candidate) => sums.get(candidate)!)
}

/** One that read the query otherwise has its own words, and yet is held against the best of all. */
function ownWords(own: Scale, shared: Scale, inFiles: number, inChunks: number): Scale {
  const { maxScore, maxChunk, maxTopChunks } = shared.answer
  return {
    query: own.query,
    answer: {
      ...own.answer,
      maxScore: Math.max(maxScore, own.answer.maxScore * inFiles),
      maxChunk: Math.max(maxChunk, own.answer.maxChunk * inChunks),
      maxTopChunks: Math.max(maxTopChunks, own.answer.maxTopChunks * inChunks),
    },
    idfSum: own.idfSum * inFiles,
    chunkIdfSum: own.chunkIdfSum * inChunks,
  }
}

function scaled({ candidate }: RankedFile, inFiles: number, inChunks: number): Candidate {
  const { hit } = candidate
  return {
    ...candidate,
    hit: {
      ...hit,
      score: hit.score * inFiles,
      bestChunk: hit.bestChunk * inChunks,
      topChunks: hit.topChunks * inChunks,
    },
  }
}

/**
 * Rarity over the documents of all indexes. How many hold a term follows from its rarity in each; in those that read
 * the query otherwise, none does.
 */
function jointIdf(
  alike: readonly FoundIn[],
  all: readonly FoundIn[],
  kind: "fileIdf" | "chunkIdf",
  documentsOf: (found: FoundIn) => number,
): Float64Array {
  const documents = all.reduce((sum, each) => sum + documentsOf(each), 0)
  return alike[0]!.found.scale.answer[kind].map((_, term) => {
    const holding = alike.reduce((sum, each) => {
      return sum + holdersOf(each.found.scale.answer[kind][term]!, documentsOf(each))
    }, 0)
    return inverseDocumentFrequency(documents, holding)
  })
}

/** The inverse of BM25's rarity. */
function holdersOf(idf: number, documents: number): number {
  const odds = Math.exp(idf) - 1
  return Math.max(0, (documents + 0.5 - 0.5 * odds) / (1 + odds))
}

const EPSILON = 1e-6

function sumOf(idf: Float64Array, scored: number): number {
  return idf.subarray(0, scored).reduce((sum, each) => sum + each, EPSILON)
}
