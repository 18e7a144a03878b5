import { compareTexts, lastAtMost, TopK } from "../../base/index.ts"
import { PostingCursor } from "./codes.ts"
import { ChunkScores, fileHit, NameLog, type Scored, Shares, symbolHits } from "./hits.ts"
import { CHUNK_BM25, FILE_BM25, type FileHit, type KeywordAnswer, type KeywordQuery } from "./port.ts"
import { type ScoredTerm, scoreTerm } from "./score.ts"
import {
  checkTables,
  findTerm,
  LONG_LIST,
  type PostingRange,
  postingRange,
  type Segment,
  type SegmentFile,
} from "./segment.ts"
import {
  accepted,
  CHUNK_BOUND,
  createPopulation,
  EntryBuffer,
  type FieldParameters,
  factsOf,
  ListCache,
  liveDocuments,
  openState,
  type Population,
  Scratch,
  type SegmentState,
  SUMS,
  segmentIndex,
  TOP_BOUND,
} from "./state.ts"

/**
 * The reading side of the keyword index. A query has two passes over its terms: the first scores files and computes
 * upper bounds for their chunks (score.ts); the second scores the chunks of the few files that can still be among the
 * best (selectFiles, hits.ts). The other functions count documents and list the files that contain a term.
 */

export type KeywordPart = {
  readonly bytes: Uint8Array | SegmentFile
  readonly dead: ReadonlySet<number>
  /** True if the checksum of the segment was verified. */
  readonly isVerified?: boolean
}

/** The reading side of the keyword index. Its segments, without the deleted files in them, are searched like one. */
export type KeywordIndex = {
  readonly files: number
  readonly chunks: number
  /** Number of documents in all segments, including those of deleted files. It is the upper bound of every estimate. */
  readonly documents: number
  query(query: KeywordQuery): KeywordAnswer
  /** The numbers of files and of chunks that contain a term. */
  holding(hash: bigint): { files: number; chunks: number }
  /** The ids of all files that contain a term in their text or path. */
  holders(hash: bigint): Set<number>
  /** The ids of at most `limit` files that contain a term. This is fast, but may include deleted files. */
  someHolders(hash: bigint, limit: number): number[]
  /**
   * The number of documents (chunks and file headers) that contain a term. This is fast.
   */
  estimate(hi: number, lo: number): number
  /** Number of terms in all segments. A term in several segments counts several times. */
  readonly terms: number
  /** Calls `act` with the two halves of each term's hash, for each term of each segment. */
  eachTerm(act: (hi: number, lo: number) => void): void
  /**
   * The `limit` largest estimates among many terms. `hashes` contains two 32-bit unsigned integers, high and low, for
   * each term, little-endian.
   */
  mostMentioned(hashes: Uint8Array, limit: number): number[]
}

/**
 * Opens segments for queries. The state of each segment is cached with its bytes, so that opening the same segments
 * with one additional delta costs only the work for the delta. A query must not run inside the `accept` of another
 * query.
 */
