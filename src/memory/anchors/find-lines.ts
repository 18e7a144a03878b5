import { firstAtLeast } from "../../base/index.ts"
import {
  type Anchor,
  hashOfLines,
  indexFrom,
  isCutLine,
  type LineRange,
  letterCount,
  type NormalizedLines,
} from "./anchor.ts"

/** Min number of letters and digits in the lines; shorter ones may occur in any file by chance. */
const MIN_LETTERS = 8
/** Maximum places checked in a file with repeated lines, nearest to the old place first. */
const MAX_CANDIDATES = 2000
/**
 * Points for the old place. Each equal neighbouring line gives a place one point, six at most. Three points, from
 * equal lines on one side only, do not move an anchor, because the lines on the other side may have been edited.
 */
const OLD_PLACE_SCORE = 3

/** Points for a place in the symbol to which the lines belonged: more than all other points together. */
const CONTAINED_SCORE = 10

/**
 * The range of identical lines. Of several ranges, one in the symbol of the lines comes first, then the one with most
 * equal neighbouring lines, then the nearest. Null when there is none.
 */
export function findExact(
  file: NormalizedLines,
  anchor: Anchor,
  isContained: (range: LineRange) => boolean = () => false,
): LineRange | null {
  let best: { range: LineRange; score: number } | null = null
  for (const at of candidates(file, anchor)) {
    const range = rangeAt(file, anchor, at)
    if (range === null) continue
    const around = agreeing(file, anchor, range)
    const isOld = range.startLine === anchor.startLine
    if (!isBelievable(anchor, around)) continue
    const score = around + (isOld ? OLD_PLACE_SCORE : 0) + (isContained(range) ? CONTAINED_SCORE : 0)
    if (best === null || score > best.score) best = { range, score }
  }
  return best?.range ?? null
}

/** Number of equal neighbouring lines, 0 to 6. */
export function agreeing(file: NormalizedLines, anchor: Anchor, range: LineRange): number {
  const { before, after } = anchor
  const at = indexFrom(file, range.startLine)
  const end = indexFrom(file, range.endLine + 1)
  const above = before.filter((line, i) => file.texts[at - before.length + i] === line)
  const below = after.filter((line, i) => file.texts[end + i] === line)
  return above.length + below.length
}

/** Lines with little content, such as a bracket, count as found only if neighbouring lines are equal, too. */
function isBelievable({ lines, before, after }: Anchor, around: number): boolean {
  return letterCount(lines) >= MIN_LETTERS || around >= Math.min(2, before.length + after.length)
}

/** Indices in `texts` where the first and the last known line agree, nearest to the old place first. */
function candidates(file: NormalizedLines, { lines, startLine }: Anchor): number[] {
  const [first, last] = [lines[0], lines.at(-1)]
  const agrees = (at: number) =>
    first === undefined || (file.texts[at] === first && file.texts[at + lines.length - 1] === last)
  const found = [...file.texts.keys()].filter(agrees)
  const distance = (at: number) => Math.abs(file.numbers[at]! - startLine)
  return found.sort((a, b) => distance(a) - distance(b)).slice(0, MAX_CANDIDATES)
}

function rangeAt(file: NormalizedLines, anchor: Anchor, at: number): LineRange | null {
  const { lines, isCut, span, hash } = anchor
  if (!lines.every((line, i) => file.texts[at + i] === line)) return null
  const startLine = file.numbers[at]!
  if (!isCut) return { startLine, endLine: file.numbers[at + lines.length - 1]! }
  const end = indexFrom(file, startLine + span)
  if (hashOfLines(file.texts.slice(at, end)) !== hash) return null
  return { startLine, endLine: file.numbers[end - 1]! }
}

/** Minimum letters and digits of lines that are searched by their tokens. */
const MIN_REFLOW_LETTERS = 4
/** Lines with at least this many letters and digits are accepted even if they occur in several places: the nearest. */
const MIN_LETTERS_OF_REPEATED = 20
/** Maximum lines searched, around the old place. */
const MAX_LINES_SEARCHED = 20_000

/**
 * The places of lines that a formatter wrapped or joined: the same tokens in a row, whatever white space is between
 * them. Nearest to the old place first; empty when there is none, or when only the beginning of the lines is known.
 */
