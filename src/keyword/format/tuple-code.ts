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
