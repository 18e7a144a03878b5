import { AmanError } from "../../base/index.ts"
import { asksForLineBreak, filledIn, WORD_CHARACTER } from "./pattern-text.ts"

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
  /**
   * False if no line of a text matches that contains certain texts only. `has`: whether it may contain a text, in any case
   * of the letters if `ignoreCase` is true, and with any digit for `DIGIT`; `isAscii`: whether it is ASCII.
   */
  mayBeIn(has: (text: string) => boolean, isAscii: boolean): boolean
  readonly ignoreCase: boolean
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
    mayBeIn: (has) => has(pattern),
    ignoreCase,
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

export type LineOptions = {
  /** True to return the lines that do not match. */
  readonly invert: boolean
  /** Maximum number of matching lines; the search stops when they are found. */
  readonly maxCount: number
  /** Number of lines of context before each match. */
  readonly before: number
  readonly after: number
  /** True to report where in a line the pattern matches, which takes longer. */
  readonly withSpans: boolean
  /** Maximum number of spans reported per line; all if absent. */
  readonly maxSpans?: number
  /** If given, the result contains the replacement of each span by this template. */
  readonly replacement?: string | undefined
  /** Called repeatedly; when it returns true, the search stops and returns the lines found so far. */
  readonly isOver: () => boolean
}

export type TextLine = {
  /** 1-based. */
  readonly line: number
  readonly text: string
  /** False for a line of context. */
  readonly match: boolean
  readonly spans?: readonly MatchSpan[]
  /** The replacement of each span; only if `replacement` was given. */
  readonly replacements?: readonly string[]
}

export type MatchingLines = {
  /** Number of matching lines. */
  readonly count: number
  /**
   * The matching lines with their context. Computed on demand, because counting does not need them. Incomplete if
   * `isOver` returned true.
   */
  readonly lines: () => TextLine[]
  /** Number of lines that were not searched, because they are too long for this pattern. */
  readonly tooLong: number
  /** False if `isOver` ended the search before the end of the text. */
  readonly isWhole: boolean
}

// Number of characters that are tested together, before the lines among them are tested one by one.
const BLOCK = 16_384

/**
 * Finds the lines of a text that match. Only a line feed ends a line; the last line may lack it.
 */
export function matchingLines(text: string, pattern: TextPattern, options: LineOptions): MatchingLines {
  const starts: number[] = []
  let tooLong = 0
  let isWhole = true
  for (let at = 0; at < text.length && starts.length < options.maxCount; ) {
    if (options.isOver()) {
      isWhole = false
      break
    }
    const end = lineEnd(text, Math.min(text.length, at + Math.min(BLOCK, pattern.block)))
    const isLong = end - at > pattern.longestLine
    if (isLong || options.invert || pattern.mayMatch(text.slice(at, end))) {
      const block = matchBlock(text, at, end, pattern, options, starts)
      tooLong += block.tooLong
      isWhole = block.isWhole
      if (!isWhole) break
    }
    at = end + 1
  }
  return { count: starts.length, tooLong, isWhole, lines: () => withContext(text, starts, pattern, options) }
}

// Cost of starting to match a line, in characters: starting takes as long as matching this many characters.
const LINE_COST = 64

/**
 * Adds the start positions of matching lines in a block. The result `tooLong` is the number of lines that were too long
 * to search.
 */
function matchBlock(
  text: string,
  from: number,
  to: number,
  pattern: TextPattern,
  { invert, maxCount, isOver }: LineOptions,
  starts: number[],
): Pick<MatchingLines, "tooLong" | "isWhole"> {
  let tooLong = 0
  let cost = 0
  for (let at = from; at <= to && at < text.length && starts.length < maxCount; ) {
    const end = lineEnd(text, at)
    cost += end - at + LINE_COST
    if (cost > Math.min(BLOCK, pattern.block)) {
      if (isOver()) return { tooLong, isWhole: false }
      cost = 0
    }
    if (end - at > pattern.longestLine) tooLong++
    else if (pattern.matches(text.slice(at, end)) !== invert) starts.push(at)
    at = end + 1
  }
  return { tooLong, isWhole: true }
}

function withContext(
  text: string,
  starts: readonly number[],
  pattern: TextPattern,
  options: LineOptions,
): TextLine[] {
  const { before, after, isOver } = options
  const lines: TextLine[] = []
  const linesBefore: TextLine[] = []
  let next = 0
  let linesAfter = 0
  // At least one matching line is returned, even if `isOver` is true from the beginning.
  const isLate = (shown: number) => shown > 0 && isOver()
  const withPlaces = matchSpans(pattern, options)
  for (let at = 0, line = 1; at < text.length && (next < starts.length || linesAfter > 0); line++) {
    const end = lineEnd(text, at)
    const match = at === starts[next]
    const content = { line, text: text.slice(at, end), match }
    if (match) {
      if (isLate(next)) break
      lines.push(...linesBefore.splice(0), withPlaces(content))
      next++
      linesAfter = after
    } else if (linesAfter > 0) {
      lines.push(content)
      linesAfter--
    } else {
      linesBefore.push(content)
      if (linesBefore.length > before) linesBefore.shift()
    }
    at = end + 1
  }
  return lines
}

function matchSpans(
  pattern: TextPattern,
  { withSpans, maxSpans: max = Number.POSITIVE_INFINITY, replacement, invert, isOver }: LineOptions,
): (line: TextLine) => TextLine {
  if (!withSpans || invert) return (line) => line
  return (line) => {
    const spans = pattern.spans(line.text, { max, isOver })
    if (replacement === undefined) return { ...line, spans }
    return {
      ...line,
      spans,
      replacements: pattern.replacements(line.text, replacement, { max: spans.length }),
    }
  }
}

function lineEnd(text: string, from: number): number {
  const end = text.indexOf("\n", from)
  return end < 0 ? text.length : end
}
