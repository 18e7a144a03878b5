import { compareTexts } from "../../base/index.ts"
import { MAX_POSTING_BYTES } from "./build.ts"
import {
  CODE,
  CODE_MASK,
  GAP,
  GAP_BYTES,
  HEAD_BYTES,
  LONG_GAPS,
  longGap,
  tailEnd,
  writePosting,
} from "./codes.ts"
import {
  closeList,
  corrupt,
  DictionaryBuilder,
  filePath,
  LIST_HEAD,
  LONG_LIST,
  openSegment,
  type PostingSpace,
  postingRange,
  type Segment,
} from "./segment.ts"
import {
  type ByteWriter,
  createSegmentWriter,
  fileOfDocuments,
  positionOf,
  reserveBytes,
  type SegmentSink,
  type SegmentWriter,
  type WordCounts,
  wordCounts,
} from "./writer.ts"

/** A complete segment, and the ids of its files that were deleted or replaced by newer versions. */
export type MergePart = { readonly bytes: Uint8Array; readonly dead: ReadonlySet<number> }

/**
 * Merges the files of several segments into one segment, in the order of their paths and without deleted files. The
 * result depends only on the files (except for their ids), and not on how they were distributed over segments. Terms
 * are processed as a stream, so that besides the result only the tables of documents and the dictionary are in memory.
 * The result may be part of a slightly larger buffer; with a sink, it is only the header.
 */
export function mergeSegments(parts: readonly MergePart[], sink: SegmentSink | null = null): Uint8Array {
  const segments = parts.map((part) => openSegment(part.bytes))
  const plan = planMerge(
    segments,
    parts.map((part) => part.dead),
  )
  const writer = createSegmentWriter(
    parts.reduce((sum, part) => sum + part.bytes.length, 0),
    sink,
  )
  const words = writeColumns(segments, plan, writer)
  const spaces = segments.map((segment, i) => ({ space: segment.words, map: plan.documentMaps[i]! }))
  const terms = mergePostings(spaces, writer)
  const { documents, symbols } = plan
  return writer.finish({
    files: plan.files.length,
    documents,
    symbols,
    terms,
    sorted: 1,
    ...words,
  })
}

/** Writes the tables of files, documents and symbols in the new order. Returns the total word counts of the files. */
function writeColumns(segments: readonly Segment[], plan: MergePlan, writer: SegmentWriter): WordCounts {
  const ofFiles = (column: FileColumn) =>
    Uint32Array.from(plan.files, ({ segment, file }) => segments[segment]![column][file]!)
  writer.add("fileId", ofFiles("fileId"))
  const first = stairs(segments, plan, (segment, file) => documentsOf(segment, file))
  writer.add("fileFirst", first)
  writer.add("fileLines", ofFiles("fileLines"))
  writer.add("fileFlags", ofFiles("fileFlags"))
  const [body, doc] = [ofFiles("fileBody"), ofFiles("fileDoc")]
  const [names, words] = [ofFiles("fileNames"), ofFiles("fileWords")]
  writer.add("fileBody", body)
  writer.add("fileDoc", doc)
  writer.add("fileNames", names)
  writer.add("fileWords", words)
  writer.add(
    "pathAt",
    stairs(segments, plan, (segment, file) => pathTermRange(segment, file)),
  )
  writer.add("paths", paths(segments, plan))
  writer.add("fileOf", fileOfDocuments(first, plan.documents))
  writer.add("chunkStart", ofDocuments(segments, plan, "chunkStart", new Uint32Array(plan.documents)))
  writer.add("chunkEnd", ofDocuments(segments, plan, "chunkEnd", new Uint32Array(plan.documents)))
  writer.add("firstSymbol", firstSymbols(segments, plan))
  for (const column of ["bodyLength", "docLength", "namesLength"] as const) {
    writer.add(column, ofDocuments(segments, plan, column, new Uint8Array(plan.documents)))
  }
  writer.add("symbolWords", symbolWords(segments, plan))
  return wordCounts(body, doc, names, words)
}

