import { inverseDocumentFrequency, TOP_CHUNK_WEIGHTS } from "./bm25.ts"
import { findTerm } from "./find-term.ts"
import type { ListCache } from "./list-cache.ts"
import type { Parameters, Population } from "./population.ts"
import type { QueryTerm } from "./port.ts"
import {
  type EntryBuffer,
  mergeLists,
  type PostingList,
  type TermLists,
  type VariantList,
} from "./posting-lists.ts"
import { scanPostings } from "./scan.ts"
import { CHUNK_BOUND, type SegmentState, SUMS, seenDocuments, TOP_BOUND } from "./segment-state.ts"

/** What one query term left behind: its postings, for the second look, and how rare it is. */
export type ScoredTerm = {
  readonly lists: readonly VariantList[]
  readonly holdingFiles: number
  readonly holdingChunks: number
  readonly fileIdf: number
  readonly chunkIdf: number
}

/** What terms are counted in, and what reading them needs. */
export type Counting = {
  readonly states: readonly SegmentState[]
  readonly population: Population
  readonly parameters: Parameters
  readonly buffer: EntryBuffer
  /** Of lists of this population. */
  readonly cache: ListCache | null
}

/** Adds one term to the scores of all files that hold it, and to what their chunks can score at most. */
export function scoreTerm(counting: Counting, term: QueryTerm): ScoredTerm {
  const { states, population, parameters } = counting
  const found = states.flatMap((_, place) => termLists(counting, place, term) ?? [])
  const summed = found.map(({ all }) => all)
  const holdingFiles = summed.reduce((sum, list) => sum + list.holding, 0)
  const holdingChunks = summed.reduce((sum, list) => sum + list.chunks, 0)
  const fileIdf = inverseDocumentFrequency(population.files, holdingFiles)
  const chunkIdf = inverseDocumentFrequency(population.chunks, holdingChunks)
  for (const list of summed) addToFiles(states[list.segment]!, list, { fileIdf, chunkIdf }, parameters)
  return { lists: found.flatMap(({ variants }) => variants), holdingFiles, holdingChunks, fileIdf, chunkIdf }
}

/** Null where the segment has none of its variants. */
function termLists(
  { states, population, buffer, cache }: Counting,
  place: number,
  term: QueryTerm,
): TermLists | null {
  const state = states[place]!
  const { words } = state.segment
  const held = term.variants
    .map(({ hash, weight }) => ({
      weight,
      at: findTerm(words, Number(hash >> 32n), Number(hash & 0xffffffffn)),
    }))
    .filter(({ at }) => at >= 0)
  if (held.length === 0) return null
  const key = `${place}:${held.map(({ at, weight }) => `${at}*${weight}`).join("+")}`
  const known = cache?.get(key)
  if (known !== undefined) return known
  const seen = held.length > 1 ? seenDocuments(state) : null
  const variants: VariantList[] = []
  let all: PostingList | null = null
  for (const { at, weight } of held) {
    const list = scanPostings(state, place, population, at, weight, buffer, seen)
    if (list.end === list.start) continue
    variants.push(list)
    all = all === null ? list : mergeLists(all, list, seen!.count, buffer)
  }
  seen?.clear()
  if (all === null) return null
  const lists = { variants, all }
  cache?.offer(key, lists)
  return lists
}

/** A file's top chunks have of a term no more than its largest share in one of them, by how many of them have it. */
function addToFiles(
  state: SegmentState,
  list: PostingList,
  { fileIdf, chunkIdf }: { readonly fileIdf: number; readonly chunkIdf: number },
  parameters: Parameters,
): void {
  const { sums, touched } = state
  const { files, frequencies, mosts, chunks } = list.entries
  const fileK1 = parameters.file.k1
  const chunkK1 = parameters.chunk.k1
  const isMention = list.weight === 0
  let { touchedCount } = state
  for (let i = list.start; i < list.end; i++) {
    const frequency = frequencies[i]!
    if (frequency === 0 && !isMention) continue
    const file = files[i]!
    const at = file * SUMS
    const score = sums[at]!
    if (score === 0) touched[touchedCount++] = file
    sums[at] = score + (fileIdf * frequency) / (fileK1 + frequency)
    const most = mosts[i]!
    const share = (chunkIdf * most) / (chunkK1 + most)
    sums[at + CHUNK_BOUND]! += share
    sums[at + TOP_BOUND]! += share * WEIGHTS_SUMMED[chunks[i]!]!
  }
  state.touchedCount = touchedCount
}

/** The weights of so many best chunks together. */
const WEIGHTS_SUMMED = Float64Array.of(
  0,
  TOP_CHUNK_WEIGHTS[0],
  TOP_CHUNK_WEIGHTS[0] + TOP_CHUNK_WEIGHTS[1],
  TOP_CHUNK_WEIGHTS[0] + TOP_CHUNK_WEIGHTS[1] + TOP_CHUNK_WEIGHTS[2],
)
