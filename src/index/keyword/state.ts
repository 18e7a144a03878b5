import { firstAtLeast, firstNot } from "../../base/index.ts"
import { decodeLength } from "./codes.ts"
import {
  type Bm25Parameters,
  type ChunkScoreField,
  type FileFacts,
  type FileScoreField,
  lengthNorm,
} from "./port.ts"
import {
  filePath,
  openSegment,
  openSegmentFile,
  type PostingRange,
  type Segment,
  type SegmentFile,
} from "./segment.ts"

/**
 * A segment with the buffers that queries need. It is cached, across indexes, as long as the bytes or the file object
 * of the segment exist.
 */
export type SegmentState = {
  readonly segment: Segment
  /**
   * Sums of the running query, SUMS numbers per file: the score of the file, an upper bound of the score of its best
   * chunk, and an upper bound for its best three chunks (weights 1, .6, .4). All are zero between queries.
   */
  readonly sums: Float32Array
  /**
   * The files that contain a term of the running query: the first `touchedCount` entries. `isTouched` has a flag per
   * file; all flags are 0 between queries.
   */
  readonly touched: Uint32Array
  readonly isTouched: Uint8Array
  touchedCount: number
  /**
   * The file of every fourth document, starting with document 0. A document in between belongs to the same file or to
   * one of the next files.
   */
  readonly fileNear: Uint32Array
  readonly facts: (FileFacts | undefined)[]
  /**
   * Pairs of position and id of all files, sorted by id; undefined until there are enough lookups to be worth sorting.
   */
  places: Uint32Array | undefined
  /** Number of linear searches through all file ids so far. */
  walks: number
  seen: DocumentSet | undefined
}

/** The number of a document, shifted right by this many bits, is its index in `fileNear`. */
export const NEAR_SHIFT = 2

export const SUMS = 3
export const CHUNK_BOUND = 1
export const TOP_BOUND = 2

export function openState(source: Uint8Array | SegmentFile, isVerified = false): SegmentState {
  const opened = states.get(source)
  if (opened !== undefined) return opened
  const state = createState(
    source instanceof Uint8Array ? openSegment(source, isVerified) : openSegmentFile(source),
  )
  states.set(source, state)
  return state
}

/** Id, path and flags of a file. */
export function factsOf(state: SegmentState, file: number): FileFacts {
  const cached = state.facts[file]
  if (cached !== undefined) return cached
  const { segment } = state
  return { id: segment.fileId[file]!, path: filePath(segment, file), flags: segment.fileFlags[file]! }
}

/**
 * Like `factsOf`, but cached, because a filter reads the facts of all files in every query, and decoding paths takes
 * long.
 */
export function cachedFactsOf(state: SegmentState, file: number): FileFacts {
  state.facts[file] ??= factsOf(state, file)
  return state.facts[file]
}

/**
 * The sorted table `places` is built after this many linear searches. Building it takes about as long as these
 * searches, whatever the number of files.
 */
const WALKS = 2_000

/** The position in the segment of the file with this id; undefined if the segment does not contain the file. */
export function segmentIndex(state: SegmentState, id: number): number | undefined {
  if (state.places === undefined) {
    if (state.walks++ < WALKS) {
      const file = state.segment.fileId.indexOf(id)
      return file < 0 ? undefined : file
    }
    state.places = byId(state.segment.fileId)
  }
  const { places } = state
  const low = firstNot(0, places.length / 2, (i) => places[2 * i + 1]! < id)
  return places[2 * low + 1] === id ? places[2 * low] : undefined
}

/**
 * Pairs of position and id. They are sorted as 64-bit numbers, of which the id is the upper half on little-endian
 * machines.
 */
function byId(ids: Uint32Array): Uint32Array {
  const places = new Uint32Array(2 * ids.length)
  for (let file = 0; file < ids.length; file++) {
    places[2 * file] = file
    places[2 * file + 1] = ids[file]!
  }
  new BigUint64Array(places.buffer).sort()
  return places
}

/** The segment's set of documents, which all queries use in turn. It is empty, and the caller must leave it empty. */
export function seenDocuments(state: SegmentState): DocumentSet {
  state.seen ??= new DocumentSet(state.segment.documents)
  return state.seen
}