export function findReflowed(file: NormalizedLines, anchor: Anchor): LineRange[] {
  const { lines, startLine } = anchor
  const letters = letterCount(lines)
  if (anchor.isCut || letters < MIN_REFLOW_LETTERS || lines.some(isCutLine)) return []
  const wanted = reflowTokens(lines).map(({ text }) => text)
  // The comma after a last argument is dropped where that argument is followed by a bracket.
  if (wanted.at(-1) === ",") wanted.pop()
  const near = file.numbers.findIndex((number) => number >= startLine)
  const from = Math.max(0, (near < 0 ? file.texts.length : near) - MAX_LINES_SEARCHED / 2)
  const tokens = reflowTokens(file.texts.slice(from, from + MAX_LINES_SEARCHED))
  const ranges = occurrencesOf(tokens, wanted)
    .filter((at) => !isInComment(tokens, at))
    .map((at) => ({
      startLine: file.numbers[from + tokens[at]!.line]!,
      endLine: file.numbers[from + tokens[at + wanted.length - 1]!.line]!,
    }))
  if (ranges.length > 1 && letters < MIN_LETTERS_OF_REPEATED) return []
  const distance = (range: LineRange) => Math.abs(range.startLine - startLine)
  return ranges.sort((a, b) => distance(a) - distance(b))
}

/** True if both texts have the same tokens. */
export function isReflowed(before: readonly string[], now: readonly string[]): boolean {
  if (before.some(isCutLine) || now.some(isCutLine)) return false
  const [first, second] = [reflowTokens(before), reflowTokens(now)]
  return first.length === second.length && first.every(({ text }, at) => text === second[at]!.text)
}

/** `line`: index of its line. */
type Token = { readonly text: string; readonly line: number }

/** Words and single signs, without the commas that formatters add and remove before a closing bracket. */
function reflowTokens(lines: readonly string[]): Token[] {
  const tokens: Token[] = []
  for (const [line, text] of lines.entries()) {
    for (const [token] of text.matchAll(/[\p{L}\p{N}_$]+|\S/gu)) {
      if (/^[)\]}]$/.test(token) && tokens.at(-1)?.text === ",") tokens.pop()
      tokens.push({ text: token, line })
    }
  }
  return tokens
}

/** Indices at which `wanted` begins, at most a hundred. */
function occurrencesOf(tokens: readonly Token[], wanted: readonly string[]): number[] {
  if (wanted.length === 0) return []
  const starts: number[] = []
  let text = " "
  for (const token of tokens) {
    starts.push(text.length - 1)
    text += `${token.text} `
  }
  const sought = ` ${wanted.join(" ")} `
  const found: number[] = []
  for (let at = text.indexOf(sought); at >= 0 && found.length < 100; at = text.indexOf(sought, at + 1))
    found.push(firstAtLeast(starts, at))
  return found
}

/** True if a comment sign precedes the token on its line: commented-out code does not count as the anchored code. */
function isInComment(tokens: readonly Token[], at: number): boolean {
  const { line } = tokens[at]!
  let text = ""
  for (let before = at - 1; before >= 0 && tokens[before]!.line === line; before--)
    text = tokens[before]!.text + text
  return /\/\/|\/\*|^\*|#|--|<!--/.test(text)
}

/*
 * Finds lines that were edited. The anchored lines and their neighbours are aligned with the file (`align`, Smith and
 * Waterman 1981), where similar lines score by common words; the range follows from the matched lines, or from the
 * neighbours if too few lines are left.
 */

/**
 * Min share of the anchored lines' weight that must be found in the file. With less, the lines count as deleted, not
 * as edited.
 */
const KEPT_SHARE = 0.3
/** From this share on, the lines found are certainly the anchored lines; with less they may be other, similar lines. */
const SURE_SHARE = 0.7
/** Maximum lines inserted between the anchored lines and their neighbours. */
const MAX_INSERTED = 10

/**
 * `isSure`: at least SURE_SHARE of the anchored lines was found; otherwise the lines found may be other, similar lines.
 * `isLeft`: at least KEPT_SHARE of them was found; otherwise the range is what now stands between their former neighbours.
 */
type EditedRange = { readonly range: LineRange; readonly isSure: boolean; readonly isLeft: boolean }

/**
 * The present range of lines that were edited, found by their remaining lines and by their neighbouring lines; null
 * when the lines are gone.
 */
