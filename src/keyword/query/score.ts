import { inverseDocumentFrequency, TOP_CHUNK_WEIGHTS } from "../bm25.ts"
import { findTerm, postingRange } from "../format/find-term.ts"
import { CODE, CODE_MASK, GAP, GAP_BYTES, HEAD_BYTES, LONG_GAPS, longGap } from "../format/posting-code.ts"
import {
  type EntryBuffer,
  mergeLists,
  type PostingList,
  seek,
  type VariantList,
} from "../format/posting-lists.ts"
import { MORE, tailEnd } from "../format/posting-names.ts"
import type { Segment } from "../format/segment.ts"
import type { DocumentSet } from "../format/segment-state.ts"
import {
  CHUNK_BOUND,
  NEAR_SHIFT,
  type SegmentState,
  SUMS,
  seenDocuments,
  TOP_BOUND,
} from "../format/segment-state.ts"
import { ESCAPE, FIRST, FIRST_ONLY, SECOND, THIRD } from "../format/tuple-code.ts"
import type { QueryTerm } from "../port.ts"
import type { ListCache } from "./list-cache.ts"
import { NORMS_PER_FILE, noteNorms, type Parameters, type Population } from "./population.ts"

/** One query term after the first pass: its posting lists, for chunk scoring, and its IDF. */
export type ScoredTerm = {
  readonly lists: readonly VariantList[]
  readonly holdingFiles: number
  readonly holdingChunks: number
  readonly fileIdf: number
  readonly chunkIdf: number
}

/** The segments that terms are scored in, with the buffers that reading needs. */
export type Counting = {
  readonly states: readonly SegmentState[]
  readonly population: Population
  readonly parameters: Parameters
  readonly buffer: EntryBuffer
  /** Cache of posting lists of this population; null when the population is filtered. */
  readonly cache: ListCache | null
}

/**
 * Adds one term to the scores of all files that contain it, and to the upper bounds of their chunks' scores.
 */
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

/** One term in one segment: the lists of its variants, and their merged list. */
type TermLists = { readonly variants: readonly VariantList[]; readonly all: PostingList }

/** Null when the segment has none of the term's variants. */
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
 * One variant's list, cached separately because a common word is queried alone and with compounds that differ
 * from query to query.
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

/**
 * Adds a list to the files' scores and chunk bounds: each of a file's top chunks that contain the term, up to
 * three, scores at most the largest share of one chunk.
 */
function addToFiles(
  state: SegmentState,
  list: PostingList,
  { fileIdf, chunkIdf }: { readonly fileIdf: number; readonly chunkIdf: number },
  parameters: Parameters,
): void {
  const { sums, touched, isTouched } = state
  const { files, frequencies, maxFrequencies, chunks } = list.entries
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
    // A score of 0 does not mean untouched, because a term of weight 0 leaves it 0; the flag alone would be
    // one more read for every entry.
    if (score === 0 && isTouched[file] === 0) {
      isTouched[file] = 1
      touched[touchedCount++] = file
    }
    sums[at] = score + (fileIdf * frequency) / (fileK1 + frequency)
    const maxFrequency = maxFrequencies[i]!
    const share = (chunkIdf * maxFrequency) / (chunkK1 + maxFrequency)
    sums[at + CHUNK_BOUND]! += share
    sums[at + TOP_BOUND]! += share * WEIGHTS_SUMMED[chunks[i]!]!
  }
  state.touchedCount = touchedCount
}

/** Summed weights of the best n chunks, by n from 0 to 3. */
const WEIGHTS_SUMMED = Float64Array.of(
  0,
  TOP_CHUNK_WEIGHTS[0],
  TOP_CHUNK_WEIGHTS[0] + TOP_CHUNK_WEIGHTS[1],
  TOP_CHUNK_WEIGHTS[0] + TOP_CHUNK_WEIGHTS[1] + TOP_CHUNK_WEIGHTS[2],
)

/**
 * The number of chunks of a segment that contain any of a term's variants: the chunks of the commonest
 * variant plus the chunks of the others that it lacks. The others are compounds and mostly rare (76 chunks of
 * 27,000), so that few postings of the commonest are read. `seen` must be empty and is left empty.
 */
function chunksOfAny(segment: Segment, lists: readonly VariantList[], seen: DocumentSet): number {
  const commonest = lists.reduce((best, list) => (list.chunks > best.chunks ? list : best))
  for (const list of lists) if (list !== commonest) addLacked(segment, list, commonest, seen)
  const count = commonest.chunks + seen.count
  if (seen.count > 0) seen.clear()
  return count
}

function addLacked(segment: Segment, list: VariantList, commonest: VariantList, seen: DocumentSet): void {
  const held: number[] = []
  const others: number[] = []
  let other = commonest.start
  for (let entry = list.start; entry < list.end; entry++) {
    const file = list.entries.files[entry]!
    readChunks(segment, list, entry, held)
    other = seek(commonest.entries.files, other, commonest.end, file)
    const isShared = other < commonest.end && commonest.entries.files[other] === file
    if (isShared) readChunks(segment, commonest, other, others)
    else others.length = 0
    let next = 0
    for (const document of held) {
      while (next < others.length && others[next]! < document) next++
      if (others[next] !== document) seen.add(document)
    }
  }
}