export function openKeywordIndex(
  parts: readonly KeywordPart[],
  parameters: FieldParameters = { file: FILE_BM25, chunk: CHUNK_BM25 },
): KeywordIndex {
  const states = parts.map((part) => openState(part.bytes, part.isVerified))
  const live = parts.map((part, i) => liveDocuments(states[i]!, part.dead))
  const everything = createPopulation(states, live, parameters)
  const counts = states.map(({ segment }, i) => new DocumentCounts(segment, live[i]!))
  const buffer = new EntryBuffer()
  const cache = new ListCache()
  const scratch = new Scratch()
  const names = new NameLog()

  function populationFor({ accept }: KeywordQuery): Population {
    if (accept === undefined) return everything
    const flags = states.map((state, i) => accepted(state, live[i]!, accept))
    return createPopulation(states, flags, parameters)
  }

  /** Runs `act`. Postings that are loaded during the call stay valid until it returns. */
  function reading<T>(act: () => T): T {
    for (const { segment } of states) segment.words.postings.begin()
    try {
      return act()
    } catch (error) {
      // The file may have been altered after its checksum was verified.
      for (const { segment } of states) checkTables(segment)
      throw error
    } finally {
      for (const { segment } of states) segment.words.postings.end()
    }
  }

  function query(request: KeywordQuery): KeywordAnswer {
    const population = populationFor(request)
    const terms = request.terms.slice(0, MAX_TERMS)
    names.clear()
    for (const reused of [buffer, scratch]) reused.begin()
    try {
      const isAll = population === everything
      const counting = { states, population, parameters, buffer, cache: isAll ? cache : null }
      const scored = terms.map((term) => scoreTerm(counting, term))
      const fileIdf = Float64Array.from(scored, (term) => term.fileIdf)
      const chunkIdf = Float64Array.from(scored, (term) => term.chunkIdf)
      const scoring = { terms: scored, population, chunkK1: parameters.chunk.k1, scratch, names }
      const selection = selectFiles(states, scoring, request)
      const { files: selected, chunkScores, figures } = selection
      const shares = new Shares(fileIdf)
      const files = selected.flatMap((places, i) =>
        hitsOf(i, places, request.acceptChunk, chunkScores[i]!, shares),
      )
      files.sort((a, b) => b.score - a.score || compareTexts(a.path, b.path))
      return { files, fileIdf, chunkIdf, ...figures }
    } finally {
      for (const reused of [buffer, scratch]) reused.end()
      for (const state of states) forgetScores(state)
    }
  }

  function hitsOf(
    place: number,
    places: Uint32Array,
    acceptChunk: KeywordQuery["acceptChunk"],
    chunkScores: Selection["chunkScores"][number],
    shares: Shares,
  ): FileHit[] {
    const state = states[place]!
    const marks = chunkScores.map((scores) => scores.marks(places))
    const hits: FileHit[] = []
    for (const file of places) {
      const pass = chunkScores[0].indexOf(file) >= 0 ? 0 : 1
      const scores = chunkScores[pass]
      const at = scores.indexOf(file)
      const symbols = symbolHits(state.segment, file, marks[pass]!, at, shares, acceptChunk)
      hits.push(fileHit(state, scores, at, symbols, acceptChunk))
    }
    return hits
  }

  function lookUp<T>(hash: bigint, see: (term: ScoredTerm) => T): T {
    buffer.begin()
    const term = { variants: [{ hash, weight: 1 }] }
    try {
      return reading(() =>
        see(scoreTerm({ states, population: everything, parameters, buffer, cache: null }, term)),
      )
    } finally {
      buffer.end()
      for (const state of states) forgetScores(state)
    }
  }

  function holding(hash: bigint): { files: number; chunks: number } {
    return lookUp(hash, ({ holdingFiles, holdingChunks }) => ({ files: holdingFiles, chunks: holdingChunks }))
  }

  function holders(hash: bigint): Set<number> {
    const ids = new Set<number>()
    lookUp(hash, (term) => {
      for (const { segment, start, end, entries } of term.lists) {
        const { fileId } = states[segment]!.segment
        for (let i = start; i < end; i++) if (entries.frequencies[i]! > 0) ids.add(fileId[entries.files[i]!]!)
      }
    })
    return ids
  }

  function someHolders(hash: bigint, limit: number): number[] {
    const holders = reading(() => states.flatMap(({ segment }) => firstHolders(segment, hash, limit)))
    return holders.slice(0, limit)
  }

  function estimate(hi: number, lo: number): number {
    return reading(() =>
      states.reduce((sum, { segment }, i) => sum + counts[i]!.of(findTerm(segment.words, hi, lo)), 0),
    )
  }

  function eachTerm(act: (hi: number, lo: number) => void): void {
    reading(() => {
      for (const { segment } of states) {
        const { hi, lo } = segment.words
        for (let term = 0; term < hi.length; term++) act(hi.at(term), lo.at(term))
      }
    })
  }

  return {
    files: everything.files,
    chunks: everything.chunks,
    documents: states.reduce((sum, { segment }) => sum + segment.documents, 0),
    terms: states.reduce((sum, { segment }) => sum + segment.words.hi.length, 0),
    eachTerm,
    query: (request) => reading(() => query(request)),
    holding,
    holders,
    someHolders,
    estimate,
    mostMentioned: (hashes, limit) => reading(() => mostMentioned(states, counts, hashes, limit)),
  }
}

/** Maximum number of terms, because term masks are 32-bit integers. */
const MAX_TERMS = 31

/** Sets the sums of the touched files back to 0; of all files, if that is faster. */
function forgetScores(state: SegmentState): void {
  const { touched, isTouched, touchedCount, sums, segment, seen } = state
  // A read that failed may have left documents in the set.
  if (seen !== undefined && seen.count > 0) seen.clear()
  state.touchedCount = 0
  if (touchedCount > segment.files / 8) {
    sums.fill(0)
    isTouched.fill(0)
    return
  }
  for (let i = 0; i < touchedCount; i++) {
    const file = touched[i]!
    const at = file * SUMS
    isTouched[file] = 0
    sums[at] = sums[at + CHUNK_BOUND] = sums[at + TOP_BOUND] = 0
  }
}

/** The ids of the first `limit` files of a segment that contain a term. Postings after these files are not read. */
function firstHolders(segment: Segment, hash: bigint, limit: number): number[] {
  const { words, fileId, documents } = segment
  const term = findTerm(words, Number(hash >> 32n), Number(hash & 0xffffffffn))
  if (term < 0) return []
  const { start, end } = postingRange(words, term)
  const at = words.postings.load(start, end)
  const cursor = new PostingCursor()
  cursor.open(words.postings.bytes, at, at + end - start, documents)
  const holders = new Set<number>()
  while (holders.size < limit && cursor.next()) holders.add(fileId[fileAt(segment, cursor.document)]!)
  return [...holders]
}

