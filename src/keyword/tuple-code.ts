/**
 * A posting's frequencies in the three fields of its document as one byte. The 255 commonest tuples have a
 * code, cut from the measured tail by rule so that no table travels with a segment; anything else is ESCAPE
 * and three bytes. Fields are body, doc, names in a chunk's document and stem, dirs, head in a file's.
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
/** Codes below this are first-field frequencies less one, and nothing in the other fields. */
export const FIRST_ONLY = 80

const SECOND_ONLY = 40
const THIRD_ONLY = 16
const SECOND_AT = FIRST_ONLY
const THIRD_AT = SECOND_AT + SECOND_ONLY
const PAIR_AT = THIRD_AT + THIRD_ONLY
const NAMED_AT = PAIR_AT + 64
const TRIPLE_AT = NAMED_AT + 30

/** What each code stands for: first, second and third frequency, and a bit per field that has any. */
export const FIRST = new Uint8Array(256)
export const SECOND = new Uint8Array(256)
export const THIRD = new Uint8Array(256)
export const FIELD_BITS = new Uint8Array(256)

export function fieldBits(first: number, second: number, third: number): number {
  return (first > 0 ? 1 : 0) | (second > 0 ? 2 : 0) | (third > 0 ? 4 : 0)
}

fillTables()

/** One field alone, then the few that meet: all 56,000 tuples would take a process 5 ms before its first query. */
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