/** Replaces `into` with the documents of the chunks in one entry of a list, ascending. */
function readChunks(segment: Segment, list: VariantList, entry: number, into: number[]): void {
  const { fileFirst, words } = segment
  const { entries, postings } = list
  const origin = words.postings.load(postings.start, postings.end)
  const { bytes } = words.postings
  const last = origin + postings.end - postings.start
  const header = fileFirst[entries.files[entry]!]!
  const end = fileFirst[entries.files[entry]! + 1]!
  let document = entries.previousDocuments[entry]!
  into.length = 0
  for (let at = origin + entries.starts[entry]!; at < last; ) {
    const first = bytes[at]!
    let gap = GAP[first]!
    const code = CODE[first]! | (bytes[at + 1]! & CODE_MASK[first]!)
    at += HEAD_BYTES[first]!
    if (first >= LONG_GAPS) {
      gap = longGap(bytes, at, first)
      at += GAP_BYTES[first]!
    }
    document += gap + 1
    if (document >= end) return
    at = tailEnd(bytes, at, code)
    if (document !== header) into.push(document)
  }
}

/**
 * Appends a term's postings in one segment to the buffer as one entry per file, leaving out files that are
 * not live.
 */
// biome-ignore lint/complexity/noExcessiveCognitiveComplexity: the inner loop of every query, 6 ns a posting as one function
function scanPostings(
  state: SegmentState,
  place: number,
  population: Population,
  term: number,
  weight: number,
  buffer: EntryBuffer,
): VariantList {
  const { segment, fileNear } = state
  const range = postingRange(segment.words, term)
  buffer.reserve(Math.min(range.end - range.start, segment.files))
  const { fileFirst, bodyLength, docLength, namesLength } = segment
  const { postings } = segment.words
  const origin = postings.load(range.start, range.end)
  const { bytes } = postings
  const { bodyNorms, docNorms, namesNorms } = population
  const live = population.live[place]!
  const norms = population.fileNorms[place]!
  const { entries } = buffer
  const { files, frequencies, maxFrequencies, chunks, starts, previousDocuments } = entries
  const documentCount = segment.documents
  const end = origin + range.end - range.start
  const start = buffer.count
  let count = start
  let allChunks = 0
  let holding = 0
  let at = origin
  let document = -1
  let file = 0
  let header = -1
  let fileEnd = 0
  let isLive = false
  let isMet = false
  let inFile = 0
  let maxFrequency = 0
  let inChunks = 0
  let bodyNorm = 0
  while (at < end) {
    const from = at
    const before = document
    const byte = bytes[at]!
    let gap = GAP[byte]!
    const code = CODE[byte]! | (bytes[at + 1]! & CODE_MASK[byte]!)
    at += HEAD_BYTES[byte]!
    if (byte >= LONG_GAPS) {
      gap = longGap(bytes, at, byte)
      at += GAP_BYTES[byte]!
    }
    document += gap + 1
    if (document >= documentCount) break
    if (document >= fileEnd) {
      if (isMet) {
        frequencies[count] = inFile * weight
        maxFrequencies[count] = maxFrequency
        chunks[count++] = Math.min(inChunks, 3)
        if (inFile > 0) holding++
        allChunks += inChunks
        inFile = maxFrequency = inChunks = 0
      }
      file = Math.max(file, fileNear[document >>> NEAR_SHIFT]!)
      fileEnd = fileFirst[file + 1]!
      while (fileEnd <= document) fileEnd = fileFirst[++file + 1]!
      header = fileFirst[file]!
      isLive = isMet = live[file] === 1
      files[count] = file
      starts[count] = from - origin
      previousDocuments[count] = before
      if (norms[file * NORMS_PER_FILE] === 0) noteNorms(population, segment, file, norms)
      bodyNorm = norms[file * NORMS_PER_FILE]!
    }
    if (code < FIRST_ONLY && document !== header && isLive) {
      inFile += (code + 1) * bodyNorm
      inChunks++
      const frequency = (code + 1) * bodyNorms[bodyLength[document]!]! * weight
      if (frequency > maxFrequency) maxFrequency = frequency
      continue
    }
    let first = FIRST[code]!
    let second = SECOND[code]!
    let third = THIRD[code]!
    if (code === ESCAPE) {
      first = bytes[at]!
      second = bytes[at + 1]!
      third = bytes[at + 2]!
      at += 3
    }
    if (third > 0) while (bytes[at++]! >= MORE);
    if (!isLive) continue
    const norm = file * NORMS_PER_FILE
    if (document === header) {
      inFile += first * norms[norm + 3]! + third * norms[norm + 4]!
    } else {
      inFile += first * bodyNorm + second * norms[norm + 1]! + third * norms[norm + 2]!
      inChunks++
      const frequency =
        weight *
        (first * bodyNorms[bodyLength[document]!]! +
          second * docNorms[docLength[document]!]! +
          third * namesNorms[namesLength[document]!]!)
      if (frequency > maxFrequency) maxFrequency = frequency
    }
  }
  if (isMet) {
    frequencies[count] = inFile * weight
    maxFrequencies[count] = maxFrequency
    chunks[count++] = Math.min(inChunks, 3)
    if (inFile > 0) holding++
    allChunks += inChunks
  }
  buffer.count = count
  return {
    ...{ segment: place, term, weight, entries, start, end: count },
    ...{ holding, chunks: allChunks, postings: range },
  }
}
