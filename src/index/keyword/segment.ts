import { AmanError, firstNot } from "../../base/index.ts"
import {
  type CopyTarget,
  copyTargetOf,
  mapFile,
  openRandomAccessFile,
  type RandomAccessFile,
} from "../../store/index.ts"
import type { SegmentWriter } from "./writer.ts"

/**
 * A segment on disk: a header, then sections that begin on multiples of eight. Little-endian throughout, as
 * all supported machines are. Documents are numbered through the segment: each file's header document, whose
 * fields are stem, head and dirs, then its chunks, whose fields are body, doc and names.
 *
 *   header   magic, version, byte length, counts, then offset and byte length of each section
 *   sections in the order below; F files, D documents, S symbols, T terms
 */

const MAGIC = 0x4e414d41
const FORMAT_VERSION = 3

export const SECTIONS = [
  "fileId", // u32 × F
  "fileFirst", // u32 × F+1, first document of each file
  "fileLines", // u32 × F
  "fileFlags", // u32 × F
  "fileBody", // u32 × F, words in the bodies of all its chunks; the next two likewise
  "fileDoc",
  "fileNames",
  "fileWords", // u32 × F, words of the stem, and of the directories shifted by 16
  "pathAt", // u32 × F+1
  "paths", // UTF-8
  "fileOf", // u32 × D, the file of each document
  "chunkStart", // u32 × D, first line; 0 for header documents
  "chunkEnd", // u32 × D
  "firstSymbol", // u32 × D+1
  "bodyLength", // u8 × D, length code (codes.ts); the next two likewise
  "docLength",
  "namesLength",
  "symbolWords", // u8 × S, number of distinct words in the name of the symbol, at most 255
  "postings", // posting lists (codes.ts); one of 255 bytes or more has a head (LIST_HEAD)
  "termHi", // u32 × T, sorted by (hi, lo)
  "termLo",
  "termLength", // u8 × T, bytes of postings; 255: the postings begin with their length
  "termBlock", // u32 per 16 terms, offset of the first one's postings
] as const

export type SegmentSection = (typeof SECTIONS)[number]
export type SegmentCounts = {
  files: number
  documents: number
  symbols: number
  terms: number
  /** 1 when files are sorted by path. */
  sorted: number
  /** Total words of all files, by field; see fileBody and fileWords. */
  bodyWords: number
  docWords: number
  namesWords: number
  stemWords: number
  dirsWords: number
}

const COUNTS = [
  "files",
  "documents",
  "symbols",
  "terms",
  "sorted",
  "bodyWords",
  "docWords",
  "namesWords",
  "stemWords",
  "dirsWords",
] as const satisfies readonly (keyof SegmentCounts)[]

const COUNTS_AT = 3
const TABLE_AT = COUNTS_AT + COUNTS.length
export const HEADER_BYTES = Math.ceil((TABLE_AT + SECTIONS.length * 2) / 2) * 8

type SegmentHeader = { counts: SegmentCounts; offsets: Uint32Array; lengths: Uint32Array }

export function writeHeader(into: Uint32Array, header: SegmentHeader, byteLength: number): void {
  into.set([MAGIC, FORMAT_VERSION, byteLength, ...COUNTS.map((name) => header.counts[name])])
  for (let i = 0; i < SECTIONS.length; i++) {
    into[TABLE_AT + i * 2] = header.offsets[i]!
    into[TABLE_AT + i * 2 + 1] = header.lengths[i]!
  }
}

