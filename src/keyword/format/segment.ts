import { AmanError } from "../../base/errors.ts"
import { mapFile } from "../../store/derived/derived-files.ts"
import { openRandomAccessFile } from "../../store/derived/random-access-file.ts"
import { ArrayColumn, type Column, FileColumn } from "./column.ts"
import {
  HEADER_BYTES,
  readHeader,
  SECTIONS,
  type SegmentCounts,
  type SegmentHeader,
  type SegmentSection,
} from "./layout.ts"
import { type PostingBytes, PostingsInFile, postingsInMemory } from "./posting-bytes.ts"

/** The sorted terms of a segment and their postings, in the format described in term-dictionary.ts. */
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

/** The sections of a segment, as typed arrays over its bytes without copying. layout.ts describes the columns. */
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
