import { AmanError } from "../base/errors.ts"
import { mapFile } from "../store/derived-files.ts"
import { type Counts, HEADER_BYTES, type Header, readHeader, SECTIONS, type Section } from "./layout.ts"
import { type PostingBytes, PostingsInFile, postingsInMemory } from "./posting-bytes.ts"

/** Sorted terms and their postings, as term-dictionary.ts has them. */
export type PostingSpace = {
  readonly hi: Uint32Array
  readonly lo: Uint32Array
  readonly lengths: Uint8Array
  readonly blocks: Uint32Array
  readonly postings: PostingBytes
}

/** A verified file of which only a part is mapped, the postings being read. */
export type SegmentFile = { readonly path: string; readonly size: number }

/** Views of a segment's sections; nothing is copied. Columns as described in layout.ts. */
export type Segment = Counts & {
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
 * Looks at a segment in place, a mapped file or a blob. Bounds of sections are checked, and the tables that other
 * tables are read by, unless a checksum has been (`isVerified`): that takes a walk through all of it. Damage beyond
 * that can give wrong answers, but no read out of bounds.
 */
export function openSegment(source: Uint8Array, isVerified = false): Segment {
  const bytes = source.byteOffset % 8 === 0 ? source : Uint8Array.from(source)
  const header = readHeader(bytes)
  if (typeof header === "string") throw corrupt(header)
  const content = (section: Section) => {
    const { start, end } = placeOf(header, section)
    return bytes.subarray(start, end)
  }
  const segment = segmentOf(header, content, postingsInMemory(content("postings")))
  if (!isVerified) checkTables(segment)
  return segment
}

/** The same of a file whose checksum has been compared. Throws INDEX_CORRUPT where it cannot be read. */
export function openSegmentFile({ path, size }: SegmentFile): Segment {
  const map = (offset: number, end: number) => {
    const part = mapFile(path, { offset, size: end - offset })
    if (part === null) throw corrupt(`${path} cannot be read`)
    return part
  }
  const header = readHeader(map(0, HEADER_BYTES), size)
  if (typeof header === "string") throw corrupt(header)
  const postings = placeOf(header, "postings")
  const before = map(0, postings.start)
  const next = placeOf(header, "termHi").start
  const after = map(next, size)
  const content = (section: Section) => {
    const { start, end } = placeOf(header, section)
    if (end <= postings.start) return before.subarray(start, end)
    return after.subarray(start - next, end - next)
  }
  return segmentOf(header, content, new PostingsInFile(path, postings.start, postings.end - postings.start))
}

function segmentOf(
  { counts }: Header,
  u8: (section: Section) => Uint8Array,
  postings: PostingBytes,
): Segment {
  const u32 = (section: Section) => {
    const view = u8(section)
    return new Uint32Array(view.buffer, view.byteOffset, view.length >>> 2)
  }
  return {
    ...counts,
    fileId: u32("fileId"),
    fileFirst: u32("fileFirst"),
    fileLines: u32("fileLines"),
    fileFlags: u32("fileFlags"),
    fileBody: u32("fileBody"),
    fileDoc: u32("fileDoc"),
    fileNames: u32("fileNames"),
    fileWords: u32("fileWords"),
    pathAt: u32("pathAt"),
    paths: u8("paths"),
    fileOf: u32("fileOf"),
    chunkStart: u32("chunkStart"),
    chunkEnd: u32("chunkEnd"),
    firstSymbol: u32("firstSymbol"),
    bodyLength: u8("bodyLength"),
    docLength: u8("docLength"),
    namesLength: u8("namesLength"),
    symbolWords: u8("symbolWords"),
    words: {
      hi: u32("termHi"),
      lo: u32("termLo"),
      lengths: u8("termLength"),
      blocks: u32("termBlock"),
      postings,
    },
  }
}

export function filePath(segment: Segment, file: number): string {
  return decoder.decode(segment.paths.subarray(segment.pathAt[file]!, segment.pathAt[file + 1]!))
}

const decoder = new TextDecoder()

function placeOf({ offsets, lengths }: Header, section: Section): { start: number; end: number } {
  const place = SECTIONS.indexOf(section)
  return { start: offsets[place]!, end: offsets[place]! + lengths[place]! }
}

function checkTables(segment: Segment): void {
  const { files, documents, symbols, fileOf } = segment
  if (fileOf.some((file) => file >= files)) throw corrupt("chunks of no file")
  if (!isStaircase(segment.fileFirst, documents, 1)) throw corrupt("files out of order")
  if (!isStaircase(segment.pathAt, segment.paths.length, 0)) throw corrupt("paths out of order")
  if (!isStaircase(segment.firstSymbol, symbols, 0)) throw corrupt("symbols out of order")
  if (files === 0 && documents > 0) throw corrupt("chunks without a file")
}

/** Whether the numbers begin at 0, rise by at least `step` and end at `last`. */
function isStaircase(numbers: Uint32Array, last: number, step: number): boolean {
  let before = numbers[0]!
  if (before !== 0 || numbers[numbers.length - 1] !== last) return false
  for (let i = 1; i < numbers.length; i++) {
    const number = numbers[i]!
    if (number < before + step) return false
    before = number
  }
  return true
}

export function corrupt(what: string): AmanError {
  return new AmanError("INDEX_CORRUPT", `keyword segment: ${what}`, { hint: "run: aman index" })
}