const states = new WeakMap<Uint8Array | SegmentFile, SegmentState>()

function createState(segment: Segment): SegmentState {
  const { files } = segment
  return {
    segment,
    sums: new Float32Array(files * SUMS),
    touched: new Uint32Array(files),
    isTouched: new Uint8Array(files),
    touchedCount: 0,
    fileNear: filesNear(segment),
    facts: new Array(files),
    places: undefined,
    walks: 0,
    seen: undefined,
  }
}

/**
 * Every fourth value of the column fileOf. The documents of a rare word are far apart, so each lookup reads another
 * cache line; a quarter of the column fits into the processor's cache, the whole column does not.
 */
function filesNear({ files, documents, fileFirst }: Segment): Uint32Array {
  const near = new Uint32Array(Math.ceil(documents / 2 ** NEAR_SHIFT))
  let at = 0
  for (let file = 0; file < files; file++) {
    const end = fileFirst[file + 1]!
    for (; at << NEAR_SHIFT < end && at < near.length; at++) near[at] = file
  }
  return near
}

/** A set of documents of one segment, with one bit per document. */
export class DocumentSet {
  count = 0
  private readonly bits: Uint32Array

  constructor(documents: number) {
    this.bits = new Uint32Array((documents + 31) >>> 5)
  }

  add(document: number): void {
    const at = document >>> 5
    const before = this.bits[at]!
    const bit = (before >>> (document & 31)) & 1
    this.bits[at] = before | (1 << (document & 31))
    this.count += 1 - bit
  }

  clear(): void {
    this.bits.fill(0)
    this.count = 0
  }
}

/**
 * Statistics of one term, one entry for each file that contains it, in the order of files. They decide in which files
 * chunks are scored, and say where the postings of each file are.
 */
type Entries = {
  readonly files: Uint32Array
  /**
   * Frequency in all documents of the file, weighted and normalized; 0 if only the head of the file contains the term.
   */
  readonly frequencies: Float32Array
  /**
   * Highest frequency in one chunk of the file, weighted and normalized for chunks; 0 if no chunk contains the term.
   */
  readonly maxFrequencies: Float32Array
  /** Number of chunks that contain the term, limited to 3. */
  readonly chunks: Uint8Array
  /**
   * Byte offset in the list of the file's first posting. `previousDocuments`: the document of the posting before it; −1
   * if it is the first of the list.
   */
  readonly starts: Uint32Array
  readonly previousDocuments: Int32Array
}

/** One term in one segment. Its entries are those from `start` to `end`. */
export type PostingList = {
  readonly segment: number
  readonly entries: Entries
  readonly start: number
  readonly end: number
  /**
   * Number of files that contain the term, without files that contain it only in their head. `chunks`: number of chunks
   * that contain it.
   */
  readonly holding: number
  readonly chunks: number
  readonly weight: number
}

/** The list of one variant of a term. Its postings can be read again. */
export type VariantList = PostingList & {
  /** The position of the term in the dictionary. */
  readonly term: number
  readonly postings: PostingRange
}

const INITIAL_ENTRIES = 1 << 10
const NOTHING = entriesOf(0)

/** The entries of a query, one list after the other, in arrays that the next query reuses; see Scratch. */
export class EntryBuffer {
  entries: Entries = NOTHING
  count = 0
  #reusable = new WeakRef(NOTHING)

  /** Makes room for `more` entries, if necessary in new arrays. Earlier lists keep the old arrays. */
  reserve(more: number): void {
    const { length } = this.entries.files
    if (this.count + more <= length) return
    this.entries = entriesOf(Math.max(more, length * 2, INITIAL_ENTRIES))
    this.count = 0
  }

  /** Must be called before a query. */
  begin(): void {
    this.entries = this.#reusable.deref() ?? NOTHING
    this.count = 0
  }

