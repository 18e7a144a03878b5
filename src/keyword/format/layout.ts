/**
 * A segment on disk: a header, then sections that begin on multiples of eight. Little-endian throughout, as
 * all supported machines are. Documents are numbered through the segment: each file's header document, whose
 * fields are stem, head and dirs, then its chunks, whose fields are body, doc and names.
 *
 *   header   magic, version, byte length, counts, then offset and byte length of each section
 *   sections in the order below; F files, D documents, S symbols, T terms
 */
import { blockCount } from "./term-dictionary.ts"

export const MAGIC = 0x4e414d41
export const FORMAT_VERSION = 3

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
  "bodyLength", // u8 × D, length code (tuple-code.ts); the next two likewise
  "docLength",
  "namesLength",
  "symbolWords", // u8 × S, number of distinct words in the name of the symbol, at most 255
  "postings", // posting lists (posting-code.ts); one of 255 bytes or more has a head (term-dictionary.ts)
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

export type SegmentHeader = { counts: SegmentCounts; offsets: Uint32Array; lengths: Uint32Array }

export function writeHeader(into: Uint32Array, header: SegmentHeader, byteLength: number): void {
  into.set([MAGIC, FORMAT_VERSION, byteLength, ...COUNTS.map((name) => header.counts[name])])
  for (let i = 0; i < SECTIONS.length; i++) {
    into[TABLE_AT + i * 2] = header.offsets[i]!
    into[TABLE_AT + i * 2 + 1] = header.lengths[i]!
  }
}

/** Reads the header of a segment of `total` bytes. If the result is a string, it says what is wrong with the header. */
export function readHeader(bytes: Uint8Array, total = bytes.length): SegmentHeader | string {
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
    default:
      return counts.files * 4
  }
}
