import { AmanError } from "../../base/errors.ts"
import { filledIn } from "./replacement.ts"
import { asksForLineBreak, WORD_CHARACTER } from "./unicode-classes.ts"

export type PatternOptions = {
  readonly pattern: string
  /** "exact": the pattern is the text to find; "regex": it is a regular expression in RE2's syntax. */
  readonly mode: "exact" | "regex"
  readonly ignoreCase: boolean
  /** True if the match must not have a word character on either side. */
  readonly wholeWord: boolean
}

/** Start (inclusive) and end (exclusive) of a match, in UTF-16 units. */
export type MatchSpan = readonly [start: number, end: number]

/**
 * Limits for the spans of one line: a line can have as many matches as characters, and finding each searches the rest
 * of the line.
 */
export type SpanLimits = {
  /** Maximum number of spans. */
  readonly max?: number
  /** Called before each span; when it returns true, the spans found so far are returned. */
  readonly isOver?: () => boolean
}

/** A compiled pattern, matched line by line. */
export interface TextPattern {
  /**
   * A fast test for many lines at once. False means that no line of the text matches; true means that a line may match.
   */
  mayMatch(text: string): boolean
  matches(line: string): boolean
  /** The matches in a line from left to right, without empty ones. */
  spans(line: string, limits?: SpanLimits): MatchSpan[]
  /**
   * The replacement of each span by a template, in the order of the spans. In the template, $0 is the match, $1, ${1},
   * $name or ${name} is the text of a group ("" if the group is unknown), and $$ is a dollar sign.
   */
  replacements(line: string, template: string, limits?: SpanLimits): string[]
  /** Maximum length of a line, in characters; longer lines would take too long to search. */
  readonly longestLine: number
  /** Number of characters that can be searched at once, so that even the worst case takes a fraction of a second. */
  readonly block: number
}

// Maximum length of a pattern, much longer than typed patterns; RE2 compiles some 200 characters in a millisecond.
const MAX_PATTERN = 20_000

/** Compiles a pattern. Throws USAGE if it is invalid. */
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
 * Matches plain text with the regular expressions of the JavaScript engine, which search a pattern without operators in
 * linear time and at the speed of memory. Case is ignored by Unicode's simple case folding.
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
    replacements: (line, template, limits) =>
      spansOf(line, all, limits).map(([start, end]) =>
        filledIn(template, (group) => (group === "0" ? line.slice(start, end) : null)),
      ),
    longestLine: Number.POSITIVE_INFINITY,
    block: Number.POSITIVE_INFINITY,
  }
}

function spansOf(
  line: string,
  pattern: RegExp,
  { max = Number.POSITIVE_INFINITY, isOver = () => false }: SpanLimits = {},
): MatchSpan[] {
  const spans: MatchSpan[] = []
  for (const { 0: found, index } of line.matchAll(pattern)) {
    if (spans.length >= max || isOver()) break
    if (found !== "") spans.push([index, index + found.length])
  }
  return spans
}
