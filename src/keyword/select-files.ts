import { FileLooks, type Scored } from "./file-looks.ts"
import type { Population } from "./population.ts"
import type { KeywordQuery } from "./port.ts"
import { CHUNK_BOUND, factsOf, placeOf, type SegmentState, SUMS, TOP_BOUND } from "./segment-state.ts"
import { TopFiles } from "./top-files.ts"

/** The best scores of a query, and how much it matched. */
export type Figures = {
  maxScore: number
  maxChunk: number
  maxTopChunks: number
  matchedFiles: number
}

/** The files to answer for, by segment and in each by their order there, and a look at each of them. */
export type Selection = {
  readonly files: readonly Uint32Array[]
  readonly looks: readonly (readonly [FileLooks, FileLooks])[]
  readonly figures: Figures
}

/**
 * The best by file score, the best by their chunks, and those asked for by id. Chunks are scored in few files only:
 * first where they can score most, then wherever the best of those can still be beaten.
 */
export function selectFiles(states: readonly SegmentState[], scored: Scored, query: KeywordQuery): Selection {
  const isBefore = pathOrder(states)
  const byScore = new TopFiles(query.files, isBefore)
  const byChunks = new TopFiles(query.files, isBefore)
  const promising = new TopFiles(query.files * LOOKS_A_FILE + MORE_LOOKS, (key, other) => key < other)
  const figures = { maxScore: 0, maxChunk: 0, maxTopChunks: 0, matchedFiles: 0 }
  states.forEach((state, place) => {
    offerTouched(state, place, byScore, promising, figures)
  })
  const lookAt = (keys: Iterable<number>) =>
    bySegment(keys, states.length).map(
      (files, place) => new FileLooks(states[place]!.segment, place, files, scored),
    )
  const included = includedFiles(states, scored.population, query.include ?? [])
  const known = new Set([...byScore.places, ...promising.places])
  const first = lookAt([...known, ...included])
  offerChunks(first, byChunks, figures, known)
  const second = lookAt(stillPossible(states, known, byChunks, figures))
  offerChunks(second, byChunks, figures)
  const files = bySegment([...byScore.places, ...byChunks.places, ...included], states.length)
  return { files, looks: states.map((_, place) => [first[place]!, second[place]!]), figures }
}

/** A file's key: segment × 2³² + its place there. */
const PLACE_STRIDE = 0x1_0000_0000
/**
 * So many for each that is wanted, and so many more, those of the highest bounds, tell what is hard to beat: the more
 * of them, the fewer can still beat it.
 */
const LOOKS_A_FILE = 2
const MORE_LOOKS = 32
/** Bounds and scores are sums of 32-bit floats, each rounded its own way. */
const ROUNDING = 1 + 1e-5

function offerTouched(
  { touched, touchedCount, sums }: SegmentState,
  place: number,
  byScore: TopFiles,
  promising: TopFiles,
  figures: Figures,
): void {
  let { maxScore } = figures
  let leastScore = byScore.least
  let leastBound = promising.least
  for (let i = 0; i < touchedCount; i++) {
    const file = touched[i]!
    const score = sums[file * SUMS]!
    const bound = sums[file * SUMS + TOP_BOUND]!
    if (score > maxScore) maxScore = score
    if (score >= leastScore) {
      byScore.offer(place * PLACE_STRIDE + file, score)
      leastScore = byScore.least
    }
    if (bound >= leastBound) {
      promising.offer(place * PLACE_STRIDE + file, bound)
      leastBound = promising.least
    }
  }
  figures.maxScore = maxScore
  figures.matchedFiles += touchedCount
}

/** Files not looked at yet whose chunks might be among the best, or hold the best one. */
function stillPossible(
  states: readonly SegmentState[],
  known: ReadonlySet<number>,
  byChunks: TopFiles,
  { maxChunk, maxTopChunks }: Figures,
): number[] {
  const leastTop = Math.min(byChunks.least, maxTopChunks) / ROUNDING
  const leastChunk = maxChunk / ROUNDING
  const keys: number[] = []
  states.forEach(({ touched, touchedCount, sums }, place) => {
    for (let i = 0; i < touchedCount; i++) {
      const file = touched[i]!
      const at = file * SUMS
      if (sums[at + TOP_BOUND]! < leastTop && sums[at + CHUNK_BOUND]! <= leastChunk) continue
      const key = place * PLACE_STRIDE + file
      if (!known.has(key)) keys.push(key)
    }
  })
  return keys
}

/** Those among `offered`, or all of them. */
function offerChunks(
  bySegment: readonly FileLooks[],
  byChunks: TopFiles,
  figures: Figures,
  offered?: ReadonlySet<number>,
): void {
  bySegment.forEach((looks, place) => {
    for (let i = 0; i < looks.files.length; i++) {
      const key = place * PLACE_STRIDE + looks.files[i]!
      if (offered?.has(key) === false) continue
      figures.maxChunk = Math.max(figures.maxChunk, looks.best(i))
      const score = looks.topChunks(i)
      figures.maxTopChunks = Math.max(figures.maxTopChunks, score)
      byChunks.offer(key, score)
    }
  })
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

function bySegment(keys: Iterable<number>, segments: number): Uint32Array[] {
  const places = Array.from({ length: segments }, () => new Set<number>())
  for (const key of keys) places[Math.floor(key / PLACE_STRIDE)]!.add(key % PLACE_STRIDE)
  return places.map((files) => Uint32Array.from(files).sort())
}
