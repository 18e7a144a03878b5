import { readU32 } from "./segment.ts"

/**
 * Encodes the frequencies of a term in the three fields of a document as one byte. The 255 commonest combinations
 * (tuples) have a code. The codes follow fixed rules, which were chosen by measured frequencies, so that a segment
 * needs no table of them. Any other tuple is stored as ESCAPE and three bytes. The fields are body, doc and names for a
 * chunk; stem, dirs and head for a file header.
 */
// biome-ignore lint/complexity/noExcessiveCognitiveComplexity: one flat table of rules, run for every posting
export function encodeTuple(first: number, second: number, third: number): number {
  if (third === 0) {
    if (second === 0) return first <= FIRST_ONLY ? first - 1 : ESCAPE
    if (first === 0) return second <= SECOND_ONLY ? SECOND_AT + second - 1 : ESCAPE
    return first <= 8 && second <= 8 ? PAIR_AT + (first - 1) * 8 + second - 1 : ESCAPE
  }
  if (second === 0) {
    if (first === 0) return third <= THIRD_ONLY ? THIRD_AT + third - 1 : ESCAPE
    return first <= 10 && third <= 3 ? NAMED_AT + (first - 1) * 3 + third - 1 : ESCAPE
  }
  const isCommon = third === 1 && first >= 1 && first <= 5 && second <= 5
  return isCommon ? TRIPLE_AT + (first - 1) * 5 + second - 1 : ESCAPE
}

export const ESCAPE = 255
/** A code below this means: the frequency in the first field is the code plus one, and the other fields are 0. */
export const FIRST_ONLY = 80

const SECOND_ONLY = 40
const THIRD_ONLY = 16
const SECOND_AT = FIRST_ONLY
const THIRD_AT = SECOND_AT + SECOND_ONLY
const PAIR_AT = THIRD_AT + THIRD_ONLY
const NAMED_AT = PAIR_AT + 64
const TRIPLE_AT = NAMED_AT + 30

/** Tables indexed by code: the first, second and third frequency, and a mask of the fields that are not 0. */
export const FIRST = new Uint8Array(256)
export const SECOND = new Uint8Array(256)
export const THIRD = new Uint8Array(256)
export const FIELD_BITS = new Uint8Array(256)

export function fieldBits(first: number, second: number, third: number): number {
  return (first > 0 ? 1 : 0) | (second > 0 ? 2 : 0) | (third > 0 ? 4 : 0)
}

fillTables()

/**
 * Fills the tables. First come tuples with a single field, then the few combinations of fields, because trying all
 * 56,000 tuples would delay the first query of a process by 5 ms.
 */
function fillTables(): void {
  for (let first = 1; first <= FIRST_ONLY; first++) fill(first, 0, 0)
  for (let second = 1; second <= SECOND_ONLY; second++) fill(0, second, 0)
  for (let third = 1; third <= THIRD_ONLY; third++) fill(0, 0, third)
  for (let first = 1; first <= 10; first++) {
    for (let second = 0; second <= 8; second++) {
      for (let third = 0; third <= 3; third++) fill(first, second, third)
    }
  }
}

function fill(first: number, second: number, third: number): void {
  const code = encodeTuple(first, second, third)
  if (code === ESCAPE) return
  FIRST[code] = first
  SECOND[code] = second
  THIRD[code] = third
  FIELD_BITS[code] = fieldBits(first, second, third)
}

/**
 * Encodes the length of a chunk's field, in words, as one byte. The value is exact below 32. From there on there are
 * sixteen steps per doubling, so that the value is at most 6 % too small. All lengths from 524,288 on have the same
 * code.
 */
export function encodeLength(words: number): number {
  if (words < EXACT) return words
  const exponent = 31 - Math.clz32(words)
  const code = EXACT + (exponent - 5) * STEPS + ((words >>> (exponent - 4)) & (STEPS - 1))
  return Math.min(code, 255)
}

export function decodeLength(code: number): number {
  if (code < EXACT) return code
  const exponent = 5 + ((code - EXACT) >>> 4)
  return (STEPS + ((code - EXACT) & (STEPS - 1))) << (exponent - 4)
}

const EXACT = 32
const STEPS = 16