export function findEdited(file: NormalizedLines, anchor: Anchor): EditedRange | null {
  const around = indexFrom(file, anchor.startLine)
  const from = Math.max(0, Math.min(around - MAX_LINES_SEARCHED / 2, file.texts.length - MAX_LINES_SEARCHED))
  const texts = file.texts.slice(from, from + MAX_LINES_SEARCHED)
  if (texts.length === 0 || anchor.lines.length === 0) return null
  const near = around - from + anchor.lines.length - 1
  const matches = align(texts, anchorPattern(anchor), near)
  const rows = matches.map((match) => match && match.at + from)
  const { before, lines } = anchor
  const kept = keptShare(lines, matches.slice(before.length))
  const place = spanOf({
    before: rows.slice(0, before.length),
    own: rows.slice(before.length, before.length + lines.length),
    after: rows.slice(before.length + lines.length),
    kept,
  })
  if (place === null) return null
  const last = anchor.isCut ? place.last + anchor.span - lines.length : place.last
  const startLine = file.numbers[place.first]!
  const endLine = file.numbers[Math.min(last, file.numbers.length - 1)]!
  return { range: { startLine, endLine }, isSure: kept >= SURE_SHARE, isLeft: kept >= KEPT_SHARE }
}

// Weight of neighbouring lines. They help to tell places apart, but the source does not refer to them, so they count
// less.
const CONTEXT_SHARE = 0.7

function anchorPattern({ before, lines, after, isCut }: Anchor): PatternLine[] {
  const weighed = (text: string, share: number) => ({ text, weight: share * lineWeight(text) })
  return [
    ...before.map((text) => weighed(text, CONTEXT_SHARE)),
    ...lines.map((text) => weighed(text, 1)),
    // A cut text continues after its last line, so the lines that follow are not its neighbours.
    ...(isCut ? [] : after).map((text) => weighed(text, CONTEXT_SHARE)),
  ]
}

/** Weight of a line by its content: from 0.1 for a bracket to 1 for a line of eleven letters. */
function lineWeight(text: string): number {
  return Math.min(1, 0.1 + letterCount([text]) / 12)
}

function keptShare(lines: readonly string[], own: Alignment): number {
  const weights = lines.map(lineWeight)
  const sum = (numbers: readonly number[]) => numbers.reduce((total, number) => total + number, 0)
  return sum(weights.map((weight, at) => weight * (own[at]?.alike ?? 0))) / sum(weights)
}

type MatchedRows = readonly (number | null)[]
type LineAlignment = {
  readonly before: MatchedRows
  readonly own: MatchedRows
  readonly after: MatchedRows
  readonly kept: number
}
/** Indices of non-blank lines, inclusive. */
type Span = { readonly first: number; readonly last: number }

function spanOf({ before, own, after, kept }: LineAlignment): Span | null {
  const first = own.findIndex((at) => at !== null)
  const last = own.findLastIndex((at) => at !== null)
  // The first and the last line between the neighbouring lines, as far as these were found.
  const above = before.findLastIndex((at) => at !== null)
  const below = after.findIndex((at) => at !== null)
  const start = above < 0 ? null : before[above]! + (before.length - above)
  const end = below < 0 ? null : after[below]! - 1 - below
  const isLone = start === null && end === null && before.length + after.length >= 2
  if (first < 0 || kept < (isLone ? SURE_SHARE : KEPT_SHARE)) return spanBetween(start, end, own.length)
  const missing = own.length - 1 - last
  return {
    first: first === 0 ? own[first]! : Math.max(0, Math.min(own[first]!, nearby(start, own[first]! - first))),
    last: missing === 0 ? own[last]! : Math.max(own[last]!, nearby(end, own[last]! + missing)),
  }
}

/**
 * Returns `estimated`, the line that the neighbours suggest. If it is more than MAX_INSERTED lines away from `counted`,
 * returns `counted`, because then other lines were inserted between.
 */
function nearby(estimated: number | null, counted: number): number {
  return estimated !== null && Math.abs(estimated - counted) <= MAX_INSERTED ? estimated : counted
}

function spanBetween(start: number | null, end: number | null, lines: number): Span | null {
  if (start === null || end === null || start < 0 || end < start) return null
  return end - start < lines + MAX_INSERTED ? { first: start, last: end } : null
}

/** The line of the file that corresponds to a pattern line, and their similarity, 0 to 1. */
type Match = { readonly at: number; readonly alike: number }
type Alignment = readonly (Match | null)[]

/** A line to find and its weight, 0 to 1. */
type PatternLine = { readonly text: string; readonly weight: number }