/** Reads the header of a segment of `total` bytes. If the result is a string, it says what is wrong with the header. */
function readHeader(bytes: Uint8Array, total = bytes.length): SegmentHeader | string {
  if (bytes.length < HEADER_BYTES) return "shorter than a header"
  const words = new Uint32Array(bytes.buffer, bytes.byteOffset, HEADER_BYTES / 4)
  if (words[0] !== MAGIC) return "not a keyword segment"
  if (words[1] !== FORMAT_VERSION) return `format ${words[1]}, expected ${FORMAT_VERSION}`
  if (words[2] !== total) return `${total} bytes, expected ${words[2]}`
  const counts = Object.fromEntries(COUNTS.map((name, i) => [name, words[COUNTS_AT + i]!])) as SegmentCounts
  const offsets = new Uint32Array(SECTIONS.length)
  const lengths = new Uint32Array(SECTIONS.length)
  for (let i = 0; i < SECTIONS.length; i++) {
    offsets[i] = words[TABLE_AT + i * 2]!
    lengths[i] = words[TABLE_AT + i * 2 + 1]!
    if (!isSound(SECTIONS[i]!, offsets[i]!, lengths[i]!, counts, total)) {
      return `section ${SECTIONS[i]} out of bounds`
    }
  }
  return { counts, offsets, lengths }
}

function isSound(
  section: SegmentSection,
  offset: number,
  length: number,
  counts: SegmentCounts,
  total: number,
): boolean {
  if (offset % 8 !== 0 || offset < HEADER_BYTES || offset + length > total) return false
  const expected = expectedBytes(section, counts)
  return expected === undefined || expected === length
}

function expectedBytes(section: SegmentSection, counts: SegmentCounts): number | undefined {
  switch (section) {
    case "paths":
    case "postings":
      return undefined
    case "fileFirst":
    case "pathAt":
      return (counts.files + 1) * 4
    case "fileOf":
    case "chunkStart":
    case "chunkEnd":
      return counts.documents * 4
    case "firstSymbol":
      return (counts.documents + 1) * 4
    case "bodyLength":
    case "docLength":
    case "namesLength":
      return counts.documents
    case "symbolWords":
      return counts.symbols
    case "termHi":
    case "termLo":
      return counts.terms * 4
    case "termLength":
      return counts.terms
    case "termBlock":
      return blockCount(counts.terms) * 4
    case "fileId":
    case "fileLines":
    case "fileFlags":
    case "fileBody":
    case "fileDoc":
    case "fileNames":
    case "fileWords":
      return counts.files * 4
  }
}

/**
 * The dictionary of a segment that is being built: its terms in order, and the number of bytes of each term's postings.
 */
export class DictionaryBuilder {
  readonly hi: Uint32Array
  readonly lo: Uint32Array
  readonly lengths: Uint8Array
  readonly blocks: Uint32Array
  terms = 0

  /**
   * `maxTerms` is the size of the arrays. Memory pages that are not written cost nothing, whereas growing would copy
   * megabytes.
   */
  constructor(maxTerms: number) {
    this.hi = new Uint32Array(maxTerms)
    this.lo = new Uint32Array(maxTerms)
    this.lengths = new Uint8Array(maxTerms)
    this.blocks = new Uint32Array(blockCount(maxTerms))
  }

  /** Adds a term whose postings, including the head, are the bytes from `start` to `end`. */
  add(hi: number, lo: number, start: number, end: number): void {
    const term = this.terms++
    this.hi[term] = hi
    this.lo[term] = lo
    this.lengths[term] = Math.min(end - start, LONG_LIST)
    if (term % TERMS_PER_BLOCK === 0) this.blocks[term / TERMS_PER_BLOCK] = start
  }

  write(writer: SegmentWriter): void {
    const { terms } = this
    writer.add("termHi", this.hi.subarray(0, terms))
    writer.add("termLo", this.lo.subarray(0, terms))
    writer.add("termLength", this.lengths.subarray(0, terms))
    writer.add("termBlock", this.blocks.subarray(0, blockCount(terms)))
  }
}

/**
 * The position of postings is stored only for the first of this many terms. For the others, the lengths in between are
 * added up.
 */
const TERMS_PER_BLOCK = 16
/**
 * A list of this many bytes or more begins with a head: the number of bytes after the head, and the number of
 * documents, as two 32-bit unsigned integers.
 */
export const LONG_LIST = 255
export const LIST_HEAD = 8

function blockCount(terms: number): number {
  return Math.ceil(terms / TERMS_PER_BLOCK)
}

/**
 * Completes a list that was written at `start` + LIST_HEAD: adds the head, or moves a short list to `start`. Returns
 * the end of the list.
 */