/** The position of the file that contains a document. */
function fileAt({ fileFirst, files }: Segment, document: number): number {
  return Math.max(0, lastAtMost(fileFirst, document, 0, files))
}

/**
 * Counts for many terms how many documents contain the term, and returns the `limit` largest counts, largest first. The
 * hashes of the terms are given as 32-bit unsigned integers, high and low, little-endian. The length of a term's
 * postings is an upper bound of its count, so that only the longest lists have to be counted: for the names in a file,
 * eight instead of all.
 */
function mostMentioned(
  states: readonly SegmentState[],
  documents: readonly DocumentCounts[],
  hashes: Uint8Array,
  limit: number,
): number[] {
  const halves = new Uint32Array(hashes.slice().buffer)
  const names = halves.length >> 1
  // For each term, here called name: its position in the dictionary of every segment (`terms`), and the upper bound of
  // its count, or −1 once it is counted (`bounds`).
  const terms = new Int32Array(names * states.length)
  const bounds = new Float64Array(names)
  for (let name = 0; name < names; name++) {
    for (let i = 0; i < states.length; i++) {
      const { segment } = states[i]!
      const term = findTerm(segment.words, halves[name * 2]!, halves[name * 2 + 1]!)
      terms[name * states.length + i] = term
      bounds[name]! += maxDocuments(segment, term)
    }
  }
  const counts: number[] = []
  for (let done = 0; done < names; done++) {
    const name = largest(bounds)
    if (counts.length === limit && bounds[name]! <= counts[limit - 1]!) break
    bounds[name] = -1
    let count = 0
    for (let i = 0; i < states.length; i++) count += documents[i]!.of(terms[name * states.length + i]!)
    insertSorted(counts, count, limit)
  }
  return counts
}

function largest(values: Float64Array): number {
  let at = 0
  for (let i = 1; i < values.length; i++) if (values[i]! > values[at]!) at = i
  return at
}

/** Inserts a number into the list, which stays sorted, largest first, and has at most `limit` numbers. */
function insertSorted(counts: number[], count: number, limit: number): void {
  let at = counts.length
  while (at > 0 && counts[at - 1]! < count) at--
  counts.splice(at, 0, count)
  if (counts.length > limit) counts.pop()
}

/** Postings with at most this many bytes (some 500 documents) are counted each time, which takes 2 µs. */
const COUNTED_BYTES = 1024

/**
 * Counts the documents of a segment that contain a term, without those of deleted files, so that a merge changes no
 * score.
 */
class DocumentCounts {
  readonly #segment: Segment
  readonly #live: Uint8Array
  readonly #isWhole: boolean
  /** Counts of long lists by the term's position in the dictionary, if files were deleted. */
  readonly #long = new Map<number, number>()

  constructor(segment: Segment, live: Uint8Array) {
    this.#segment = segment
    this.#live = live
    this.#isWhole = !live.includes(0)
  }

  /** The count for the term at a position in the dictionary; 0 for position −1. */
  of(term: number): number {
    if (term < 0) return 0
    const range = postingRange(this.#segment.words, term)
    if (range.end - range.start <= COUNTED_BYTES) return count(this.#segment, range, this.#live)
    if (this.#isWhole) return range.documents
    const known = this.#long.get(term)
    if (known !== undefined) return known
    const counted = count(this.#segment, range, this.#live)
    this.#long.set(term, counted)
    return counted
  }
}

/** Upper bound of the number of documents for the term at a position in the dictionary; 0 for position −1. */
function maxDocuments(segment: Segment, term: number): number {
  if (term < 0) return 0
  const length = segment.words.lengths.at(term)
  return length < LONG_LIST ? length : postingRange(segment.words, term).documents
}

function count(
  { words, fileOf, documents }: Segment,
  { start, end }: PostingRange,
  live: Uint8Array,
): number {
  const at = words.postings.load(start, end)
  const cursor = new PostingCursor()
  cursor.open(words.postings.bytes, at, at + end - start, documents)
  let counted = 0
  while (cursor.next()) counted += live[fileOf[cursor.document]!]!
  return counted
}

/** The best scores of a query, and the number of files that it matches. */
type Figures = {
  maxScore: number
  maxChunk: number
  maxTopChunks: number
  matchedFiles: number
}

/**
 * The selected files of each segment, in ascending order of position, and the two chunk scorings that cover these
 * files.
 */
type Selection = {
  readonly files: readonly Uint32Array[]
  readonly chunkScores: readonly (readonly [ChunkScores, ChunkScores])[]
  readonly figures: Figures
}

/**
 * Selects files: the best by file score, the best by the scores of their chunks, and those requested by id. Chunks are
 * scored only in a few files: first in the files with the highest upper bounds, and then in every other file whose
 * upper bound is higher than the score of the best of these.
 */
function selectFiles(states: readonly SegmentState[], scored: Scored, query: KeywordQuery): Selection {
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
