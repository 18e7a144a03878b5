import { readU32 } from "./term-dictionary.ts"

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
 * Tables indexed by the code of a posting (see tuple-code.ts). A gap below ONE_BYTE_GAPS shares one byte with the code;
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

fillTables()

function fillTables(): void {
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
