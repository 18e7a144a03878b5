import type { MatchSpan, TextPattern } from "./text-pattern.ts"

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
  { before, after, withSpans, maxSpans, replacement, invert, isOver }: LineOptions,
): TextLine[] {
  const lines: TextLine[] = []
  const linesBefore: TextLine[] = []
  let next = 0
  let linesAfter = 0
  // At least one matching line is returned, even if `isOver` is true from the beginning.
  const isLate = (shown: number) => shown > 0 && isOver()
  const withPlaces = matchSpans(pattern, { withSpans: withSpans && !invert, maxSpans, replacement, isOver })
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
  { withSpans, maxSpans: max = Number.POSITIVE_INFINITY, replacement, isOver }: PlaceOptions,
): (line: TextLine) => TextLine {
  if (!withSpans) return (line) => line
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

type PlaceOptions = {
  readonly withSpans: boolean
  readonly maxSpans: number | undefined
  readonly replacement: string | undefined
  readonly isOver: () => boolean
}

function lineEnd(text: string, from: number): number {
  const end = text.indexOf("\n", from)
  return end < 0 ? text.length : end
}
