import { RE2JS, RE2JSException } from "re2js"
import { AmanError } from "../../base/index.ts"
import { trigramTest } from "./needed-trigrams.ts"
import { filledIn, NO_WORD_CHARACTER, withCodePoints, withUnicodeClasses } from "./pattern-text.ts"
import type { MatchSpan, PatternOptions, SpanLimits, TextPattern } from "./text-pattern.ts"

// Maximum number of instructions of the compiled pattern; `\p{L}{1,900}` has 1,800.
const MAX_INSTRUCTIONS = 20_000
// Maximum of characters × instructions for one line, because matching a line cannot be interrupted. The slowest rate
// measured is 2·10⁷ a second, when the pattern's automaton overflows repeatedly ("[a-m][a-z]{900}[0-9]" over random
// letters).
const MAX_STEPS = 2e8
// Maximum of characters × instructions for a block of lines that are matched together. For patterns of up to 120
// instructions, the limit on characters decides instead.
const BLOCK_STEPS = 2e6

/**
 * Compiles a regular expression that matches in time linear in the text, whatever the pattern:
 * docs/decisions/01-ranking.md. In order: rewrite JavaScript's escapes; refuse a pattern that would compile to too
 * many instructions; compile it as typed, to report errors; compile it again with Unicode classes and word boundaries.
 */
export function regexPattern({ pattern, ignoreCase, wholeWord }: Omit<PatternOptions, "mode">): TextPattern {
  const flags = RE2JS.MULTILINE | (ignoreCase ? RE2JS.CASE_INSENSITIVE : 0)
  const plain = withCodePoints(pattern)
  // The size is checked before compiling, because a short pattern can compile to a program that takes minutes to
  // build.
  const size = patternSize(plain)
  if (size > MAX_INSTRUCTIONS) throw patternTooLarge(size)
  // The typed pattern is compiled first, so that an error message quotes the pattern as it was typed.
  compileRegex(pattern, plain, flags)
  const { before, body, after } = wholeWord
    ? { before: true, body: plain, after: true }
    : splitBoundaries(plain)
  const source = `${before ? BEFORE_WORD : ""}(${withUnicodeClasses(body)})${after ? AFTER_WORD : ""}`
  const program = compileRegex(pattern, source, flags)
  if (program.programSize() > MAX_INSTRUCTIONS) throw patternTooLarge(program.programSize())
  // RE2JS derives nothing from letters whose case does not count.
  const { prefilter: needed }: { prefilter: Needed | null } = (
    ignoreCase ? compileRegex(pattern, source, RE2JS.MULTILINE) : program
  ).re2()
  const hasTrigrams = trigramTest(plain)
  return {
    mayMatch: isOfLines(pattern) ? (text) => program.test(text) : () => true,
    matches: (line) => program.test(line),
    mayBeIn: (has, isAscii) => (needed === null || isMet(needed, has)) && hasTrigrams(has, isAscii),
    ignoreCase,
    spans: (line, limits) => Array.from(matchesOf(program, line, limits), ({ span }) => span),
    replacements: (line, template, limits) =>
      Array.from(matchesOf(program, line, limits), ({ group }) => filledIn(template, group)),
    longestLine: Math.floor(MAX_STEPS / program.programSize()),
    block: Math.floor(BLOCK_STEPS / program.programSize()),
  }
}

/**
 * What a text must contain to match, which RE2JS derives from a pattern. `type`: 1 for the text `str`, 2 for all of `subs`, 3
 * for one of them; otherwise nothing is known.
 */
type Needed = { readonly type: number; readonly str: string; readonly subs: readonly Needed[] }

function isMet({ type, str, subs }: Needed, has: (text: string) => boolean): boolean {
  if (type === 1) return has(str)
  return type === 2
    ? subs.every((each) => isMet(each, has))
    : type !== 3 || subs.some((each) => isMet(each, has))
}

function patternTooLarge(size: number): AmanError {
  return new AmanError(
    "USAGE",
    `the regular expression is too large: about ${size} instructions, at most ${MAX_INSTRUCTIONS}`,
    { hint: "use smaller repetitions, or search for a shorter part" },
  )
}

function compileRegex(written: string, source: string, flags: number): RE2JS {
  try {
    return RE2JS.compile(source, flags)
  } catch (error) {
    if (error instanceof RE2JSException) throw patternError(written, faultOf(error))
    throw error
  }
}