/**
 * Copies source[from, to) to position `at`, and returns the position after it. This is a loop, because creating a
 * subarray for each file would create a hundred thousand objects.
 */
function copy<T extends Uint32Array | Uint8Array>(
  source: T,
  from: number,
  to: number,
  into: T,
  at: number,
): number {
  for (let i = from; i < to; i++) into[at++] = source[i]!
  return at
}

type FileColumn = "fileId" | "fileLines" | "fileFlags" | "fileBody" | "fileDoc" | "fileNames" | "fileWords"
type DocumentColumn = "chunkStart" | "chunkEnd" | "bodyLength" | "docLength" | "namesLength"
type DocumentRange = readonly [from: number, to: number]

function documentsOf(segment: Segment, file: number): DocumentRange {
  return [segment.fileFirst[file]!, segment.fileFirst[file + 1]!]
}

function pathTermRange(segment: Segment, file: number): DocumentRange {
  return [segment.pathAt[file]!, segment.pathAt[file + 1]!]
}

function symbolsOf(segment: Segment, file: number): DocumentRange {
  const [from, to] = documentsOf(segment, file)
  return [segment.firstSymbol[from]!, segment.firstSymbol[to]!]
}

/** The running sums of the lengths of the files' ranges, starting at 0; one number more than there are files. */
function stairs(
  segments: readonly Segment[],
  { files }: MergePlan,
  rangeOf: (segment: Segment, file: number) => DocumentRange,
): Uint32Array {
  const sums = new Uint32Array(files.length + 1)
  files.forEach(({ segment, file }, i) => {
    const [from, to] = rangeOf(segments[segment]!, file)
    sums[i + 1] = sums[i]! + to - from
  })
  return sums
}

function ofDocuments<T extends Uint32Array | Uint8Array>(
  segments: readonly Segment[],
  { files }: MergePlan,
  column: DocumentColumn,
  into: T,
): T {
  let at = 0
  for (const { segment, file } of files) {
    const [from, to] = documentsOf(segments[segment]!, file)
    at = copy(segments[segment]![column], from, to, into, at)
  }
  return into
}

function firstSymbols(segments: readonly Segment[], { files, documents, symbols }: MergePlan): Uint32Array {
  const first = new Uint32Array(documents + 1)
  let document = 0
  let symbol = 0
  for (const { segment: place, file } of files) {
    const segment = segments[place]!
    const [from, to] = documentsOf(segment, file)
    const before = segment.firstSymbol[from]!
    for (let old = from; old < to; old++) first[document++] = symbol + segment.firstSymbol[old]! - before
    symbol += segment.firstSymbol[to]! - before
  }
  first[documents] = symbols
  return first
}

function paths(segments: readonly Segment[], { files }: MergePlan): Uint8Array {
  const length = files.reduce((sum, { segment, file }) => {
    const [from, to] = pathTermRange(segments[segment]!, file)
    return sum + to - from
  }, 0)
  const bytes = new Uint8Array(length)
  let at = 0
  for (const { segment, file } of files) {
    const [from, to] = pathTermRange(segments[segment]!, file)
    at = copy(segments[segment]!.paths, from, to, bytes, at)
  }
  return bytes
}

function symbolWords(segments: readonly Segment[], { files, symbols }: MergePlan): Uint8Array {
  const words = new Uint8Array(symbols)
  let at = 0
  for (const { segment, file } of files) {
    const [from, to] = symbolsOf(segments[segment]!, file)
    at = copy(segments[segment]!.symbolWords, from, to, words, at)
  }
  return words
}

/** The files of the merged segment in their new order and, for each old segment, the new numbers of its documents. */
type MergePlan = {
  readonly files: readonly { readonly segment: number; readonly file: number }[]
  readonly documents: number
  readonly symbols: number
  readonly documentMaps: readonly Uint32Array[]
}

/** Stands in `documentMaps` for the number of a document that is dropped, because its file was deleted. */
const DROPPED = 0xffff_ffff

