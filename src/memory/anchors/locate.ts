import type { EntrySource } from "../entries/entry.ts"
import { hashOfLines, indexFrom, letterCount, type NormalizedLines } from "./normalized-lines.ts"
import type { Anchor, LineRange } from "./stored-anchor.ts"

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
    const around = agreeing(file, anchor, at, range)
    const isOld = range.startLine === anchor.startLine
    if (!isBelievable(anchor, around)) continue
    const score = around + (isOld ? OLD_PLACE_SCORE : 0) + (isContained(range) ? CONTAINED_SCORE : 0)
    if (best === null || score > best.score) best = { range, score }
  }
  return best?.range ?? null
}

/**
 * Like findExact, for lines of which only the hash was kept: a range of equal length with that hash, nearest
 * to the old place.
 */
export function findByHash(
  file: NormalizedLines,
  { startLine, endLine, hash }: EntrySource,
): LineRange | null {
  if (startLine === null || endLine === null) return null
  const distance = (at: number) => Math.abs(file.numbers[at]! - startLine)
  const nearest = [...file.numbers.keys()].sort((a, b) => distance(a) - distance(b))
  for (const at of nearest.slice(0, MAX_CANDIDATES)) {
    const end = indexFrom(file, file.numbers[at]! + endLine - startLine + 1)
    if (hashOfLines(file.texts.slice(at, end)) === hash)
      return { startLine: file.numbers[at]!, endLine: file.numbers[end - 1]! }
  }
  return null
}

/** Number of equal neighbouring lines, 0 to 6. */
export function agreeing(file: NormalizedLines, anchor: Anchor, at: number, range: LineRange): number {
  const { before, after } = anchor
  const end = indexFrom(file, range.endLine + 1)
  const above = before.filter((line, i) => file.texts[at - before.length + i] === line)
  const below = after.filter((line, i) => file.texts[end + i] === line)
  return above.length + below.length
}

/** Lines with little content, such as a bracket, count as found only if neighbouring lines are equal, too. */
function isBelievable({ lines, before, after }: Anchor, around: number): boolean {
  return letterCount(lines) >= MIN_LETTERS || around >= Math.min(2, before.length + after.length)
}

/** Indices in `texts` where the first and the last line agree, nearest to the old place first. */
function candidates(file: NormalizedLines, { lines, startLine }: Anchor): number[] {
  const found: number[] = []
  const last = lines.length - 1
  for (let at = file.texts.indexOf(lines[0]!); at >= 0; at = file.texts.indexOf(lines[0]!, at + 1)) {
    if (file.texts[at + last] === lines[last]) found.push(at)
  }
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
