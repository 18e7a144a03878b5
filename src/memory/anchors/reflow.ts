import { isCutLine, letterCount, type NormalizedLines } from "./normalized-lines.ts"
import type { Anchor, LineRange } from "./stored-anchor.ts"

/** Minimum letters and digits of lines that are searched by their tokens. */
const MIN_LETTERS = 4
/** Lines with at least this many letters and digits are accepted even if they occur in several places: the nearest. */
const MIN_LETTERS_OF_REPEATED = 20
/** Maximum lines searched, around the old place. */
const MAX_LINES_SEARCHED = 20_000

const MAX_MATCHES = 100

/**
 * The places of lines that a formatter wrapped or joined: the same tokens in a row, whatever white space is between
 * them. Nearest to the old place first; empty when there is none, or when only the beginning of the lines is known.
 */
export function findReflowed(file: NormalizedLines, anchor: Anchor): LineRange[] {
  const { lines, startLine } = anchor
  const letters = letterCount(lines)
  if (anchor.isCut || letters < MIN_LETTERS || lines.some(isCutLine)) return []
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

/** Minimum words of lines that are recognised after a formatter wrapped them and a person edited them. */
const MIN_WORDS = 4
/** Minimum share of common words (Dice's coefficient). */
const MIN_SHARE = 0.7

const MAX_STARTS = 2000

/** The lines of a definition that have most words in common with the anchored ones; null when they have too few. */
export function findReflowedEdit({ texts, numbers }: NormalizedLines, anchor: Anchor): LineRange | null {
  const wanted = wordCounts(anchor.lines)
  const count = sum(wanted)
  if (anchor.isCut || count < MIN_WORDS) return null
  const words = texts.map((text) => wordCounts([text]))
  const windows = words
    .slice(0, MAX_STARTS)
    .map((_, first) => bestFrom(words, first, wanted, count))
    .filter(({ share }) => share >= MIN_SHARE)
  const best = windows.sort((a, b) => b.share - a.share)[0]
  return best === undefined ? null : { startLine: numbers[best.first]!, endLine: numbers[best.last]! }
}

type Window = { readonly first: number; readonly last: number; readonly share: number }

/** The lines from `first` on that have the largest share of common words, at most twice as many as wanted. */
function bestFrom(
  words: readonly ReadonlyMap<string, number>[],
  first: number,
  wanted: ReadonlyMap<string, number>,
  count: number,
): Window {
  const left = new Map(wanted)
  let [common, all] = [0, 0]
  let best: Window = { first, last: first, share: 0 }
  for (let last = first; last < words.length && all < 2 * count; last++) {
    for (const [word, times] of words[last]!) {
      const taken = Math.min(times, left.get(word) ?? 0)
      if (taken > 0) left.set(word, left.get(word)! - taken)
      common += taken
      all += times
    }
    const share = (2 * common) / (count + all)
    if (share > best.share) best = { first, last, share }
  }
  return best
}

function wordCounts(lines: readonly string[]): Map<string, number> {
  const counts = new Map<string, number>()
  for (const [word] of lines.join("\n").matchAll(/[\p{L}\p{N}_$]+/gu))
    counts.set(word, (counts.get(word) ?? 0) + 1)
  return counts
}

function sum(counts: ReadonlyMap<string, number>): number {
  return [...counts.values()].reduce((total, times) => total + times, 0)
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

/** Indices at which `wanted` begins (Knuth, Morris and Pratt 1977: linear for any input). */
function occurrencesOf(tokens: readonly Token[], wanted: readonly string[]): number[] {
  if (wanted.length === 0) return []
  const back = new Int32Array(wanted.length)
  /** Length of the longest beginning of `wanted` that ends with `text`, if the one before had the length `known`. */
  const next = (known: number, text: string): number => {
    let length = known
    while (length > 0 && text !== wanted[length]) length = back[length - 1]!
    return text === wanted[length] ? length + 1 : length
  }
  for (let at = 1; at < wanted.length; at++) back[at] = next(back[at - 1]!, wanted[at]!)
  const found: number[] = []
  let known = 0
  for (const [at, { text }] of tokens.entries()) {
    known = next(known, text)
    if (known < wanted.length) continue
    found.push(at - wanted.length + 1)
    if (found.length === MAX_MATCHES) break
    known = back[known - 1]!
  }
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