function planMerge(segments: readonly Segment[], dead: readonly ReadonlySet<number>[]): MergePlan {
  const files = liveFiles(segments, dead).sort(byPath)
  const documentMaps = segments.map((segment) => new Uint32Array(segment.documents).fill(DROPPED))
  let documents = 0
  let symbols = 0
  for (const { segment: place, file } of files) {
    const { fileFirst, firstSymbol } = segments[place]!
    const [from, to] = [fileFirst[file]!, fileFirst[file + 1]!]
    documents = renumber(documentMaps[place]!, from, to, documents)
    symbols += firstSymbol[to]! - firstSymbol[from]!
  }
  return { files, documents, symbols, documentMaps }
}

type LiveFile = { readonly segment: number; readonly file: number; readonly path: string }

function liveFiles(segments: readonly Segment[], dead: readonly ReadonlySet<number>[]): LiveFile[] {
  return segments.flatMap((segment, place) =>
    Array.from(segment.fileId, (id, file) => ({ id, file }))
      .filter(({ id }) => !dead[place]!.has(id))
      .map(({ file }) => ({ segment: place, file, path: filePath(segment, file) })),
  )
}

function byPath(a: LiveFile, b: LiveFile): number {
  if (a.path === b.path) return a.segment - b.segment || a.file - b.file
  return compareTexts(a.path, b.path)
}

/** Gives the documents [from, to) the numbers from `next` on. Returns the number after the last one. */
function renumber(map: Uint32Array, from: number, to: number, next: number): number {
  for (let old = from; old < to; old++) map[old] = next + old - from
  return next + to - from
}

/**
 * Merges the dictionaries and postings of several segments term by term. A heap gives the smallest next term of all
 * segments (`TermHeap`); its postings are collected from each segment with the documents' new numbers (`gatherPostings`),
 * sorted by document (`RunMerger`) and written. So memory is needed for the postings of one term only.
 */

/** The dictionary and postings of a segment that is merged, and the new number of each of its documents (`map`). */
type MappedSpace = { readonly space: PostingSpace; readonly map: Uint32Array }

/** Merges dictionaries and postings term by term. Returns the number of terms in the result. */
function mergePostings(spaces: readonly MappedSpace[], writer: SegmentWriter): number {
  const dictionary = new DictionaryBuilder(spaces.reduce((sum, { space }) => sum + space.hi.length, 0))
  writer.stream("postings", (out) => {
    const base = positionOf(out)
    const heap = new TermHeap(spaces.map(({ space }) => space))
    const gathered = new GatheredPostings()
    while (heap.size > 0) {
      const { hi, lo } = heap
      gathered.clear()
      do {
        const { space, map } = spaces[heap.top]!
        gatherPostings(space, heap.term, map, gathered)
        heap.advance()
      } while (heap.size > 0 && heap.hi === hi && heap.lo === lo)
      if (gathered.merger.length === 0) continue
      const start = positionOf(out) - base
      encodeMerged(gathered, out)
      dictionary.add(hi, lo, start, positionOf(out) - base)
    }
  })
  dictionary.write(writer)
  return dictionary.terms
}

/**
 * The postings of one term from all segments. A value below TAILED is the code of the posting. A value of TAILED or
 * more is TAILED plus a position in `tails`, where the code and the bytes after it are.
 */
class GatheredPostings {
  readonly merger = new RunMerger()
  tails = new Uint8Array(1 << 10)
  tailBytes = 0

  clear(): void {
    this.merger.clear()
    this.tailBytes = 0
  }

  reserve(bytes: number): void {
    this.merger.reserve(bytes)
    if (this.tailBytes + bytes <= this.tails.length) return
    const larger = new Uint8Array((this.tailBytes + bytes) * 2)
    larger.set(this.tails)
    this.tails = larger
  }
}

const TAILED = 256

/**
 * Reads the postings of a term in one segment. The decoding repeats `PostingCursor.next` inline, because a merge reads
 * every posting of the index.
 */
