import { TOP_CHUNK_WEIGHTS } from "./bm25.ts"
import type { Population } from "./population.ts"
import type { KeywordQuery } from "./port.ts"
import { factsOf, placeOf, type SegmentState } from "./segment-state.ts"
import { TopFiles } from "./top-files.ts"

/** The files to answer for, by segment and in each by their order there; and the query's best scores. */
export type Selection = {
  readonly files: readonly Uint32Array[]
  readonly maxScore: number
  readonly maxChunk: number
  readonly maxTopChunks: number
  readonly matchedFiles: number
  readonly matchedChunks: number
}

/** The best by file score, the best by their chunks, and those asked for by id. */
export function selectFiles(
  states: readonly SegmentState[],
  population: Population,
  query: KeywordQuery,
): Selection {
  const isBefore = pathOrder(states)
  const byScore = new TopFiles(query.files, isBefore)
  const byChunks = new TopFiles(query.files, isBefore)
  let [maxScore, maxChunk, maxTopChunks, matchedFiles, matchedChunks] = [0, 0, 0, 0, 0]
  for (let place = 0; place < states.length; place++) {
    const state = states[place]!
    const { touched, touchedCount, fileScores, topChunks, bestChunks } = state
    matchedFiles += touchedCount
    for (let i = 0; i < touchedCount; i++) {
      const file = touched[i]!
      matchedChunks += sumUpChunks(state, file)
      const key = place * PLACE_STRIDE + file
      const score = fileScores[file]!
      const chunks = topChunks[file]!
      const best = bestChunks[file]!
      if (score > maxScore) maxScore = score
      if (chunks > maxTopChunks) maxTopChunks = chunks
      if (best > maxChunk) maxChunk = best
      byScore.offer(key, score)
      byChunks.offer(key, chunks)
    }
  }
  const included = includedFiles(states, population, query.include ?? [])
  const files = bySegment([...byScore.places, ...byChunks.places, ...included], states.length)
  return { files, maxScore, maxChunk, maxTopChunks, matchedFiles, matchedChunks }
}

/** A file's key: segment × 2³² + its place there. */
const PLACE_STRIDE = 0x1_0000_0000

/** Notes the file's best chunk and its best three; returns how many match at all. */
function sumUpChunks(state: SegmentState, file: number): number {
  const { fileFirst } = state.segment
  const scores = state.chunkScores
  const end = fileFirst[file + 1]!
  let [first, second, third, matched] = [0, 0, 0, 0]
  for (let document = fileFirst[file]! + 1; document < end; document++) {
    const score = scores[document]!
    if (score === 0) continue
    matched++
    if (score > third) {
      if (score > second) {
        third = second
        if (score > first) {
          second = first
          first = score
        } else second = score
      } else third = score
    }
  }
  state.bestChunks[file] = first
  const [one, two, three] = TOP_CHUNK_WEIGHTS
  state.topChunks[file] = one * first + two * second + three * third
  return matched
}

/** Order by path; within a segment in path order the places tell. */
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
      const file = placeOf(states[place]!, id)
      if (file !== undefined && population.live[place]![file] === 1) keys.push(place * PLACE_STRIDE + file)
    }
  }
  return keys
}

function bySegment(keys: readonly number[], segments: number): Uint32Array[] {
  const places = Array.from({ length: segments }, () => new Set<number>())
  for (const key of keys) places[Math.floor(key / PLACE_STRIDE)]!.add(key % PLACE_STRIDE)
  return places.map((files) => Uint32Array.from(files).sort())
}