/**
 * Writes the head of a posting: the gap (number of documents skipped since the previous posting) and the tuple code.
 * The commonest pairs of gap and code take one byte; they are six of ten postings. Any other pair takes one byte for
 * the beginning of the gap, one for the code and, for longer gaps, further bytes. Meaning of the first byte:
 *
 *   0 … 159     both the gap and the code
 *   160 … 223   a gap below 64
 *   224 … 246   a gap below 5952; one more byte of it comes after the code
 *   247 … 254   a gap below 524,288; two more bytes
 *   255         any gap; four more bytes
 *
 * Reading takes no branch if no byte of the gap comes after the code:
 *
 *   first = bytes[at]; gap = GAP[first]; code = CODE[first] | (bytes[at + 1] & CODE_MASK[first]); at +=
 * HEAD_BYTES[first]
 *   if (first >= LONG_GAPS) gap = longGap(bytes, at, first); at += GAP_BYTES[first]
 */
export function writePosting(bytes: Uint8Array, start: number, gap: number, code: number): number {
  let at = start
  if (gap < ONE_BYTE_GAPS[code]!) {
    bytes[at++] = ONE_BYTE_AT[code]! + gap
  } else if (gap < SHORT_GAPS) {
    bytes[at++] = SHORT + gap
    bytes[at++] = code
  } else if (gap < SHORT_GAPS + ((LONGER - LONG_GAPS) << 8)) {
    const rest = gap - SHORT_GAPS
    bytes[at++] = LONG_GAPS + (rest >>> 8)
    bytes[at++] = code
    bytes[at++] = rest
  } else if (gap < (LONGEST - LONGER) << 16) {
    bytes[at++] = LONGER + (gap >>> 16)
    bytes[at++] = code
    bytes[at++] = gap
    bytes[at++] = gap >>> 8
  } else {
    bytes[at++] = LONGEST
    bytes[at++] = code
    for (let shift = 0; shift < 32; shift += 8) bytes[at++] = gap >>> shift
  }
  return at
}

/** The gap of a posting whose first byte is LONG_GAPS or greater; `at` is the position after its code. */
export function longGap(bytes: Uint8Array, at: number, first: number): number {
  if (first < LONGER) return SHORT_GAPS + (((first - LONG_GAPS) << 8) | bytes[at]!)
  if (first < LONGEST) return ((first - LONGER) << 16) | bytes[at]! | (bytes[at + 1]! << 8)
  return readU32(bytes, at)
}

const SHORT = 160
const SHORT_GAPS = 64
/** If the first byte is this value or greater, further bytes of the gap follow. */
export const LONG_GAPS = SHORT + SHORT_GAPS
const LONGER = 247
const LONGEST = 255

/**
 * Tables indexed by the first byte of a posting: GAP is its gap, CODE is its code; 0 if this byte alone does not
 * determine them.
 */
export const GAP = new Uint8Array(256)
export const CODE = new Uint8Array(256)
/**
 * Tables indexed by the first byte of a posting. CODE_MASK: 255 if the next byte is the code, otherwise 0. HEAD_BYTES:
 * number of bytes up to and including the code.
 */
export const CODE_MASK = new Uint8Array(256)
export const HEAD_BYTES = new Uint8Array(256)
/** The number of bytes of the gap that come after the code, indexed by the first byte of the posting. */
export const GAP_BYTES = new Uint8Array(256)

/**
 * Tables indexed by the code of a posting. A gap below ONE_BYTE_GAPS shares one byte with the code;
 * the value of this byte is ONE_BYTE_AT plus the gap.
 */
const ONE_BYTE_GAPS = new Uint8Array(256)
const ONE_BYTE_AT = new Uint8Array(256)

/**
 * Each pair is a tuple code and how many of the smallest gaps share one byte with it. They were chosen by how often the
 * codes and gaps occur in an index of the Linux kernel.
 */
const FREQUENT_PAIRS = [
  [0, 48],
  [80, 24],
  [1, 20],
  [200, 12],
  [120, 12],
  [2, 10],
  [3, 8],
  [81, 7],
  [4, 4],
  [5, 4],
  [136, 3],
  [6, 2],
  [7, 2],
  [82, 2],
  [8, 1],
  [9, 1],
] as const

fillGaps()

function fillGaps(): void {
  let first = 0
  for (const [code, gaps] of FREQUENT_PAIRS) {
    ONE_BYTE_GAPS[code] = gaps
    ONE_BYTE_AT[code] = first
    for (let gap = 0; gap < gaps; gap++) {
      GAP[first] = gap
      CODE[first++] = code
    }
  }
  for (let gap = 0; gap < SHORT_GAPS; gap++) GAP[SHORT + gap] = gap
  CODE_MASK.fill(255, SHORT)
  HEAD_BYTES.fill(1, 0, SHORT)
  HEAD_BYTES.fill(2, SHORT)
  GAP_BYTES.fill(1, LONG_GAPS, LONGER)
  GAP_BYTES.fill(2, LONGER, LONGEST)
  GAP_BYTES[LONGEST] = 4
}

