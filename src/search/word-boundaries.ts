import { NO_WORD_CHARACTER } from "./unicode-classes.ts"

/** What a pattern stands between, where it is a word: neither belongs to it. */
export const BEFORE_WORD = `(?:^|${NO_WORD_CHARACTER})`
export const AFTER_WORD = `(?:${NO_WORD_CHARACTER}|$)`

export type Bounded = { readonly before: boolean; readonly body: string; readonly after: boolean }

const LETTER = "[\\p{L}\\p{Nd}_]"
const WORDS = `\\((?:\\?:)?${LETTER}+(?:\\|${LETTER}+)*\\)`
const BEGINS = new RegExp(`^\\\\b(?=(?:${WORDS}|${LETTER}|\\\\w)(?![*?{]))`, "u")
// Not the letter of an escape such as \d, \pL or \x41.
const ENDS = new RegExp(`(?:${WORDS}|(?<!\\\\.{0,3})${LETTER}|(?<!\\\\)\\\\w\\+?)\\\\b$`, "u")

/**
 * Takes `\b` off both ends of a pattern where what stands beside it belongs to a word, so that it can be said in
 * Unicode: RE2 knows the boundaries of ASCII words only, and to it "é" parts words as a space does.
 */
export function splitBoundaries(pattern: string): Bounded {
  if (pattern.replace(new RegExp(WORDS, "gu"), "").includes("|"))
    return { before: false, body: pattern, after: false }
  const before = BEGINS.test(pattern)
  const after = ENDS.test(pattern)
  return { before, body: pattern.slice(before ? 2 : 0, after ? -2 : undefined), after }
}