function gatherPostings(
  space: PostingSpace,
  term: number,
  map: Uint32Array,
  gathered: GatheredPostings,
): void {
  const { start, end } = postingRange(space, term)
  // The segments are in memory completely, so no postings have to be loaded.
  const postings = space.postings.bytes
  // The largest growth is that of a posting of two bytes (head and one name), which takes five bytes in `tails`.
  gathered.reserve((end - start) * 3)
  const { merger, tails } = gathered
  let document = -1
  for (let at = start; at < end; ) {
    const first = postings[at]!
    let gap = GAP[first]!
    const code = CODE[first]! | (postings[at + 1]! & CODE_MASK[first]!)
    at += HEAD_BYTES[first]!
    if (first >= LONG_GAPS) {
      gap = longGap(postings, at, first)
      at += GAP_BYTES[first]!
    }
    document += gap + 1
    if (document >= map.length) return
    const tail = at
    at = tailEnd(postings, at, code)
    // Without this check, bytes of the next term would be stored as part of this term.
    if (at > end) throw corrupt("a posting runs past its list")
    const renumbered = map[document]!
    if (renumbered === DROPPED) continue
    const length = at - tail
    if (length === 0) {
      merger.push(renumbered, code)
      continue
    }
    merger.push(renumbered, TAILED + gathered.tailBytes)
    gathered.tailBytes = copyTail(postings, tail, length, code, tails, gathered.tailBytes)
  }
}

/**
 * Copies the rest of a posting after its gap to `tails`: the number of bytes that follow (24 bits), the code, and these
 * bytes. Returns the end position.
 */
function copyTail(
  from: Uint8Array,
  start: number,
  length: number,
  code: number,
  into: Uint8Array,
  to: number,
): number {
  let at = to
  into[at++] = length
  into[at++] = length >>> 8
  into[at++] = length >>> 16
  into[at++] = code
  for (let i = 0; i < length; i++) into[at++] = from[start + i]!
  return at
}

function encodeMerged({ merger, tails, tailBytes }: GatheredPostings, out: ByteWriter): void {
  merger.merge()
  const { keys, values, length } = merger
  const maxBytes = length * MAX_POSTING_BYTES + tailBytes
  reserveBytes(out, maxBytes + LIST_HEAD)
  const { bytes } = out
  const isShort = maxBytes < LONG_LIST
  let at = isShort ? out.length : out.length + LIST_HEAD
  let previous = -1
  for (let i = 0; i < length; i++) {
    const document = keys[i]!
    const value = values[i]!
    const gap = document - previous - 1
    previous = document
    if (value < TAILED) {
      at = writePosting(bytes, at, gap, value)
      continue
    }
    let tail = value - TAILED
    const rest = tails[tail]! | (tails[tail + 1]! << 8) | (tails[tail + 2]! << 16)
    at = writePosting(bytes, at, gap, tails[tail + 3]!)
    tail += 4
    for (let j = 0; j < rest; j++) bytes[at++] = tails[tail + j]!
  }
  out.length = isShort ? at : closeList(bytes, out.length, at, length)
}

/**
 * Goes through several sorted dictionaries as if they were one. The root of the heap is the segment with the smallest
 * next term.
 */
class TermHeap {
  size = 0
  private readonly heap: Uint32Array
  private readonly cursors: Uint32Array
  private readonly spaces: readonly PostingSpace[]

  constructor(spaces: readonly PostingSpace[]) {
    this.spaces = spaces
    this.heap = new Uint32Array(spaces.length)
    this.cursors = new Uint32Array(spaces.length)
    spaces.forEach((space, place) => {
      if (space.hi.length > 0) this.heap[this.size++] = place
    })
    for (let at = this.size >>> 1; at >= 0; at--) this.sink(at)
  }

  /** Number of the segment with the smallest term. If several have it, the first one. */
  get top(): number {
    return this.heap[0]!
  }

  /** Position of the smallest term in the dictionary of that segment. */
  get term(): number {
    return this.cursors[this.top]!
  }