  /** Must be called after a query. Lists of the query must not be used any more. */
  end(): void {
    if (this.#reusable.deref() !== this.entries) this.#reusable = new WeakRef(this.entries)
    this.entries = NOTHING
    this.count = 0
  }
}

function byteLength({ start, end }: PostingList): number {
  return (end - start) * BYTES_PER_ENTRY
}

const BYTES_PER_ENTRY = 21

/** Copies the entries of a list into new arrays, so that the list stays valid after the query. */
function copyList(list: VariantList): VariantList {
  const { start, end, entries } = list
  const copied = {
    files: entries.files.slice(start, end),
    frequencies: entries.frequencies.slice(start, end),
    maxFrequencies: entries.maxFrequencies.slice(start, end),
    chunks: entries.chunks.slice(start, end),
    starts: entries.starts.slice(start, end),
    previousDocuments: entries.previousDocuments.slice(start, end),
  }
  return { ...list, entries: copied, start: 0, end: end - start }
}

/** Index of the first entry, from index `from` on, whose file is `file` or later; `end` if there is none. */
export function seek(files: Uint32Array, from: number, end: number, file: number): number {
  let low = from
  let step = 4
  let high = Math.min(low + step, end)
  while (high < end && files[high - 1]! < file) {
    low = high
    step *= 2
    high = Math.min(low + step, end)
  }
  return firstAtLeast(files, file, low, high)
}

/**
 * Merges two lists of one segment and adds up their frequencies. `chunks` is the number of chunks of the merged list.
 */
export function mergeLists(a: PostingList, b: PostingList, chunks: number, buffer: EntryBuffer): PostingList {
  buffer.reserve(a.end - a.start + b.end - b.start)
  const { entries } = buffer
  const start = buffer.count
  let holding = 0
  let at = start
  let i = a.start
  let j = b.start
  while (i < a.end || j < b.end) {
    const ofA = i < a.end ? a.entries.files[i]! : Number.POSITIVE_INFINITY
    const ofB = j < b.end ? b.entries.files[j]! : Number.POSITIVE_INFINITY
    let frequency = 0
    let maxFrequency = 0
    let chunkCount = 0
    if (ofA <= ofB) {
      frequency = a.entries.frequencies[i]!
      maxFrequency = a.entries.maxFrequencies[i]!
      chunkCount = a.entries.chunks[i++]!
    }
    if (ofB <= ofA) {
      frequency += b.entries.frequencies[j]!
      maxFrequency += b.entries.maxFrequencies[j]!
      chunkCount += b.entries.chunks[j++]!
    }
    entries.files[at] = Math.min(ofA, ofB)
    entries.frequencies[at] = frequency
    entries.maxFrequencies[at] = maxFrequency
    entries.chunks[at++] = Math.min(chunkCount, 3)
    if (frequency > 0) holding++
  }
  buffer.count = at
  return {
    segment: a.segment,
    entries,
    start,
    end: at,
    holding,
    chunks,
    weight: Math.max(a.weight, b.weight),
  }
}

function entriesOf(capacity: number): Entries {
  return {
    files: new Uint32Array(capacity),
    frequencies: new Float32Array(capacity),
    maxFrequencies: new Float32Array(capacity),
    chunks: new Uint8Array(capacity),
    starts: new Uint32Array(capacity),
    previousDocuments: new Int32Array(capacity),
  }
}

const INITIAL_BYTES = 1 << 16
const NO_BUFFER = new ArrayBuffer(0)

/**
 * Provides zeroed arrays for the duration of a query. They are parts of one buffer that the next query reuses;
 * otherwise the garbage of the queries would fill the memory of a server. Between queries there is only a weak
 * reference to the buffer, so that a garbage collection can free it: a few queries need megabytes, most need little.
 */
export class Scratch {
  #buffer = NO_BUFFER
  #reusable = new WeakRef(NO_BUFFER)
  #used = 0

