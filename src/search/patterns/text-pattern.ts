import { AmanError } from "../../base/errors.ts"
import { asksForLineBreak, WORD_CHARACTER } from "./unicode-classes.ts"

export type PatternOptions = {
  readonly pattern: string
  /** The text itself, or a regular expression in RE2's syntax. */
  readonly mode: "exact" | "regex"
  readonly ignoreCase: boolean
  /** No character of a word may stand on either side. */
  readonly wholeWord: boolean
}

/** [start, end) in UTF-16 units. */
export type Span = readonly [start: number, end: number]

/** One line can hold as many spans as characters, and each takes a look at the rest of the line. */
export type SpanLimits = {
  /** Only the first so many. */
  readonly most?: number
  /** Asked before each; true: stop with those found. */
  readonly isOver?: () => boolean
}

/** Something to look for, line by line. */
export interface TextPattern {
  /** False only where no line of the text matches: one quick look at many lines. */
  mayMatch(text: string): boolean
  matches(line: string): boolean
  /** Where in a line, from left to right, without empty ones. */
  spans(line: string, limits?: SpanLimits): Span[]
  /** Longer lines would take too long to look through. */
  readonly longestLine: number
  /** Characters that are looked through in a fraction of a second at worst. */
  readonly block: number
}

// Far beyond what a person writes; RE2 compiles some 200 characters in a millisecond.
const MAX_PATTERN = 20_000

/** Throws USAGE for what is no pattern. */
export async function textPattern(options: PatternOptions): Promise<TextPattern> {
  const { pattern, mode } = options
  if (pattern.includes("\n") || (mode === "regex" && asksForLineBreak(pattern))) {
    throw new AmanError("USAGE", "the pattern contains a line break, but matching is line by line", {
      hint: "search for one of the lines, with context lines around it",
    })
  }
  if (pattern.length > MAX_PATTERN) {
    throw new AmanError("USAGE", `the pattern is longer than ${MAX_PATTERN} characters`, {
      hint: "search for a shorter part",
    })
  }
  if (mode === "exact" || !/[\\.+*?()|[\]{}^$]/.test(pattern)) return literalPattern(options)
  const { regexPattern } = await import("./regex-pattern.ts")
  return regexPattern(options)
}

/**
 * Plain text, found by the engine's own regular expressions: without any operator they search at memory speed and
 * cannot go wrong. Case is ignored as Unicode folds single characters.
 */
function literalPattern({ pattern, ignoreCase, wholeWord }: Omit<PatternOptions, "mode">): TextPattern {
  const text = pattern.replace(/[\\^$.*+?()[\]{}|/]/g, "\\$&")
  const source = wholeWord ? `(?<!${WORD_CHARACTER})${text}(?!${WORD_CHARACTER})` : text
  const once = new RegExp(source, ignoreCase ? "iu" : "u")
  const all = new RegExp(source, ignoreCase ? "giu" : "gu")
  const matches = (line: string) => once.test(line)
  return {
    mayMatch: matches,
    matches,
    spans: (line, limits) => spansOf(line, all, limits),
    longestLine: Number.POSITIVE_INFINITY,
    block: Number.POSITIVE_INFINITY,
  }
}

function spansOf(
  line: string,
  pattern: RegExp,
  { most = Number.POSITIVE_INFINITY, isOver = () => false }: SpanLimits = {},
): Span[] {
  const spans: Span[] = []
  for (const { 0: found, index } of line.matchAll(pattern)) {
    if (spans.length >= most || isOver()) break
    if (found !== "") spans.push([index, index + found.length])
  }
  return spans
}
