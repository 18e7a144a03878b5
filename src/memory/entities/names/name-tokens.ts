import { isUnspaced, isWordCode } from "../../../text/terms/unicode.ts"

/** A word, a character of a script without spaces, or a punctuation mark. */
export type NameToken = {
  /** Index into the text, end exclusive. */
  readonly start: number
  readonly end: number
  readonly kind: "word" | "character" | "mark"
  /** True when no gap separates the token from the text before it. */
  readonly isGlued: boolean
}

/**
 * The first token at or after `from`, null at the end. The text is in NFKC. A dash between two words joins them as a
 * space does; an underscore is part of its word.
 */
export function tokenAt(text: string, from: number): NameToken | null {
  let start = from
  while (start < text.length && isGap(text, start)) start++
  if (start >= text.length) return null
  const isGlued = start === from && start > 0
  const code = text.charCodeAt(start)
  if (!isWordAt(text, start)) return { start, end: start + 1, kind: "mark", isGlued }
  const end = wordEnd(text, start)
  if (code < 128) return { start, end, kind: "word", isGlued }
  const character = unspacedAt(text, start)
  return character === null
    ? { start, end, kind: "word", isGlued }
    : { start, end: start + character.length, kind: "character", isGlued }
}

/** The text by which tokens of names and texts are compared. */
export function tokenText(text: string, token: NameToken, isFirst: boolean): string {
  const written = text.slice(token.start, token.end)
  if (token.kind === "mark") return isFirst || token.isGlued ? written : ` ${written}`
  const folded = foldCase(written)
  // A lone underscore is a name too.
  return folded.includes("_") ? folded.replaceAll("_", "") || folded : folded
}

/**
 * The text in lower case, with the Greek final sigma (ς) as σ, so that a word equals its form inside a longer
 * word.
 */
export function foldCase(text: string): string {
  return text.toLowerCase().replaceAll("ς", "σ")
}

/**
 * True for a character of a word; also for half of a surrogate pair, because letters beyond the first plane
 * are words (emoji are accepted too).
 */
export function isWordAt(text: string, at: number): boolean {
  const code = text.charCodeAt(at)
  if (code < 128) return ASCII_WORD[code] === 1
  // The table for all of Unicode takes 5 ms to build, too much for a text whose only such character is a
  // dash.
  return code < FIRST_TABLED ? WORD.test(text[at]!) : isWordCode(code)
}

function isGap(text: string, at: number): boolean {
  const code = text.charCodeAt(at)
  if (code === 32 || (code >= 9 && code <= 13)) return true
  if (code < 128) return code === DASH && joinsWords(text, at)
  return isWideGap(text, at, code)
}

function isWideGap(text: string, at: number, code: number): boolean {
  if (isWordAt(text, at)) return false
  return (code === WIDE_DASH && joinsWords(text, at)) || WIDE_SPACE.test(text[at]!)
}

function joinsWords(text: string, at: number): boolean {
  return at > 0 && isWordAt(text, at - 1) && at + 1 < text.length && isWordAt(text, at + 1)
}

/** End of the word: the next non-letter, or the start of a script without spaces. */
function wordEnd(text: string, start: number): number {
  let end = start + 1
  while (end < text.length) {
    const code = text.charCodeAt(end)
    if (!isWordAt(text, end)) break
    if (code >= FIRST_UNSPACED && !isLowSurrogate(code) && unspacedAt(text, end) !== null) break
    end++
  }
  return end
}

function isLowSurrogate(code: number): boolean {
  return code >= 0xdc00 && code < 0xe000
}

/** The character with its combining marks if its script is written without spaces; otherwise null. */
function unspacedAt(text: string, at: number): string | null {
  if (text.charCodeAt(at) < FIRST_UNSPACED) return null
  WITH_MARKS.lastIndex = at
  const found = WITH_MARKS.exec(text)?.[0]
  return found !== undefined && isUnspaced(found) ? found : null
}

const DASH = 45
const WIDE_DASH = 0x2010
const WIDE_SPACE = /[\s\p{Cf}]/u
/** Thai, the lowest code of all scripts without spaces. */
const FIRST_UNSPACED = 0x0e00

const WITH_MARKS = /\P{M}\p{M}*/uy

/** Start of CJK, where nearly every character is a letter. */
const FIRST_TABLED = 0x2e80

const WORD = /[\p{L}\p{N}\p{M}]/u

const ASCII_WORD = new Uint8Array(128)
for (const word of "0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZ_abcdefghijklmnopqrstuvwxyz") {
  ASCII_WORD[word.charCodeAt(0)] = 1
}
