import { AmanError } from "../base/errors.ts"
import { literalPattern } from "./literal-pattern.ts"
import { asksForLineBreak } from "./unicode-classes.ts"

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

/** Something to look for, line by line. */
export interface TextPattern {
  /** False only where no line of the text matches: one quick look at many lines. */
  mayMatch(text: string): boolean
  matches(line: string): boolean
  /** Where in a line, from left to right, without empty ones. */
  spans(line: string): Span[]
  /** Longer lines would take too long to look through. */
  readonly longestLine: number
}

// Far beyond what a person writes; RE2 compiles some 200 characters in a millisecond.
const LONGEST_PATTERN = 20_000

/** Throws USAGE for what is no pattern. */
export async function textPattern(options: PatternOptions): Promise<TextPattern> {
  const { pattern, mode } = options
  if (pattern.includes("\n") || (mode === "regex" && asksForLineBreak(pattern))) {
    throw new AmanError("USAGE", "the pattern holds a line break, but lines are searched one by one", {
      hint: "search for one of the lines, with the others as context",
    })
  }
  if (pattern.length > LONGEST_PATTERN) {
    throw new AmanError("USAGE", `the pattern is longer than ${LONGEST_PATTERN} characters`, {
      hint: "search for its most telling part",
    })
  }
  if (mode === "exact" || !/[\\.+*?()|[\]{}^$]/.test(pattern)) return literalPattern(options)
  const { regexPattern } = await import("./regex-pattern.ts")
  return regexPattern(options)
}