export function closeList(bytes: Uint8Array, start: number, end: number, documents: number): number {
  const length = end - start - LIST_HEAD
  if (length < LONG_LIST) {
    bytes.copyWithin(start, start + LIST_HEAD, end)
    return end - LIST_HEAD
  }
  writeU32(bytes, start, length)
  writeU32(bytes, start + 4, documents)
  return end
}

export function readU32(bytes: Uint8Array, at: number): number {
  return (bytes[at]! | (bytes[at + 1]! << 8) | (bytes[at + 2]! << 16) | (bytes[at + 3]! << 24)) >>> 0
}

function writeU32(bytes: Uint8Array, at: number, value: number): void {
  for (let i = 0; i < 4; i++) bytes[at + i] = value >>> (8 * i)
}

/** Read access to a column of numbers in a segment. */
interface Column {
  readonly length: number
  at(place: number): number
}

export class ArrayColumn implements Column {
  readonly length: number
  readonly #values: Uint8Array | Uint32Array

  constructor(values: Uint8Array | Uint32Array) {
    this.#values = values
    this.length = values.length
  }

  at(place: number): number {
    return this.#values[place]!
  }
}

const BUFFER_BYTES = 512

/**
 * A column in a file. It buffers BUFFER_BYTES bytes around the last number read, because the next read is usually close
 * to it.
 */
class FileColumn implements Column {
  readonly length: number
  readonly #file: RandomAccessFile
  readonly #offset: number
  // The ArrayBuffer is created explicitly, because the bytes of a small array without one move when one is created.
  readonly #target: CopyTarget = copyTargetOf(new Uint8Array(new ArrayBuffer(BUFFER_BYTES)))
  readonly #buffer: Uint8Array | Uint32Array
  #from = 0
  #to = 0

  /** `offset` and `end` are byte positions in the file; `width` is the number of bytes of each number. */
  constructor(file: RandomAccessFile, offset: number, end: number, width: 1 | 4) {
    const { bytes } = this.#target
    this.#buffer = width === 1 ? bytes : new Uint32Array(bytes.buffer, 0, BUFFER_BYTES / 4)
    this.#file = file
    this.#offset = offset
    this.length = Math.floor((end - offset) / width)
  }

  at(place: number): number {
    if (place < this.#from || place >= this.#to) this.#fill(place)
    return this.#buffer[place - this.#from]!
  }

  #fill(place: number): void {
    const { length, BYTES_PER_ELEMENT } = this.#buffer
    this.#from = Math.max(0, Math.min(place - length / 2, this.length - length))
    this.#to = Math.min(this.length, this.#from + length)
    const start = this.#offset + this.#from * BYTES_PER_ELEMENT
    this.#file.copy(start, (this.#to - this.#from) * BYTES_PER_ELEMENT, this.#target, 0)
  }
}

/** The bytes of a segment's postings: all of them, or the parts that were loaded so far. */
interface PostingBytes {
  readonly length: number
  /** The loaded bytes. When more is loaded, the array may be replaced by a larger one. */
  readonly bytes: Uint8Array
  /** Must be called before lists are loaded that are used together. */
  begin(): void
  /** Loads the part from `start` to `end` and returns its position in `bytes`. */
  load(start: number, end: number): number
  /** Must be called when the loaded parts are no longer used. */
  end(): void
}

export function postingsInMemory(bytes: Uint8Array): PostingBytes {
  return { length: bytes.length, bytes, begin: () => {}, load: (start) => start, end: () => {} }
}

const INITIAL_BYTES = 1 << 18
const NO_TARGET: CopyTarget = { bytes: new Uint8Array(0), address: 0 }

/**
 * Postings in a file. The lists that a query needs are copied into memory, which takes some 10 µs for 70 KB. They are
 * not mapped, because the JavaScript engine would count a mapped array as its own memory and then collect garbage less
 * often.
 */
