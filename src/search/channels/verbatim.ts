import type { ChunkHit } from "../../keyword/port.ts"
import { lineRange } from "../../text/files/decode-lines.ts"
import { termOf } from "../../text/terms/abbreviations.ts"
import { words as termsOf } from "../../text/terms/identifiers.ts"
import { STOP_WORDS } from "../../text/terms/stop-words.ts"
import type { ReadText } from "../query/phrases.ts"
import { coverage, type Scale } from "../query/query-scale.ts"

/** What of a query a file says word for word, as it does the message that was pasted; 0 to 1, and so by its chunks. */
export type Verbatim = { readonly share: number; readonly chunks: ReadonlyMap<number, number> }

// Chosen, not fitted: fewer words in a row stand by chance in many files, and less of a line is another's words.
const MIN_WORDS = 4
const MIN_CONTENT_WORDS = 3
const MIN_SHARE = 0.5
/** A chunk with a smaller share of a line's terms says little of it word for word. */
const MIN_HELD = 0.5

// They bound the work to a few milliseconds whatever is asked: the text is gone over once for all lines together.
/** Telling lines of what was pasted, and words of each. */
const MAX_LINES = 16
const MAX_WORDS = 40
/** Of so many files so many chunks are read. */
const MAX_FILES = 16
const MAX_CHUNKS = 4
/** A chunk is smaller as a rule, but a line is never cut, and may be all of a file. */
const MAX_OF_CHUNK = 8_000
const MAX_CHARACTERS = 200_000

/**
 * Which of the files found say a line of a query word for word. A chunk's share is that of the line, times the line's
 * share of the query's rarity. For a file only what a line has beyond half of that counts: there is one such line at
 * most, and whoever has another, which all pastes of its kind may have, does not say what was pasted.
 */
export function verbatimIn(
  text: string,
  scale: Scale,
  readText: ReadText,
  check?: () => void,
): ReadonlyMap<number, Verbatim> {
  const found = new Map<number, Verbatim>()
  const lines = distinctiveLines(text, scale)
  if (lines.length === 0) return found
  const runs = new WordRuns(lines.map(({ words }) => words))
  let left = MAX_CHARACTERS
  for (const { file, chunks } of nearest(lines, scale)) {
    check?.()
    if (left <= 0) break
    const content = readText(file.path)
    if (content === null) continue
    const holding = new Map<number, number>()
    let most = 0
    for (const { ordinal, startLine, endLine } of chunks) {
      const stretch = lineRange(content, startLine, endLine).slice(0, MAX_OF_CHUNK)
      left -= stretch.length
      const said = runs.in(wordsOf(stretch))
      lines.forEach((line, at) => {
        const { weight } = line
        const share = shareSaid(line, said[at]!)
        if (share > 0) holding.set(ordinal, Math.max(holding.get(ordinal) ?? 0, share * weight))
        most = Math.max(most, share * (2 * weight - 1))
      })
    }
    if (holding.size > 0) found.set(file.id, { share: most, chunks: holding })
  }
  return found
}

type Line = {
  readonly words: readonly string[]
  /** For each word the position of the blank-separated token it is part of: check-for-changes.sh is one token. */
  readonly tokens: readonly number[]
  /** The query's terms in it, and their share of the query's rarity. */
  readonly mask: number
  readonly weight: number
}

const WORD = /[\p{L}\p{N}_]+/gu

function wordsOf(text: string): string[] {
  return text.toLowerCase().match(WORD) ?? []
}

/** Each once, those with the rarest words. */
function distinctiveLines(text: string, scale: Scale): Line[] {
  const bits = new Map(scale.query.stems.map((stem, term) => [stem, 1 << term]))
  const lines = new Map<string, Line>()
  for (const line of new Set(text.split("\n"))) {
    const told = wordsByToken(line).slice(0, MAX_WORDS)
    const words = told.map(({ word }) => word)
    const tokens = told.map(({ token }) => token)
    if (!hasContent(words, tokens)) continue
    const mask = termsOf(line).reduce((mask, term) => mask | (bits.get(termOf(term)) ?? 0), 0)
    lines.set(words.join(" "), { words, tokens, mask, weight: coverage(mask, scale) })
  }
  return [...lines.values()].sort((one, other) => other.weight - one.weight).slice(0, MAX_LINES)
}

