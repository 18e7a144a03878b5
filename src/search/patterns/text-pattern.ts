import { AmanError } from "../../base/errors.ts"
import { filledIn } from "./replacement.ts"
import { asksForLineBreak, WORD_CHARACTER } from "./unicode-classes.ts"

export type PatternOptions = {
  readonly pattern: string
  /** The text itself, or a regular expression in RE2's syntax. */
  readonly mode: "exact" | "regex"
  readonly ignoreCase: boolean
  /** True if no word character may be on either side. */
  readonly wholeWord: boolean
}

/** [start, end) in UTF-16 units. */
export type MatchSpan = readonly [start: number, end: number]

/** Limits: one line can have as many spans as characters, and each searches the rest of the line. */
export type SpanLimits = {
  /** Max spans. */
  readonly max?: number
  /** Called before each; true stops with the spans found so far. */
  readonly isOver?: () => boolean
}

/** A compiled pattern, matched line by line. */
export interface TextPattern {
  /** False only if no line of the text matches; a fast test of many lines. */
  mayMatch(text: string): boolean
  matches(line: string): boolean
  /** Matches in a line from left to right, without empty ones. */
  spans(line: string, limits?: SpanLimits): MatchSpan[]
  /**
   * The text that `template` gives for each span, in the same order: $0 is the match, $1, ${1}, $name or
   * ${name} the text of a group ("" for none), $$ a dollar sign.
   */
  replacements(line: string, template: string, limits?: SpanLimits): string[]
  /** Longer lines would take too long to search. */
  readonly longestLine: number
  /** Characters that are searched in a fraction of a second at worst. */
  readonly block: number
}

// Much longer than typed patterns; RE2 compiles some 200 characters in a millisecond.
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
 * Plain text, matched by the engine's own regular expressions, which without operators search at memory speed in linear
 * time. Case is ignored by Unicode's simple case folding.
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