class PostingsInFile implements PostingBytes {
  readonly length: number
  readonly #file: RandomAccessFile
  readonly #offset: number
  /** Position in `bytes` of each loaded list, by its position in the section of the file. */
  readonly #loaded = new Map<number, number>()
  #target: CopyTarget = NO_TARGET
  #used = 0
  /**
   * The buffer. Between queries there is only this weak reference to it, so that a garbage collection can free it; see
   * Scratch.
   */
  #reusable = new WeakRef(NO_TARGET)

  /** `offset` and `length` of the section of postings in the file, in bytes. */
  constructor(file: RandomAccessFile, offset: number, length: number) {
    this.#file = file
    this.#offset = offset
    this.length = length
    ended.register(this, this.#file)
  }

  get bytes(): Uint8Array {
    return this.#target.bytes
  }

  begin(): void {
    this.#target = this.#reusable.deref() ?? NO_TARGET
    this.#used = 0
    if (this.#loaded.size > 0) this.#loaded.clear()
  }

  load(start: number, end: number): number {
    const loadedAt = this.#loaded.get(start)
    if (loadedAt !== undefined) return loadedAt
    const at = this.#used
    this.#used += end - start
    if (this.#used > this.#target.bytes.length) this.#grow(this.#used)
    this.#file.copy(this.#offset + start, end - start, this.#target, at)
    this.#loaded.set(start, at)
    return at
  }

  end(): void {
    if (this.#reusable.deref() !== this.#target) this.#reusable = new WeakRef(this.#target)
    this.#target = NO_TARGET
  }

  /** Makes room for more bytes. Parts that are loaded keep their positions. */
  #grow(bytes: number): void {
    const larger = new Uint8Array(Math.max(INITIAL_BYTES, bytes, this.#target.bytes.length * 2))
    larger.set(this.#target.bytes)
    this.#target = copyTargetOf(larger)
  }
}

// The file is closed only when the postings are garbage-collected, because a running search may still use an index that
// has been reopened.
const ended = new FinalizationRegistry<RandomAccessFile>((file) => file[Symbol.dispose]())

/** The sorted terms of a segment and their postings. */
export type PostingSpace = {
  readonly hi: Column
  readonly lo: Column
  readonly lengths: Column
  readonly blocks: Column
  readonly postings: PostingBytes
}

/**
 * A segment file whose checksum was verified. Only its small tables are mapped; terms and postings are copied when they
 * are needed.
 */
export type SegmentFile = { readonly path: string; readonly size: number }

/** The sections of a segment, as typed arrays over its bytes without copying. SECTIONS describes the columns. */
export type Segment = SegmentCounts & {
  readonly fileId: Uint32Array
  readonly fileFirst: Uint32Array
  readonly fileLines: Uint32Array
  readonly fileFlags: Uint32Array
  readonly fileBody: Uint32Array
  readonly fileDoc: Uint32Array
  readonly fileNames: Uint32Array
  readonly fileWords: Uint32Array
  readonly pathAt: Uint32Array
  readonly paths: Uint8Array
  readonly fileOf: Uint32Array
  readonly chunkStart: Uint32Array
  readonly chunkEnd: Uint32Array
  readonly firstSymbol: Uint32Array
  readonly bodyLength: Uint8Array
  readonly docLength: Uint8Array
  readonly namesLength: Uint8Array
  readonly symbolWords: Uint8Array
  readonly words: PostingSpace
}

/**
 * Opens a segment in a mapped file or blob without copying it. Checks the bounds of the sections. Unless the checksum
 * was verified (`isVerified`), also checks the tables that contain positions in other tables, which means reading all
 * of them. Other damage may cause wrong answers, but no read out of bounds.
 */
export function openSegment(source: Uint8Array, isVerified = false): Segment {
  const bytes = source.byteOffset % 8 === 0 ? source : Uint8Array.from(source)
  const header = readHeader(bytes)
  if (typeof header === "string") throw corrupt(header)
  const content = (section: SegmentSection) => {
    const { start, end } = sectionRange(header, section)
    return bytes.subarray(start, end)
  }
  const segment = segmentOf(header, content, {
    hi: new ArrayColumn(u32(content("termHi"))),
    lo: new ArrayColumn(u32(content("termLo"))),
    lengths: new ArrayColumn(content("termLength")),
    blocks: new ArrayColumn(u32(content("termBlock"))),
    postings: postingsInMemory(content("postings")),
  })
  if (!isVerified) checkTables(segment)
  return segment
}

/** Opens a segment file whose checksum has been verified. Throws INDEX_CORRUPT if it cannot be read. */
export function openSegmentFile({ path, size }: SegmentFile): Segment {
  const map = (offset: number, end: number) => {
    const part = mapFile(path, { offset, size: end - offset })
    if (part === null) throw corrupt(`${path} cannot be read`)
    return part
  }
  const header = readHeader(map(0, HEADER_BYTES), size)
  if (typeof header === "string") throw corrupt(header)
  const { start, end } = sectionRange(header, "postings")
  const tables = map(0, start)
  const file = openRandomAccessFile(path)
  // From here on, the file is closed together with the postings, even if the code below throws.
  const postings = new PostingsInFile(file, start, end - start)
  const content = (section: SegmentSection) => {
    const place = sectionRange(header, section)
    return tables.subarray(place.start, place.end)
  }
  const column = (section: SegmentSection, width: 1 | 4) => {
    const place = sectionRange(header, section)
    if (!IS_READ) return new FileColumn(file, place.start, place.end, width)
    const bytes = map(place.start, place.end)
    return new ArrayColumn(width === 1 ? bytes : u32(bytes))
  }
  return segmentOf(header, content, {
    hi: column("termHi", 4),
    lo: column("termLo", 4),
    lengths: column("termLength", 1),
    blocks: column("termBlock", 4),
    postings,
  })
}

/**
 * On Windows, the term columns are read into memory, because finding a term in the file takes five reads of 1 µs each,
 * and a query makes thousands of them.
 */
const IS_READ = process.platform === "win32"

function u32(bytes: Uint8Array): Uint32Array {
  return new Uint32Array(bytes.buffer, bytes.byteOffset, bytes.length >>> 2)
}

function segmentOf(
  { counts }: SegmentHeader,
  content: (section: SegmentSection) => Uint8Array,
  words: PostingSpace,
): Segment {
  return {
    ...counts,
    fileId: u32(content("fileId")),
    fileFirst: u32(content("fileFirst")),
    fileLines: u32(content("fileLines")),
    fileFlags: u32(content("fileFlags")),
    fileBody: u32(content("fileBody")),
    fileDoc: u32(content("fileDoc")),
    fileNames: u32(content("fileNames")),
    fileWords: u32(content("fileWords")),
    pathAt: u32(content("pathAt")),
    paths: content("paths"),
    fileOf: u32(content("fileOf")),
    chunkStart: u32(content("chunkStart")),
    chunkEnd: u32(content("chunkEnd")),
    firstSymbol: u32(content("firstSymbol")),
    bodyLength: content("bodyLength"),
    docLength: content("docLength"),
    namesLength: content("namesLength"),
    symbolWords: content("symbolWords"),
    words,
  }
}

export function filePath(segment: Segment, file: number): string {
  return decoder.decode(segment.paths.subarray(segment.pathAt[file]!, segment.pathAt[file + 1]!))
}

const decoder = new TextDecoder()

function sectionRange(
  { offsets, lengths }: SegmentHeader,
  section: SegmentSection,
): { start: number; end: number } {
  const place = SECTIONS.indexOf(section)
  return { start: offsets[place]!, end: offsets[place]! + lengths[place]! }
}

/**
 * Number of documents of a file. Even if the tables are damaged, it is at least 0 and at most the number of documents
 * in the segment.
 */
export function documentCount({ fileFirst, documents }: Segment, file: number): number {
  const count = fileFirst[file + 1]! - fileFirst[file]!
  return count > 0 ? Math.min(count, documents) : 0
}

/** Number of definitions in a file, at least 0 and at most the number in the segment. */
export function symbolCount({ fileFirst, firstSymbol, symbols }: Segment, file: number): number {
  const count = firstSymbol[fileFirst[file + 1]!]! - firstSymbol[fileFirst[file]!]!
  return count > 0 ? Math.min(count, symbols) : 0
}

/**
 * Throws INDEX_CORRUPT if a table contains a position outside of the table that it refers to. Reads all such tables.
 */
export function checkTables(segment: Segment): void {
  const { files, documents, symbols, fileOf } = segment
  if (fileOf.some((file) => file >= files)) throw corrupt("chunks of no file")
  if (!isStaircase(segment.fileFirst, documents, 1)) throw corrupt("files out of order")
  if (!isStaircase(segment.pathAt, segment.paths.length, 0)) throw corrupt("paths out of order")
  if (!isStaircase(segment.firstSymbol, symbols, 0)) throw corrupt("symbols out of order")
  if (files === 0 && documents > 0) throw corrupt("chunks without a file")
}

/** True if the numbers begin at 0, end at `last`, and each is greater than the one before by at least `step`. */
function isStaircase(numbers: Uint32Array, last: number, step: number): boolean {
  let previous = numbers[0]!
  if (previous !== 0 || numbers[numbers.length - 1] !== last) return false
  for (let i = 1; i < numbers.length; i++) {
    const number = numbers[i]!
    if (number < previous + step) return false
    previous = number
  }
  return true
}

export function corrupt(what: string): AmanError {
  return new AmanError("INDEX_CORRUPT", `keyword segment: ${what}`, { hint: "run: aman index" })
}

/**
 * Position of a term in a sorted dictionary; −1 if it is missing. Hashes are evenly distributed, so the first guess is
 * close.
 */
export function findTerm(space: PostingSpace, hi: number, lo: number): number {
  const { hi: his, lo: los } = space
  let at = lowerBound(his, hi)
  while (at < his.length && his.at(at) === hi) {
    if (los.at(at) === lo) return at
    at++
  }
  return -1
}

/**
 * Byte range of a term's postings in their section, and the number of documents in them; 0 for short lists, which do
 * not store that number.
 */
export type PostingRange = { readonly start: number; readonly end: number; readonly documents: number }

/**
 * The byte range of a term's postings. It is limited to the section even if the tables are damaged. For a long list,
 * this loads its head.
 */
export function postingRange({ lengths, blocks, postings }: PostingSpace, term: number): PostingRange {
  const block = Math.floor(term / TERMS_PER_BLOCK)
  let start = blocks.at(block)
  for (let i = block * TERMS_PER_BLOCK; i < term; i++) {
    const length = lengths.at(i)
    start += length < LONG_LIST ? length : headOf(postings, start, 0) + LIST_HEAD
  }
  let length = lengths.at(term)
  let documents = 0
  if (length === LONG_LIST) {
    length = headOf(postings, start, 0)
    documents = headOf(postings, start, 4)
    start += LIST_HEAD
  }
  const end = Math.min(start + length, postings.length)
  return { start: Math.min(start, end), end, documents }
}

function headOf(postings: PostingBytes, start: number, at: number): number {
  if (start + LIST_HEAD > postings.length) return 0
  const place = postings.load(start, start + LIST_HEAD)
  return readU32(postings.bytes, place + at)
}

/**
 * The first index whose number is `value` or greater. It starts at the index that evenly distributed numbers would
 * give, and corrects it by the number found there (interpolation search). This takes a few steps, however long the
 * column is.
 */
function lowerBound(sorted: Column, value: number): number {
  const { length } = sorted
  if (length === 0) return 0
  const perPlace = length / 0x1_0000_0000
  const guess = Math.floor(value * perPlace)
  const moved = guess + Math.floor((value - sorted.at(guess)) * perPlace)
  let low = Math.min(Math.max(moved, 0), length - 1)
  let high = low
  let step = 4
  while (low > 0 && sorted.at(low) >= value) {
    high = low
    low = Math.max(0, low - step)
    step *= 2
  }
  while (high < length && sorted.at(high) < value) {
    low = high + 1
    high = Math.min(length, high + step)
    step *= 2
  }
  return firstNot(low, high, (i) => sorted.at(i) < value)
}
