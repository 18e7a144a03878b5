import { inverseDocumentFrequency } from "./bm25.ts"
import { findTerm, postingRange } from "./find-term.ts"
import type { Parameters, Population } from "./population.ts"
import type { QueryTerm } from "./port.ts"
import { type PostingList, type PostingLists, reservePostings, scanPostings } from "./scan.ts"
import type { SegmentState } from "./segment-state.ts"

/** What one query term left behind: its postings, for the second look, and how rare it is. */
export type ScoredTerm = {
  readonly lists: readonly PostingList[]
  readonly holdingFiles: number
  readonly holdingChunks: number
  readonly fileIdf: number
  readonly chunkIdf: number
}

/** Adds one term to the scores of all chunks and files that hold it. */
export function scoreTerm(
  states: readonly SegmentState[],
  population: Population,
  parameters: Parameters,
  term: QueryTerm,
  lists: PostingLists,
): ScoredTerm {
  const found: PostingList[] = []
  const summed: PostingList[] = []
  for (let place = 0; place < states.length; place++) {
    const before = found.length
    scanVariants(states[place]!, place, population, term, lists, found)
    if (found.length - before === 1) summed.push(found[before]!)
    else if (found.length > before) summed.push(combined(states[place]!, found.slice(before), lists))
  }
  const holdingFiles = summed.reduce((sum, list) => sum + list.fileEnd - list.fileStart, 0)
  const holdingChunks = summed.reduce((sum, list) => sum + list.chunks, 0)
  const fileIdf = inverseDocumentFrequency(population.files, holdingFiles)
  const chunkIdf = inverseDocumentFrequency(population.chunks, holdingChunks)
  for (const list of summed) {
    addToChunks(states[list.segment]!.chunkScores, list, lists, chunkIdf, parameters.chunk.k1)
    addToFiles(states[list.segment]!, list, lists, fileIdf, parameters.file.k1)
  }
  return { lists: found, holdingFiles, holdingChunks, fileIdf, chunkIdf }
}

function scanVariants(
  state: SegmentState,
  place: number,
  population: Population,
  term: QueryTerm,
  lists: PostingLists,
  found: PostingList[],
): void {
  const { words } = state.segment
  for (const { hash, weight } of term.variants) {
    const at = findTerm(words, Number(hash >> 32n), Number(hash & 0xffffffffn))
    if (at < 0) continue
    const list = scanPostings(state, place, population, postingRange(words, at), weight, lists)
    if (list.end > list.start) found.push(list)
  }
}

/** The lists of a term's variants in one segment as one, frequencies summed. */
function combined(state: SegmentState, parts: readonly PostingList[], lists: PostingLists): PostingList {
  const room = parts.reduce((sum, part) => sum + part.end - part.start, 0)
  reservePostings(lists, room)
  const start = lists.count
  const fileStart = lists.fileCount
  for (const part of parts) {
    lists.count = gather(
      lists.documents,
      lists.frequencies,
      part.start,
      part.end,
      lists.count,
      state.chunkFrequencies,
    )
    lists.fileCount = gather(
      lists.files,
      lists.fileFrequencies,
      part.fileStart,
      part.fileEnd,
      lists.fileCount,
      state.fileFrequencies,
    )
  }
  takeSums(lists.documents, lists.frequencies, start, lists.count, state.chunkFrequencies)
  takeSums(lists.files, lists.fileFrequencies, fileStart, lists.fileCount, state.fileFrequencies)
  return {
    segment: parts[0]!.segment,
    start,
    end: lists.count,
    fileStart,
    fileEnd: lists.fileCount,
    chunks: lists.count - start,
  }
}

/** Sums frequencies by key and appends each key once; returns the new end. */
function gather(
  keys: Uint32Array,
  frequencies: Float32Array,
  from: number,
  to: number,
  end: number,
  sums: Float32Array,
): number {
  let at = end
  for (let i = from; i < to; i++) {
    const frequency = frequencies[i]!
    if (frequency === 0) continue
    const key = keys[i]!
    const sum = sums[key]!
    if (sum === 0) keys[at++] = key
    sums[key] = sum + frequency
  }
  return at
}

function takeSums(
  keys: Uint32Array,
  frequencies: Float32Array,
  from: number,
  to: number,
  sums: Float32Array,
): void {
  for (let i = from; i < to; i++) {
    const key = keys[i]!
    frequencies[i] = sums[key]!
    sums[key] = 0
  }
}

function addToChunks(
  scores: Float32Array,
  list: PostingList,
  { documents, frequencies }: PostingLists,
  idf: number,
  k1: number,
): void {
  for (let i = list.start; i < list.end; i++) {
    const frequency = frequencies[i]!
    scores[documents[i]!]! += (idf * frequency) / (k1 + frequency)
  }
}

function addToFiles(
  state: SegmentState,
  list: PostingList,
  { files, fileFrequencies }: PostingLists,
  idf: number,
  k1: number,
): void {
  const { fileScores, touched } = state
  for (let i = list.fileStart; i < list.fileEnd; i++) {
    const file = files[i]!
    const frequency = fileFrequencies[i]!
    const score = fileScores[file]!
    if (score === 0) touched[state.touchedCount++] = file
    fileScores[file] = score + (idf * frequency) / (k1 + frequency)
  }
}