/** Min similarity (Dice's coefficient of words) of two lines for one to count as an edited form of the other. */
const MIN_SIMILARITY = 0.5
/** Penalty for a line of the file that is not in the pattern. It is low, because many lines may have been inserted. */
const INSERTED_COST = 0.03
/** Penalty for a pattern line that is not in the file. */
const DELETED_COST = 0.1

const DIFFERENT_COST = 0.15

/**
 * Aligns a few lines with a file that no longer contains them unchanged: the best local alignment (Smith and Waterman
 * 1981) of equal or similar lines. Ties go to the place nearest to `near`. Takes lines × pattern steps.
 */
function align(file: readonly string[], pattern: readonly PatternLine[], near: number): Alignment {
  const width = pattern.length + 1
  const scores = new Float64Array(width * (file.length + 1))
  const similarity = similarities(file, pattern)
  let best = 0
  for (let row = 1; row <= file.length; row++) {
    const gains = gainsOf(similarity(row - 1), pattern)
    for (let column = 1; column < width; column++) {
      const at = row * width + column
      const both = scores[at - width - 1]! + gains[column - 1]!
      const one = Math.max(scores[at - width]! - INSERTED_COST, scores[at - 1]! - DELETED_COST)
      scores[at] = Math.max(0, both, one)
      if (isBetter(scores, at, best, width, near)) best = at
    }
  }
  return traced(scores, best, pattern, similarity)
}

/** The pairs of lines that the best score consists of. */
function traced(
  scores: Float64Array,
  best: number,
  pattern: readonly PatternLine[],
  similarity: (row: number) => Float32Array,
): Alignment {
  const width = pattern.length + 1
  const found: (Match | null)[] = new Array(pattern.length).fill(null)
  for (let at = best; scores[at]! > 0; ) {
    const [row, column] = [Math.floor(at / width) - 1, (at % width) - 1]
    const alike = similarity(row)
    const gained = gainsOf(alike, pattern)[column]!
    const isBoth = scores[at] === scores[at - width - 1]! + gained
    if (isBoth && gained > 0) found[column] = { at: row, alike: alike[column]! }
    if (isBoth) at -= width + 1
    else at -= scores[at] === scores[at - width]! - INSERTED_COST ? width : 1
  }
  return found
}

/** What pairing a line of the file with each pattern line adds to the score. */
function gainsOf(alike: Float32Array, pattern: readonly PatternLine[]): number[] {
  return pattern.map(({ weight }, at) =>
    alike[at]! >= MIN_SIMILARITY ? weight * alike[at]! : -DIFFERENT_COST,
  )
}

const MIN_DIFFERENCE = 1e-4

function isBetter(scores: Float64Array, at: number, best: number, width: number, near: number): boolean {
  const more = scores[at]! - scores[best]!
  if (Math.abs(more) > MIN_DIFFERENCE) return more > 0
  const distance = (cell: number) => Math.abs(Math.floor(cell / width) - 1 - near)
  return scores[at]! > 0 && distance(at) < distance(best)
}

/**
 * Returns, for a line of the file, its similarity to each pattern line: 1 if equal, otherwise Dice's
 * coefficient of words, at most 0.95.
 */
function similarities(file: readonly string[], pattern: readonly PatternLine[]) {
  const wordSets = pattern.map(({ text }) => lineWords(text))
  const holders = new Map<string, number[]>()
  for (const [at, words] of wordSets.entries()) {
    for (const word of words) holders.set(word, [...(holders.get(word) ?? []), at])
  }
  return (row: number) => {
    const text = file[row]!
    const alike = new Float32Array(pattern.length)
    const words = lineWords(text)
    for (const word of words) for (const at of holders.get(word) ?? []) alike[at]!++
    for (let at = 0; at < alike.length; at++) {
      const all = words.size + wordSets[at]!.size
      const shared = all === 0 ? 0 : Math.min(0.95, (2 * alike[at]!) / all)
      alike[at] = text === pattern[at]!.text ? 1 : shared
    }
    return alike
  }
}

/** Maximum characters of a line used for comparing words; longer lines belong to bundles. */
const MAX_CHARS = 500

/**
 * The words of a line. Punctuation is ignored, because it makes all code look alike; only a line without words is
 * compared by it.
 */
function lineWords(text: string): ReadonlySet<string> {
  const compared = text.slice(0, MAX_CHARS)
  return new Set(compared.match(/[\p{L}\p{N}]+/gu) ?? compared.match(/\S/gu) ?? [])
}
