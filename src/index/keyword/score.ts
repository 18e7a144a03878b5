import { inverseDocumentFrequency } from "../../base/index.ts"
import {
  CODE,
  CODE_MASK,
  ESCAPE,
  FIRST,
  FIRST_ONLY,
  GAP,
  GAP_BYTES,
  HEAD_BYTES,
  LONG_GAPS,
  longGap,
  MORE,
  PostingCursor,
  SECOND,
  THIRD,
} from "./codes.ts"
import { type QueryTerm, TOP_CHUNK_WEIGHTS } from "./port.ts"
import { findTerm, postingRange, type Segment } from "./segment.ts"
import {
  CHUNK_BOUND,
  type DocumentSet,
  type EntryBuffer,
  type FieldParameters,
  type ListCache,
  mergeLists,
  NEAR_SHIFT,
  NORMS_PER_FILE,
  noteNorms,
  type Population,
  type PostingList,
  type SegmentState,
  SUMS,
  seek,
  seenDocuments,
  TOP_BOUND,
  type VariantList,
} from "./state.ts"

/** One term of the query after the first pass, with its IDF and with the posting lists that chunk scoring needs. */
export type ScoredTerm = {
  readonly lists: readonly VariantList[]
  readonly holdingFiles: number
  readonly holdingChunks: number
  /** IDF multiplied by the weight of the term. */
  readonly fileIdf: number
  readonly chunkIdf: number
}

/** The segments in which terms are scored, with the buffers needed for reading. */
type Counting = {
  readonly states: readonly SegmentState[]
  readonly population: Population
  readonly parameters: FieldParameters
  readonly buffer: EntryBuffer
  /** Cache of posting lists for this population; null if a filter is applied. */
  readonly cache: ListCache | null
}

/** Adds one term to the scores of all files that contain it, and to the upper bounds of the scores of their chunks. */
export function scoreTerm(counting: Counting, term: QueryTerm): ScoredTerm {
  const { states, population, parameters } = counting
  const termInSegments = states.flatMap((_, place) => termLists(counting, place, term) ?? [])
  const summed = termInSegments.map(({ all }) => all)
  const holdingFiles = summed.reduce((sum, list) => sum + list.holding, 0)
  const holdingChunks = summed.reduce((sum, list) => sum + list.chunks, 0)
  const { weight = 1 } = term
  const fileIdf = weight * inverseDocumentFrequency(population.files, holdingFiles)
  const chunkIdf = weight * inverseDocumentFrequency(population.chunks, holdingChunks)
  for (const list of summed) addToFiles(states[list.segment]!, list, { fileIdf, chunkIdf }, parameters)
  const lists = termInSegments.flatMap(({ variants }) => variants)
  return { lists, holdingFiles, holdingChunks, fileIdf, chunkIdf }
}

/** One term in one segment: the list of each variant, and the merged list. */
type TermLists = { readonly variants: readonly VariantList[]; readonly all: PostingList }

/**
 * The posting lists of a term in the segment at position `place`; null if the segment contains no variant of the term.
 */
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
 * The postings of one variant of a term, from the cache or read from the segment. They are cached by variant, not by term, because a common word occurs in queries
 * both alone and together with compounds that differ from query to query.
 */
function variantList(
  { states, population, buffer, cache }: Counting,
  place: number,
  term: number,
  weight: number,
): VariantList {
  const key = `${place}:${term}*${weight}`
  const cached = cache?.get(key)
  if (cached !== undefined) return cached
  const list = scanPostings(states[place]!, place, population, term, weight, buffer)
  cache?.offer(key, list)
  return list
}

/**
 * Adds a list to the scores of the files, and to the upper bounds of the scores of their chunks. The upper bound
 * assumes that up to three chunks of a file contain the term, each with the highest frequency that the term has in a
 * chunk of the file.
 */
function addToFiles(
  state: SegmentState,
  list: PostingList,
  { fileIdf, chunkIdf }: { readonly fileIdf: number; readonly chunkIdf: number },
  parameters: FieldParameters,
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
    // A score of 0 does not mean that the file is untouched, because a term of weight 0 leaves the score at 0. The
    // score is tested first: testing only the flag would cost one more read for every entry.
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

/** Sum of the weights of the best n chunks, for n from 0 to 3. */
const WEIGHTS_SUMMED = Float64Array.of(
  0,
  TOP_CHUNK_WEIGHTS[0],
  TOP_CHUNK_WEIGHTS[0] + TOP_CHUNK_WEIGHTS[1],
  TOP_CHUNK_WEIGHTS[0] + TOP_CHUNK_WEIGHTS[1] + TOP_CHUNK_WEIGHTS[2],
)

/**
 * The number of chunks in a segment that contain any variant of a term: the chunks with the commonest variant, plus the
 * chunks that contain only other variants. The other variants are compounds and mostly rare (in 76 of 27,000 chunks),
 * so that few postings of the commonest variant have to be read. `seen` must be empty, and is empty afterwards.
 */
function chunksOfAny(segment: Segment, lists: readonly VariantList[], seen: DocumentSet): number {
  const commonest = lists.reduce((best, list) => (list.chunks > best.chunks ? list : best))
  for (const list of lists) if (list !== commonest) addLacked(segment, list, commonest, seen)
  const count = commonest.chunks + seen.count
  if (seen.count > 0) seen.clear()
  return count
}

/** Adds to `seen` the chunks in `list` that are not in `commonest`. */
function addLacked(segment: Segment, list: VariantList, commonest: VariantList, seen: DocumentSet): void {
  const { fileFirst } = segment
  const openList = chunkOpener(segment, list)
  const openCommonest = chunkOpener(segment, commonest)
  let shared = commonest.start
  for (let entry = list.start; entry < list.end; entry++) {
    const file = list.entries.files[entry]!
    shared = seek(commonest.entries.files, shared, commonest.end, file)
    const isShared = shared < commonest.end && commonest.entries.files[shared] === file
    const others = isShared ? openCommonest(shared) : null
    const chunks = openList(entry)
    while (chunks.next()) {
      const { document } = chunks
      if (document === fileFirst[file]) continue
      if (others?.seek(document) !== true || others.document !== document) seen.add(document)
    }
  }
}

/** Returns a function that places a cursor at the postings of an entry. All calls return the same cursor. */
function chunkOpener(
  { fileFirst, words }: Segment,
  { entries, postings }: VariantList,
): (entry: number) => PostingCursor {
  const origin = words.postings.load(postings.start, postings.end)
  const end = origin + postings.end - postings.start
  const cursor = new PostingCursor()
  return (entry) => {
    const fileEnd = fileFirst[entries.files[entry]! + 1]!
    const start = origin + entries.starts[entry]!
    cursor.open(words.postings.bytes, start, end, fileEnd, entries.previousDocuments[entry]!)
    return cursor
  }
}

/**
 * Appends the postings of a term in one segment to the buffer, as one entry per file and without files that do not
 * count. The decoding repeats `PostingCursor.next` inline, because this is the inner loop of every query
 * (docs/decisions/03-index.md).
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
  let liveDocuments = false
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
      liveDocuments = isMet = live[file] === 1
      files[count] = file
      starts[count] = from - origin
      previousDocuments[count] = before
      if (norms[file * NORMS_PER_FILE] === 0) noteNorms(population, segment, file, norms)
      bodyNorm = norms[file * NORMS_PER_FILE]!
    }
    if (code < FIRST_ONLY && document !== header && liveDocuments) {
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
    if (!liveDocuments) continue
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