function faultOf(error: RE2JSException): PatternFault {
  const { error: fault, input } = error as { error?: unknown; input?: unknown }
  return {
    error: typeof fault === "string" ? fault : error.message,
    input: typeof input === "string" ? input.replace(/^\(\?i?m\)/, "") : null,
  }
}

/**
 * True if `^` and `$` match at the ends of every line of a block of lines. False if they, or `\A` and `\z`, may match
 * only at the ends of the whole text: a line may then match alone but not within a block, so that each line is matched
 * by itself.
 */
function isOfLines(pattern: string): boolean {
  return !/\\[Az]|\(\?[a-z]*-/i.test(pattern)
}

/**
 * The matches from left to right, without empty ones. The function `group` of a match is valid only until the next
 * match is taken.
 */
function* matchesOf(
  program: RE2JS,
  line: string,
  { max = Number.POSITIVE_INFINITY, isOver = () => false }: SpanLimits = {},
): Generator<{ readonly span: MatchSpan; readonly group: (name: string) => string | null }> {
  const matcher = program.matcher(line)
  const names = program.namedGroups()
  const group = (name: string) => {
    // Group 1 of the program is the whole typed pattern, so the numbers of its own groups are one higher than typed.
    const number = /^\d+$/.test(name) ? Number(name) + 1 : names[name]
    return number === undefined || number > matcher.groupCount() ? null : matcher.group(number)
  }
  let left = max
  for (let from = 0; from <= line.length && left > 0 && !isOver() && matcher.find(from); ) {
    const [start, end] = [matcher.start(1), matcher.end(1)]
    if (end > start) {
      left--
      yield { span: [start, end], group }
    }
    from = Math.max(end, from + 1)
  }
}

/**
 * Patterns of the characters before and after the match of a whole-word pattern. These characters are not part of the
 * match.
 */
const BEFORE_WORD = `(?:^|${NO_WORD_CHARACTER})`
const AFTER_WORD = `(?:${NO_WORD_CHARACTER}|$)`

/** A pattern without the word boundaries at its ends. `before` and `after`: whether the match must have one there. */
type WordBounds = { readonly before: boolean; readonly body: string; readonly after: boolean }

const LETTER = "[\\p{L}\\p{Nd}_]"
const WORDS = `\\((?:\\?:)?${LETTER}+(?:\\|${LETTER}+)*\\)`
const BEGINS = new RegExp(`^\\\\b(?=(?:${WORDS}|${LETTER}|\\\\w)(?![*?{]))`, "u")
// The lookbehind excludes letters that belong to an escape such as \d, \pL or \x41.
const ENDS = new RegExp(`(?:${WORDS}|(?<!\\\\.{0,3})${LETTER}|(?<!\\\\)\\\\w\\+?)\\\\b$`, "u")

/**
 * Removes `\b` from each end of a pattern if a word character is next to it, so that the boundary can be tested by
 * Unicode rules. RE2 knows only ASCII boundaries and treats "é" as a separator.
 */
function splitBoundaries(pattern: string): WordBounds {
  if (pattern.replace(new RegExp(WORDS, "gu"), "").includes("|"))
    return { before: false, body: pattern, after: false }
  const before = BEGINS.test(pattern)
  const after = ENDS.test(pattern)
  return { before, body: pattern.slice(before ? 2 : 0, after ? -2 : undefined), after }
}

/** What RE2 reports about a pattern that it cannot parse. */
type PatternFault = { readonly error: string; readonly input: string | null }

/** Creates a USAGE error that says what is wrong with the pattern, where, and what to write instead. */
function patternError(pattern: string, { error, input }: PatternFault): AmanError {
  const at = positionOf(pattern, error, input)
  const where = at === null ? "" : ` at character ${at + 1}`
  const part = input === null || input === pattern ? "" : `: ${shortenedPattern(input)}`
  return new AmanError("USAGE", `invalid regular expression: ${error}${where}${part}`, {
    hint: hintFor(error, input),
  })
}

function hintFor(error: string, input: string | null): string {
  if (/^\(\?<?[=!]/.test(input ?? "")) {
    return "lookahead and lookbehind are not supported, because they have no time bound; filter the lines afterwards"
  }
  if (error.includes("escape") && /^\\[1-9]/.test(input ?? "")) {
    return "backreferences are not supported, because they have no time bound"
  }
  return "escape the character with a backslash, or search for exact text (on the command line: -F)"
}

/**
 * Position of the error in the pattern. RE2 reports no position, but a part of the pattern: either the rest from where
 * parsing stopped, or the invalid part itself.
 */
function positionOf(pattern: string, error: string, input: string | null): number | null {
  if (error.includes("missing closing )")) return groupsOf(pattern).open.at(-1) ?? null
  if (error.includes("unexpected )")) return groupsOf(pattern).unopened
  if (input === null || input === "") return pattern.endsWith("\\") ? pattern.length - 1 : null
  const at = pattern.indexOf(input)
  return at < 0 ? null : at
}

function groupsOf(pattern: string): { open: number[]; unopened: number | null } {
  const open: number[] = []
  for (const { 0: piece, index } of pattern.matchAll(/\\.|\[\^?\]?(?:\\.|[^\]\\])*\]?|[()]/gsu)) {
    if (piece === "(") open.push(index)
    if (piece === ")" && open.pop() === undefined) return { open, unopened: index }
  }
  return { open, unopened: null }
}

