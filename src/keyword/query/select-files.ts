import { TopK } from "../../base/ranking.ts"
import {
  CHUNK_BOUND,
  factsOf,
  type SegmentState,
  SUMS,
  segmentIndex,
  TOP_BOUND,
} from "../format/segment-state.ts"
import type { KeywordQuery } from "../port.ts"
import { ChunkScores, type Scored } from "./chunk-scores.ts"
import type { Population } from "./population.ts"

/** The best scores of a query, and the number of files that it matches. */
export type Figures = {
  maxScore: number
  maxChunk: number
  maxTopChunks: number
  matchedFiles: number
}

/**
 * The selected files of each segment, in ascending order of position, and the two chunk scorings that cover these
 * files.
 */
export type Selection = {
  readonly files: readonly Uint32Array[]
  readonly chunkScores: readonly (readonly [ChunkScores, ChunkScores])[]
  readonly figures: Figures
}

/**
 * Selects files: the best by file score, the best by the scores of their chunks, and those requested by id. Chunks are
 * scored only in a few files: first in the files with the highest upper bounds, and then in every other file whose
 * upper bound is higher than the score of the best of these.
 */
export function selectFiles(states: readonly SegmentState[], scored: Scored, query: KeywordQuery): Selection {
  const isBefore = pathOrder(states)
  const byScore = new TopK(query.files, isBefore, 0)
  const byChunks = new TopK(query.files, isBefore, 0)
  const promising = new TopK(query.files * SCORED_PER_FILE + EXTRA_SCORED, (key, other) => key < other, 0)
  const figures = { maxScore: 0, maxChunk: 0, maxTopChunks: 0, matchedFiles: 0 }
  states.forEach((state, place) => {
    offerTouched(state, place, byScore, promising, figures)
  })
  const scoreChunks = (keys: Iterable<number>) =>
    bySegment(keys, states.length).map(
      (files, place) => new ChunkScores(states[place]!.segment, place, files, scored),
    )
  const included = includedFiles(states, scored.population, query.include ?? [])
  const candidates = new Set([...byScore.items, ...promising.items])
  const first = scoreChunks([...candidates, ...included])
  offerChunks(first, byChunks, figures, candidates)
  const second = scoreChunks(stillPossible(states, candidates, byChunks, figures))
  offerChunks(second, byChunks, figures)
  const files = bySegment([...byScore.items, ...byChunks.items, ...included], states.length)
  return { files, chunkScores: states.map((_, place) => [first[place]!, second[place]!]), figures }
}

/** A file's key is the number of its segment × 2³², plus its position in the segment. */
const PLACE_STRIDE = 0x1_0000_0000
/**
 * The first chunk scoring covers this many times the number of requested files, plus EXTRA_SCORED: those with the
 * highest upper bounds. The more files it covers, the higher is the score to beat, and the fewer files the second
 * scoring has to cover.
 */
const SCORED_PER_FILE = 2
const EXTRA_SCORED = 32
/** Tolerance, as a factor: upper bounds and scores are sums of 32-bit floats, which are rounded differently. */
const ROUNDING = 1 + 1e-5

function offerTouched(
  { touched, touchedCount, sums }: SegmentState,
  place: number,
  byScore: TopK,
  promising: TopK,
  figures: Figures,
): void {
  let { maxScore } = figures
  let minScore = byScore.minScore
  let minBound = promising.minScore
  for (let i = 0; i < touchedCount; i++) {
    const file = touched[i]!
    const score = sums[file * SUMS]!
    const bound = sums[file * SUMS + TOP_BOUND]!
    if (score > maxScore) maxScore = score
    if (score >= minScore) {
      byScore.offer(place * PLACE_STRIDE + file, score)
      minScore = byScore.minScore
    }
    if (bound >= minBound) {
      promising.offer(place * PLACE_STRIDE + file, bound)
      minBound = promising.minScore
    }
  }
  figures.maxScore = maxScore
  figures.matchedFiles += touchedCount
}

/**
 * Keys of files whose chunks were not scored yet (they are not in `scored`) and which might be among the best by
 * chunks, or contain the best chunk.
 */
function stillPossible(
  states: readonly SegmentState[],
  scored: ReadonlySet<number>,
  byChunks: TopK,
  { maxChunk, maxTopChunks }: Figures,
): number[] {
  const minTop = Math.min(byChunks.minScore, maxTopChunks) / ROUNDING
  const minChunk = maxChunk / ROUNDING
  const keys: number[] = []
  states.forEach(({ touched, touchedCount, sums }, place) => {
    for (let i = 0; i < touchedCount; i++) {
      const file = touched[i]!
      const at = file * SUMS
      if (sums[at + TOP_BOUND]! < minTop && sums[at + CHUNK_BOUND]! <= minChunk) continue
      const key = place * PLACE_STRIDE + file
      if (!scored.has(key)) keys.push(key)
    }
  })
  return keys
}

/** Adds files whose chunks were scored to `byChunks`: those in `offered`, or all if it is absent. */
function offerChunks(
  bySegment: readonly ChunkScores[],
  byChunks: TopK,
  figures: Figures,
  offered?: ReadonlySet<number>,
): void {
  bySegment.forEach((chunkScores, place) => {
    for (let i = 0; i < chunkScores.files.length; i++) {
      const key = place * PLACE_STRIDE + chunkScores.files[i]!
      if (offered?.has(key) === false) continue
      figures.maxChunk = Math.max(figures.maxChunk, chunkScores.best(i))
      const score = chunkScores.topChunks(i)
      figures.maxTopChunks = Math.max(figures.maxTopChunks, score)
      byChunks.offer(key, score)
    }
  })
}

/**
 * Returns a function that compares two files by path. Two files in one segment whose files are sorted by path are
 * compared by position, which needs no decoding of paths.
 */
function pathOrder(states: readonly SegmentState[]): (key: number, other: number) => boolean {
  return (key, other) => {
    const place = Math.floor(key / PLACE_STRIDE)
    const otherPlace = Math.floor(other / PLACE_STRIDE)
    const state = states[place]!
    if (place === otherPlace && state.segment.sorted === 1) return key < other
    const path = factsOf(state, key % PLACE_STRIDE).path
    const otherPath = factsOf(states[otherPlace]!, other % PLACE_STRIDE).path
    return path < otherPath
  }
}

function includedFiles(
  states: readonly SegmentState[],
  population: Population,
  ids: readonly number[],
): number[] {
  const keys: number[] = []
  for (const id of ids) {
    for (let place = 0; place < states.length; place++) {
      const file = segmentIndex(states[place]!, id)
      if (file !== undefined && population.live[place]![file] === 1) keys.push(place * PLACE_STRIDE + file)
    }
  }
  return keys
}

function bySegment(keys: Iterable<number>, segments: number): Uint32Array[] {
  const places = Array.from({ length: segments }, () => new Set<number>())
  for (const key of keys) places[Math.floor(key / PLACE_STRIDE)]!.add(key % PLACE_STRIDE)
  return places.map((files) => Uint32Array.from(files).sort())
}
