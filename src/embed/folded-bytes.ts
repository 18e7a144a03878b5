/**
 * The UTF-8 of a text's letters and digits, lower-cased, run together. The bytes are this thread's buffer: the
 * next call overwrites them.
 */
export function foldedBytes(text: string): { readonly bytes: Uint8Array; readonly length: number } {
  // A code unit takes at most three bytes, a pair of surrogates four.
  if (buffer.length < text.length * 3) buffer = new Uint8Array(text.length * 4)
  let length = 0
  for (let i = 0; i < text.length; i++) {
    const unit = text.charCodeAt(i)
    if (unit < 128) {
      const folded = ascii[unit]!
      if (folded !== 0) buffer[length++] = folded
      continue
    }
    const point = text.codePointAt(i)!
    if (point > 0xffff) i++
    length = append(fold(point), length)
  }
  return { bytes: buffer, length }
}

let buffer = new Uint8Array(16_384)

/** The folded byte of an ASCII character; 0 where it is neither letter nor digit. */
const ascii = new Uint8Array(128)
for (let char = 48; char < 58; char++) ascii[char] = char
for (let char = 97; char < 123; char++) {
  ascii[char] = char
  ascii[char - 32] = char
}

const LETTER_OR_DIGIT = /[\p{L}\p{Nd}]/u
const NOT_KEPT = 0
const known = new Map<number, number>()

/** The lower-case code point (a letter alone is never a final sigma), or 0 for what is dropped. */
function fold(point: number): number {
  let folded = known.get(point)
  if (folded === undefined) {
    const lower = String.fromCodePoint(point).toLowerCase().codePointAt(0)!
    folded = LETTER_OR_DIGIT.test(String.fromCodePoint(lower)) ? lower : NOT_KEPT
    known.set(point, folded)
  }
  return folded
}

function append(point: number, at: number): number {
  if (point === NOT_KEPT) return at
  if (point < 0x80) {
    buffer[at] = point
    return at + 1
  }
  if (point < 0x800) {
    buffer[at] = 0xc0 | (point >> 6)
    buffer[at + 1] = 0x80 | (point & 63)
    return at + 2
  }
  if (point < 0x1_0000) {
    buffer[at] = 0xe0 | (point >> 12)
    buffer[at + 1] = 0x80 | ((point >> 6) & 63)
    buffer[at + 2] = 0x80 | (point & 63)
    return at + 3
  }
  buffer[at] = 0xf0 | (point >> 18)
  buffer[at + 1] = 0x80 | ((point >> 12) & 63)
  buffer[at + 2] = 0x80 | ((point >> 6) & 63)
  buffer[at + 3] = 0x80 | (point & 63)
  return at + 4
}