  u32(length: number): Uint32Array {
    const at = this.#take(length)
    return new Uint32Array(this.#buffer, at, length).fill(0)
  }

  f32(length: number): Float32Array {
    const at = this.#take(length)
    return new Float32Array(this.#buffer, at, length).fill(0)
  }

  /** Must be called before a query. */
  begin(): void {
    this.#buffer = this.#reusable.deref() ?? this.#buffer
    this.#used = 0
  }

  /** Must be called after a query. Arrays provided for the query must not be used any more. */
  end(): void {
    if (this.#reusable.deref() !== this.#buffer) this.#reusable = new WeakRef(this.#buffer)
    this.#buffer = NO_BUFFER
    this.#used = 0
  }

  #take(length: number): number {
    const bytes = length * 4
    if (this.#used + bytes > this.#buffer.byteLength) {
      this.#buffer = new ArrayBuffer(Math.max(bytes, this.#buffer.byteLength * 2, INITIAL_BYTES))
      this.#used = 0
    }
    const at = this.#used
    this.#used += bytes
    return at
  }
}

type CachedLists = { readonly lists: Map<string, VariantList>; bytes: number }

/**
 * Caches the posting lists of the most frequent query words, up to `maxBytes`. In a large index, reading postings takes
 * half of the time of a query, mostly for a few common words. The least used list is evicted first, but never in favour
 * of a word that is used less often. The lists are held by weak references, so that a garbage collection in an idle
 * process frees them all; reading them again costs the next queries half a millisecond.
 */
export class ListCache {
  #cached = new WeakRef<CachedLists>({ lists: new Map(), bytes: 0 })
  /** Number of recent requests for each key. All numbers are halved when there are too many keys. */
  readonly #uses = new Map<string, number>()
  readonly #maxBytes: number

  constructor(maxBytes = MAX_BYTES) {
    this.#maxBytes = maxBytes
  }

  get(key: string): VariantList | undefined {
    this.#uses.set(key, this.#usesOf(key) + 1)
    if (this.#uses.size > 4_096) this.#forgetHalf()
    return this.#cached.deref()?.lists.get(key)
  }

  /**
   * Caches a copy of the list, if the list is large enough and is used more often than the lists that would be evicted
   * for it.
   */
  offer(key: string, list: VariantList): void {
    const bytes = byteLength(list)
    if (list.end - list.start < MIN_CACHED_FILES || bytes > this.#maxBytes) return
    let cached = this.#cached.deref()
    if (cached === undefined) {
      cached = { lists: new Map(), bytes: 0 }
      this.#cached = new WeakRef(cached)
    }
    while (cached.bytes + bytes > this.#maxBytes) {
      const leastUsed = this.#leastUsed(cached)
      if (this.#usesOf(leastUsed) >= this.#usesOf(key)) return
      cached.bytes -= byteLength(cached.lists.get(leastUsed)!)
      cached.lists.delete(leastUsed)
    }
    cached.lists.set(key, copyList(list))
    cached.bytes += bytes
  }

  #usesOf(key: string): number {
    return this.#uses.get(key) ?? 0
  }

  #leastUsed({ lists }: CachedLists): string {
    let leastUsed = ""
    let uses = Number.POSITIVE_INFINITY
    for (const key of lists.keys()) {
      if (this.#usesOf(key) >= uses) continue
      leastUsed = key
      uses = this.#usesOf(key)
    }
    return leastUsed
  }

  #forgetHalf(): void {
    for (const [key, uses] of this.#uses) {
      if (uses > 1) this.#uses.set(key, uses >> 1)
      else this.#uses.delete(key)
    }
  }
}

const MAX_BYTES = 12 << 20
/** Minimum number of files in a list that is cached. Reading a shorter list again takes 5 µs. */
const MIN_CACHED_FILES = 256

export type FieldParameters = {
  readonly file: Bm25Parameters<FileScoreField>
  readonly chunk: Bm25Parameters<ChunkScoreField>
}

/**
 * The files that a query can match, with the numbers that depend only on these files: document counts and length norms.
 */
export type Population = {
  readonly files: number
  readonly chunks: number
  /** For each segment, one flag per file: 1 if the file counts. */
  readonly live: readonly Uint8Array[]
  /**
   * For each segment, NORMS_PER_FILE numbers per file: weight × norm for body, doc, names, stem and dirs. They are 0
   * until `noteNorms` is called.
   */
  readonly fileNorms: readonly Float32Array[]
  /** Weight × norm of a chunk's field, indexed by the code of its length. */
  readonly bodyNorms: Float32Array
  readonly docNorms: Float32Array
  readonly namesNorms: Float32Array
  readonly fileParameters: Bm25Parameters<FileScoreField>
  /** Mean number of words per file, by field. */
  readonly averages: Readonly<Record<FileScoreField, number>>
}

export const NORMS_PER_FILE = 5

export function createPopulation(
  states: readonly SegmentState[],
  live: readonly Uint8Array[],
  parameters: FieldParameters,
): Population {
  const totals = totalsOf(states, live)
  const files = Math.max(1, totals.files)
  const { chunk } = parameters
  const norms = (field: ChunkScoreField, words: number) =>
    chunkNorms(chunk.weights[field], chunk.b[field], words / Math.max(1, totals.chunks))
  return {
    files: totals.files,
    chunks: totals.chunks,
    live,
    fileNorms: states.map(({ segment }) => new Float32Array(segment.files * NORMS_PER_FILE)),
    bodyNorms: norms("body", totals.body),
    docNorms: norms("doc", totals.doc),
    namesNorms: norms("names", totals.names),
    fileParameters: parameters.file,
    averages: {
      body: totals.body / files,
      doc: totals.doc / files,
      names: totals.names / files,
      stem: totals.stem / files,
      dirs: totals.dirs / files,
    },
  }
}

/** Computes the norms of a file. Called when a query first needs them, because most files are never needed. */
export function noteNorms(
  { averages, fileParameters: { weights, b } }: Population,
  { fileBody, fileDoc, fileNames, fileWords }: Segment,
  file: number,
  norms: Float32Array,
): void {
  const at = file * NORMS_PER_FILE
  norms[at] = weights.body * lengthNorm(b.body, fileBody[file]!, averages.body)
  norms[at + 1] = weights.doc * lengthNorm(b.doc, fileDoc[file]!, averages.doc)
  norms[at + 2] = weights.names * lengthNorm(b.names, fileNames[file]!, averages.names)
  norms[at + 3] = weights.stem * lengthNorm(b.stem, fileWords[file]! & 0xffff, averages.stem)
  norms[at + 4] = weights.dirs * lengthNorm(b.dirs, fileWords[file]! >>> 16, averages.dirs)
}

export function liveDocuments(state: SegmentState, dead: ReadonlySet<number>): Uint8Array {
  const live = new Uint8Array(state.segment.files).fill(1)
  if (dead.size === 0) return live
  const ids = state.segment.fileId
  for (let file = 0; file < live.length; file++) if (dead.has(ids[file]!)) live[file] = 0
  return live
}

export function accepted(
  state: SegmentState,
  live: Uint8Array,
  accept: (file: FileFacts) => boolean,
): Uint8Array {
  return live.map((flag, file) => (flag === 1 && accept(cachedFactsOf(state, file)) ? 1 : 0))
}

type Totals = {
  files: number
  chunks: number
  body: number
  doc: number
  names: number
  stem: number
  dirs: number
}

function totalsOf(states: readonly SegmentState[], live: readonly Uint8Array[]): Totals {
  const totals = { files: 0, chunks: 0, body: 0, doc: 0, names: 0, stem: 0, dirs: 0 }
  for (const [i, { segment }] of states.entries()) {
    // Most segments have no deleted files. Going through all files of a large segment would be most of the cost of
    // opening it.
    if (live[i]!.includes(0)) addLive(totals, segment, live[i]!)
    else addAll(totals, segment)
  }
  return totals
}

function addAll(totals: Totals, segment: Segment): void {
  totals.files += segment.files
  totals.chunks += segment.documents - segment.files
  totals.body += segment.bodyWords
  totals.doc += segment.docWords
  totals.names += segment.namesWords
  totals.stem += segment.stemWords
  totals.dirs += segment.dirsWords
}

function addLive(totals: Totals, segment: Segment, live: Uint8Array): void {
  const { files, fileFirst, fileBody, fileDoc, fileNames, fileWords } = segment
  for (let file = 0; file < files; file++) {
    if (live[file] === 0) continue
    totals.files++
    totals.chunks += fileFirst[file + 1]! - fileFirst[file]! - 1
    totals.body += fileBody[file]!
    totals.doc += fileDoc[file]!
    totals.names += fileNames[file]!
    totals.stem += fileWords[file]! & 0xffff
    totals.dirs += fileWords[file]! >>> 16
  }
}

function chunkNorms(weight: number, b: number, average: number): Float32Array {
  const norms = new Float32Array(256)
  for (let code = 0; code < 256; code++) norms[code] = weight * lengthNorm(b, decodeLength(code), average)
  return norms
}