function shortenedPattern(text: string): string {
  return text.length > 60 ? `${text.slice(0, 60)}…` : text
}

// Size of a Unicode class, relative to another instruction: RE2JS takes about 1 ms for each Unicode class that a
// repetition copies, and 0.05 ms for any other instruction.
const UNICODE_CLASS_SIZE = 10

/**
 * Matches one piece of a pattern: quoted text, brackets, a named class, another escape, a repetition, the opening of a
 * group, or a character.
 */
const PIECES =
  /\\Q(.*?)(?:\\E|$)|\[\^?\]?(?:\[:\^?\w+:\]|\\.|[^\]\\])*\]?|\\(?:[pP](?:\{[^}]*\}|.)|.)|(\{\d+(?:,\d*)?\})|(\(\?[^():]*:|\(\?P?<[^>]*>|\()|./gsu

type SizedGroup = {
  /** Summed size of all pieces before the last one. */
  size: number
  /** Size of the last piece, which a repetition multiplies. */
  last: number
}

/**
 * Estimated number of instructions that a regular expression in RE2's syntax compiles to, with Unicode classes counted
 * tenfold. The estimate reads only the text of the pattern, in linear time, because compiling can take minutes and
 * gigabytes.
 */
export function patternSize(pattern: string): number {
  const open: SizedGroup[] = [{ size: 0, last: 0 }]
  for (const [piece, quoted, repetition, opening] of pattern.matchAll(PIECES)) {
    const group = open.at(-1)!
    if (repetition !== undefined) group.last *= copiesOf(repetition)
    else if (opening !== undefined) open.push({ size: 0, last: 0 })
    else if (piece === ")" && open.length > 1) {
      open.pop()
      // An empty group is compiled to one instruction that does nothing.
      addPiece(open.at(-1)!, Math.max(1, group.size + group.last) + 1)
    } else addPiece(group, sizeOf(piece, quoted))
  }
  return open.reduce((sum, { size, last }) => sum + size + last, 0)
}

function sizeOf(piece: string, quoted: string | undefined): number {
  if (quoted !== undefined) return quoted.length
  return /^[[\\]/.test(piece) && isLargeClass(piece) ? UNICODE_CLASS_SIZE : 1
}

function addPiece(group: SizedGroup, size: number): void {
  group.size += group.last
  group.last = size
}

/** Number of copies that a repetition compiles to: `x{2,5}` to five copies, `x{3,}` to four. */
function copiesOf(repetition: string): number {
  const [, min = "", comma, max = ""] = /^\{(\d+)(,?)(\d*)\}$/.exec(repetition)!
  return Math.max(1, max === "" ? Number(min) + comma!.length : Number(max))
}

/**
 * True for a piece that becomes a large class: `\w`, `\d` and `\s` are replaced by Unicode classes, and ranges beyond
 * ASCII become larger when case is ignored.
 */
function isLargeClass(piece: string): boolean {
  return /\\[pPwWdDsSx]|[^\0-\x7f]/u.test(piece)
}
