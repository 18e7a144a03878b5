import { readU32 } from "./term-dictionary.ts"

/**
 * Writes the head of a posting: the gap (number of documents skipped since the previous one) and the tuple
 * code. The commonest pairs, six postings of ten, take one byte; others a byte of the gap, the code and
 * further bytes of the gap.
 *
 *   0 … 159     a gap and a code
 *   160 … 223   gaps below 64
 *   224 … 246   gaps below 5952, with a byte more
 *   247 … 254   gaps below 524,288, with two more
 *   255         any gap, with four more
 *
 * It is read without a branch where no byte follows the code:
 *
 *   first = bytes[at]; gap = GAP[first]; code = CODE[first] | (bytes[at + 1] & CODE_MASK[first]); at += HEAD_BYTES[first]
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

/** The gap of a posting whose first byte is LONG_GAPS or more; `at` is the position after its code. */
export function longGap(bytes: Uint8Array, at: number, first: number): number {
  if (first < LONGER) return SHORT_GAPS + (((first - LONG_GAPS) << 8) | bytes[at]!)
  if (first < LONGEST) return ((first - LONGER) << 16) | bytes[at]! | (bytes[at + 1]! << 8)
  return readU32(bytes, at)
}

const SHORT = 160
const SHORT_GAPS = 64
/** First bytes from here on need further bytes for the gap. */
export const LONG_GAPS = SHORT + SHORT_GAPS
const LONGER = 247
const LONGEST = 255

/** Tables indexed by a posting's first byte: its gap and its code; 0 if that byte alone does not determine them. */
export const GAP = new Uint8Array(256)
export const CODE = new Uint8Array(256)
/**
 * By first byte. CODE_MASK: 255 if the next byte is the code, else 0. HEAD_BYTES: number of bytes up to and including
 * the code.
 */
export const CODE_MASK = new Uint8Array(256)
export const HEAD_BYTES = new Uint8Array(256)
/** Number of bytes of the gap that follow a posting's first byte, indexed by that byte. */
export const GAP_BYTES = new Uint8Array(256)

/**
 * Tables indexed by a posting's code (see tuple-code.ts). A gap below ONE_BYTE_GAPS shares one byte with the code: the
 * byte is ONE_BYTE_AT plus the gap.
 */
const ONE_BYTE_GAPS = new Uint8Array(256)
const ONE_BYTE_AT = new Uint8Array(256)

/**
 * Pairs of a tuple code and the number of its gaps that have a one-byte form, chosen by the frequency of the pairs in
 * Linux.
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