  get hi(): number {
    return this.spaces[this.top]!.hi.at(this.term)
  }

  get lo(): number {
    return this.spaces[this.top]!.lo.at(this.term)
  }

  /** Moves the segment at the root to its next term. */
  advance(): void {
    const place = this.top
    this.cursors[place]!++
    if (this.cursors[place]! >= this.spaces[place]!.hi.length) this.heap[0] = this.heap[--this.size]!
    if (this.size > 0) this.sink(0)
  }

  private sink(from: number): void {
    const { heap, size } = this
    let at = from
    for (;;) {
      let child = at * 2 + 1
      if (child >= size) return
      if (child + 1 < size && this.isLess(heap[child + 1]!, heap[child]!)) child++
      if (!this.isLess(heap[child]!, heap[at]!)) return
      const place = heap[child]!
      heap[child] = heap[at]!
      heap[at] = place
      at = child
    }
  }

  private isLess(place: number, other: number): boolean {
    const space = this.spaces[place]!
    const otherSpace = this.spaces[other]!
    const at = this.cursors[place]!
    const otherAt = this.cursors[other]!
    const hi = space.hi.at(at)
    const otherHi = otherSpace.hi.at(otherAt)
    if (hi !== otherHi) return hi < otherHi
    const lo = space.lo.at(at)
    const otherLo = otherSpace.lo.at(otherAt)
    return lo < otherLo || (lo === otherLo && place < other)
  }
}

/**
 * Sorts values by key. The values are added as a few ascending runs, one for each segment, and are often already in
 * order. So this is a natural merge sort: it records where runs begin and merges them pair by pair.
 */
export class RunMerger {
  keys = new Uint32Array(INITIAL)
  values = new Uint32Array(INITIAL)
  length = 0
  private otherKeys = new Uint32Array(INITIAL)
  private otherValues = new Uint32Array(INITIAL)
  private starts: number[] = []

  clear(): void {
    this.length = 0
    this.starts.length = 0
  }

  reserve(more: number): void {
    const needed = this.length + more
    if (needed <= this.keys.length) return
    const capacity = Math.max(needed, this.keys.length * 2)
    const { keys, values, length } = this
    this.keys = new Uint32Array(capacity)
    this.values = new Uint32Array(capacity)
    this.keys.set(keys.subarray(0, length))
    this.values.set(values.subarray(0, length))
  }

  /** Adds a value. The caller must have reserved room for it. */
  push(key: number, value: number): void {
    const at = this.length++
    if (at === 0 || key < this.keys[at - 1]!) this.starts.push(at)
    this.keys[at] = key
    this.values[at] = value
  }

  /** Sorts all values by ascending key. */
  merge(): void {
    if (this.starts.length < 2) return
    if (this.otherKeys.length < this.keys.length) {
      this.otherKeys = new Uint32Array(this.keys.length)
      this.otherValues = new Uint32Array(this.keys.length)
    }
    while (this.starts.length > 1) this.mergePairs()
  }

  private mergePairs(): void {
    const { starts, length } = this
    const merged: number[] = []
    for (let run = 0; run < starts.length; run += 2) {
      const start = starts[run]!
      const middle = starts[run + 1] ?? length
      this.mergeTwo(start, middle, starts[run + 2] ?? length)
      merged.push(start)
    }
    this.starts = merged
    ;[this.keys, this.otherKeys] = [this.otherKeys, this.keys]
    ;[this.values, this.otherValues] = [this.otherValues, this.values]
  }

  private mergeTwo(start: number, middle: number, end: number): void {
    const { keys, values, otherKeys, otherValues } = this
    let left = start
    let right = middle
    for (let at = start; at < end; at++) {
      const takesLeft = right >= end || (left < middle && keys[left]! <= keys[right]!)
      const from = takesLeft ? left++ : right++
      otherKeys[at] = keys[from]!
      otherValues[at] = values[from]!
    }
  }
}

const INITIAL = 1024