/** A long name is said word for word wherever it is used, so at least two tokens must be among the words. */
function hasContent(words: readonly string[], tokens: readonly number[]): boolean {
  if (words.length < MIN_WORDS || tokens[0] === tokens.at(-1)) return false
  return words.filter((word) => !STOP_WORDS.has(word)).length >= MIN_CONTENT_WORDS
}

function wordsByToken(line: string): { readonly word: string; readonly token: number }[] {
  return line.split(/\s+/u).flatMap((part, token) => wordsOf(part).map((word) => ({ word, token })))
}

/** The files whose chunks have most of a line's terms, and those chunks, each best first. */
function nearest(lines: readonly Line[], { answer }: Scale) {
  const most = (chunk: ChunkHit) => lines.reduce((most, line) => Math.max(most, held(chunk, line)), 0)
  const near = answer.files.flatMap((file) => {
    const rated = file.chunks.map((chunk) => ({ chunk, rate: most(chunk) })).filter(({ rate }) => rate > 0)
    if (rated.length === 0) return []
    rated.sort((one, other) => other.rate - one.rate)
    return [{ file, rate: rated[0]!.rate, chunks: rated.slice(0, MAX_CHUNKS).map(({ chunk }) => chunk) }]
  })
  return near.sort((one, other) => other.rate - one.rate).slice(0, MAX_FILES)
}

/**
 * The share of a line's terms that a chunk has, times the line's weight; 0 where it is too small. How rare each of them
 * is says nothing here, what is nowhere is the rarest.
 */
function held({ body, doc, names }: ChunkHit, { mask, weight }: Line): number {
  const count = bitCount((body | doc | names) & mask)
  const share = count / bitCount(mask)
  return count >= MIN_CONTENT_WORDS && share >= MIN_HELD ? share * weight : 0
}

function bitCount(mask: number): number {
  let count = 0
  for (let rest = mask; rest !== 0; rest &= rest - 1) count++
  return count
}

/** The share of a line's words that stand in runs in a text, given one that is long; 0 where that is too little. */
function shareSaid({ words, tokens }: Line, runs: readonly Run[]): number {
  const covered = runs.reduce((sum, [from, to]) => sum + to - from, 0)
  const share = covered / words.length
  return share >= MIN_SHARE &&
    runs.some(([from, to]) => hasContent(words.slice(from, to), tokens.slice(from, to)))
    ? share
    : 0
}

/** From one word of a line to another, the end exclusive. */
type Run = readonly [from: number, to: number]

/** A run goes on behind a value that was put in, if it is so long. */
const MIN_RUN = 3

/**
 * Finds which runs of three words and more of some lines stand in texts, in one pass over a text however many lines there
 * are and however they repeat themselves: of a text, only which three words stand in a row is kept. So a run is taken for
 * whole where its overlapping parts stand in different places, which is rare and close enough.
 */
export class WordRuns {
  private readonly ids = new Map<string, number>()
  private readonly lines: readonly (readonly number[])[]

  constructor(lines: readonly (readonly string[])[]) {
    this.lines = lines.map((words) => triples(words.map((word) => this.idOf(word))))
  }

  /** Of each line the runs that a text has, given its words. */
  in(text: readonly string[]): Run[][] {
    const seen = new Set(triples(text.map((word) => this.ids.get(word) ?? 0)))
    return this.lines.map((triples) => runsOf(triples, seen))
  }

  private idOf(word: string): number {
    const id = this.ids.get(word) ?? this.ids.size + 1
    this.ids.set(word, id)
    return id
  }
}

/** Three numbers in a row as one, 0 where one of them is. 640 words, of sixteen lines of forty, are few enough. */
function triples(ids: readonly number[]): number[] {
  const found: number[] = []
  for (let at = 0; at + MIN_RUN <= ids.length; at++) {
    const [one, two, three] = [ids[at]!, ids[at + 1]!, ids[at + 2]!]
    found.push(one * two * three === 0 ? 0 : (one * BASE + two) * BASE + three)
  }
  return found
}

const BASE = 2 ** 17

function runsOf(triples: readonly number[], seen: ReadonlySet<number>): Run[] {
  const runs: Run[] = []
  for (let at = 0; at < triples.length; ) {
    if (!seen.has(triples[at]!)) {
      at++
      continue
    }
    const from = at
    while (at < triples.length && seen.has(triples[at]!)) at++
    const to = at + MIN_RUN - 1
    runs.push([from, to])
    at = to
  }
  return runs
}