/**
 * Writes which definitions in a chunk have the term in their names. These bytes follow each posting whose third field
 * is not 0. Each definition takes one byte, which is the sum of: 128 if more definitions follow; twice the number of
 * steps from the previous definition (at first from −1); and 1 if the term is the whole name (its compound). If the sum
 * without the 128 is 1, the byte only skips 63 steps; if it is 0, there is no definition.
 */
export function writeNames(
  bytes: Uint8Array,
  start: number,
  names: Uint32Array,
  from: number,
  to: number,
): number {
  let at = start
  if (from === to) {
    bytes[at++] = 0
    return at
  }
  let previous = -1
  for (let i = from; i < to; i++) {
    const symbol = names[i]! >>> 1
    for (; symbol - previous > MAX_STEPS; previous += MAX_STEPS) bytes[at++] = SKIP | MORE
    const more = i + 1 < to ? MORE : 0
    bytes[at++] = ((symbol - previous) << 1) | (names[i]! & 1) | more
    previous = symbol
  }
  return at
}

/** Upper bound of the number of bytes that `writeNames` writes. */
export function maxNameBytes(names: Uint32Array, from: number, to: number): number {
  return to - from + 1 + (from < to ? Math.floor((names[to - 1]! >>> 1) / MAX_STEPS) : 0)
}

/**
 * Position of the first byte after a posting. `start` is the end of its head (the document and the tuple code, which is
 * `code`); the frequencies and names that follow are skipped.
 */
export function tailEnd(bytes: Uint8Array, start: number, code: number): number {
  let at = start
  let third = THIRD[code]!
  if (code === ESCAPE) {
    at += 3
    third = bytes[at - 1]!
  }
  if (third > 0) while (bytes[at++]! >= MORE);
  return at
}

export const MORE = 128
export const SKIP = 1
export const MAX_STEPS = 63

/**
 * Reads a posting list posting by posting:
 *
 *   cursor.open(bytes, start, end, documents)
 *   while (cursor.next()) use(cursor.document, cursor.code)
 *
 * Three hot loops repeat `next` inline, because branches alone made queries a fifth slower
 * (docs/decisions/03-index.md) and calls cost more: `scanPostings` (score.ts), `ChunkScores`
 * (hits.ts) and `gatherPostings` (merge.ts). A change here has to be made there, too.
 */
export class PostingCursor {
  /** Document of the current posting. Before the first posting, the document before it, which is usually −1. */
  document = -1
  /** Tuple code of the current posting. */
  code = 0
  /** Position after the posting. In a damaged segment it may be beyond the end of the list. */
  at = 0
  private bytes: Uint8Array = EMPTY
  private end = 0
  private limit = 0

  /**
   * Places the cursor before the posting at `start`, in a list that ends at `end`. Postings of document `limit` and of
   * later documents are not read. `previous` is the document of the posting before `start`; −1 at the start of a list.
   */
  open(bytes: Uint8Array, start: number, end: number, limit: number, previous = -1): void {
    this.bytes = bytes
    this.at = start
    this.end = end
    this.limit = limit
    this.document = previous
  }

  /** Moves to the next posting. False if there is none; every further call then returns false, too. */
  next(): boolean {
    let { at } = this
    if (at >= this.end) return false
    const { bytes } = this
    const first = bytes[at]!
    let gap = GAP[first]!
    const code = CODE[first]! | (bytes[at + 1]! & CODE_MASK[first]!)
    at += HEAD_BYTES[first]!
    if (first >= LONG_GAPS) {
      gap = longGap(bytes, at, first)
      at += GAP_BYTES[first]!
    }
    const document = this.document + gap + 1
    if (document >= this.limit) return false
    this.document = document
    this.code = code
    this.at = tailEnd(bytes, at, code)
    return true
  }

  /**
   * Moves forward to the first posting whose document is `document` or later; this may be the current posting. False if
   * there is none. Directly after `open`, `document` must be greater than the `previous` that was passed to it.
   */
  seek(document: number): boolean {
    while (this.document < document) if (!this.next()) return false
    return true
  }
}

const EMPTY = new Uint8Array(0)
