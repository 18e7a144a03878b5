import { inverseDocumentFrequency, TOP_CHUNK_WEIGHTS } from "./bm25.ts"
import { chunksOfAny } from "./count-chunks.ts"
import { findTerm } from "./find-term.ts"
import type { ListCache } from "./list-cache.ts"
import type { Parameters, Population } from "./population.ts"
import type { QueryTerm } from "./port.ts"
import { type EntryBuffer, mergeLists, type PostingList, type VariantList } from "./posting-lists.ts"
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

/** One term in one segment: its variants there, and what they are together. */
type TermLists = { readonly variants: readonly VariantList[]; readonly all: PostingList }

/** Null where the segment has none of its variants. */
function termLists(counting: Counting, place: number, term: QueryTerm): TermLists | null {
  const state = counting.states[place]!
  const { segment } = state
  const variants = term.variants
    .map(({ hash, weight }) => {
      const at = findTerm(segment.words, Number(hash >> 32n), Number(hash & 0xffffffffn))
      return at < 0 ? null : variantList(counting, place, at, weight)
    })
    .filter((list) => list !== null && list.end > list.start) as VariantList[]
  if (variants.length < 2) return variants.length === 0 ? null : { variants, all: variants[0]! }
  const chunks = chunksOfAny(segment, variants, seenDocuments(state))
  const merge = (sum: PostingList, list: PostingList) => mergeLists(sum, list, chunks, counting.buffer)
  const all = variants.slice(1).reduce<PostingList>(merge, variants[0]!)
  return { variants, all }
}

/**
 * Each is kept by itself: a common word is asked for alone and with compounds, which differ from question to question.
 */
function variantList(
  { states, population, buffer, cache }: Counting,
  place: number,
  term: number,
  weight: number,
): VariantList {
  const key = `${place}:${term}*${weight}`
  const known = cache?.get(key)
  if (known !== undefined) return known
  const list = scanPostings(states[place]!, place, population, term, weight, buffer)
  cache?.offer(key, list)
  return list
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
