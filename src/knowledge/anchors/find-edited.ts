import { type Alignment, align, type PatternLine } from "./align.ts"
import type { Anchor, LineRange } from "./kept-anchor.ts"
import { indexFrom, type Lines, telling } from "./lines.ts"

/** Of a longer file, the lines around the old place: it bounds the time and memory that looking takes. */
const MOST_LINES = 20_000
/** Share of what the anchored lines say that must be found for them to be taken for edited, not gone. */
const KEPT_SHARE = 0.3
/** From this share on, other lines that resemble them are not taken for them. */
const SURE_SHARE = 0.7
/** Lines that may have been put between the old ones and their neighbours. */
const MOST_ADDED = 10

export type Edited = {
  readonly range: LineRange
  /** So much of them is left that it is they; else they may be others that resemble them. */
  readonly isSure: boolean
}

/** Where lines are that were edited: by what is left of them and by the lines around. Null: they are gone. */
export function findEdited(file: Lines, anchor: Anchor): Edited | null {
  const around = indexFrom(file, anchor.startLine)
  const from = Math.max(0, Math.min(around - MOST_LINES / 2, file.texts.length - MOST_LINES))
  const texts = file.texts.slice(from, from + MOST_LINES)
  if (texts.length === 0) return null
  const near = around - from + anchor.lines.length - 1
  const matches = align(texts, patternOf(anchor), near)
  const rows = matches.map((match) => match && match.at + from)
  const { before, lines } = anchor
  const kept = keptShare(lines, matches.slice(before.length))
  const place = placeOf({
    before: rows.slice(0, before.length),
    own: rows.slice(before.length, before.length + lines.length),
    after: rows.slice(before.length + lines.length),
    kept,
  })
  if (place === null) return null
  const last = anchor.isCut ? place.last + anchor.span - lines.length : place.last
  const startLine = file.numbers[place.first]!
  const endLine = file.numbers[Math.min(last, file.numbers.length - 1)]!
  return { range: { startLine, endLine }, isSure: kept >= SURE_SHARE }
}

// What stands around helps to tell places apart, and is not what was spoken of.
const CONTEXT_SHARE = 0.7

function patternOf({ before, lines, after, isCut }: Anchor): PatternLine[] {
  const weighed = (text: string, share: number) => ({ text, weight: share * weightOf(text) })
  return [
    ...before.map((text) => weighed(text, CONTEXT_SHARE)),
    ...lines.map((text) => weighed(text, 1)),
    // After what was cut comes more of it.
    ...(isCut ? [] : after).map((text) => weighed(text, CONTEXT_SHARE)),
  ]
}

/** From 0.1 for a bracket to 1 for a line of eleven letters. */
function weightOf(text: string): number {
  return Math.min(1, 0.1 + telling([text]) / 12)
}

function keptShare(lines: readonly string[], own: Alignment): number {
  const weights = lines.map(weightOf)
  const sum = (numbers: readonly number[]) => numbers.reduce((total, number) => total + number, 0)
  return sum(weights.map((weight, at) => weight * (own[at]?.alike ?? 0))) / sum(weights)
}

type Rows = readonly (number | null)[]
type Found = {
  readonly before: Rows
  readonly own: Rows
  readonly after: Rows
  readonly kept: number
}
/** Indexes of significant lines, inclusive. */
type Span = { readonly first: number; readonly last: number }

function placeOf({ before, own, after, kept }: Found): Span | null {
  const first = own.findIndex((at) => at !== null)
  const last = own.findLastIndex((at) => at !== null)
  // Where the first and the last of them were if those next to them are known.
  const above = before.findLastIndex((at) => at !== null)
  const below = after.findIndex((at) => at !== null)
  const start = above < 0 ? null : before[above]! + (before.length - above)
  const end = below < 0 ? null : after[below]! - 1 - below
  const isLone = start === null && end === null && before.length + after.length >= 2
  if (first < 0 || kept < (isLone ? SURE_SHARE : KEPT_SHARE)) return between(start, end, own.length)
  const missing = own.length - 1 - last
  return {
    first: first === 0 ? own[first]! : Math.max(0, Math.min(own[first]!, nearby(start, own[first]! - first))),
    last: missing === 0 ? own[last]! : Math.max(own[last]!, nearby(end, own[last]! + missing)),
  }
}

/** What the neighbours say, unless that is too far away: much was put between. */
function nearby(said: number | null, counted: number): number {
  return said !== null && Math.abs(said - counted) <= MOST_ADDED ? said : counted
}

function between(start: number | null, end: number | null, lines: number): Span | null {
  if (start === null || end === null || start < 0 || end < start) return null
  return end - start < lines + MOST_ADDED ? { first: start, last: end } : null
}
