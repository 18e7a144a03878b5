import type { ChunkHit } from "../keyword/port.ts"
import { STOP_WORDS } from "../text/stop-words.ts"
import type { ReadText } from "./phrases.ts"
import type { Scale } from "./query-scale.ts"

/** What of a query a file says word for word, as it does the message that was pasted; 0 to 1, by its chunks. */
export type Verbatim = { readonly share: number; readonly chunks: ReadonlyMap<number, number> }

// Chosen, not fitted: fewer words in a row stand by chance in many files, and less of a query is another's words.
const LEAST_WORDS = 4
const LEAST_TELLING = 3
const LEAST_SHARE = 0.5
/** A run goes on behind a value that was put in, if it is so long. */
const LEAST_MORE = 3
const MOST_WORDS = 40
/** Of so many files, those whose chunks have most of the query's words, the text is looked at. */
const MOST_READ = 16
/** A chunk with a smaller share of them says little of it word for word. */
const LEAST_HELD = 0.5

/** Which of the files found say a query, or a line of it, word for word. */
export function verbatimIn(text: string, scale: Scale, readText: ReadText): ReadonlyMap<number, Verbatim> {
  const found = new Map<number, Verbatim>()
  const said = text.split("\n").map(wordsOf).filter(isTelling)
  if (said.length === 0) return found
  const least = Math.max(LEAST_TELLING, LEAST_HELD * scale.query.scored)
  const near = scale.answer.files
    .map((file) => ({
      file,
      most: file.chunks.reduce((most, chunk) => Math.max(most, held(chunk, scale)), 0),
      chunks: file.chunks.filter((chunk) => held(chunk, scale) >= least),
    }))
    .filter(({ chunks }) => chunks.length > 0)
    .sort((one, other) => other.most - one.most)
  for (const { file, chunks } of near.slice(0, MOST_READ)) {
    const lines = readText(file.path)?.split(LINE_END)
    if (lines === undefined) continue
    const shares = chunks.map(({ ordinal, startLine, endLine }): [number, number] => {
      const words = ` ${wordsOf(lines.slice(startLine - 1, endLine).join("\n")).join(" ")} `
      return [ordinal, Math.max(...said.map((each) => shareSaid(each, words)))]
    })
    const holding = new Map(shares.filter(([, share]) => share > 0))
    if (holding.size > 0) found.set(file.id, { share: Math.max(...holding.values()), chunks: holding })
  }
  return found
}

const LINE_END = /\r\n|\n|\r/u
const WORD = /[\p{L}\p{N}_]+/gu

function wordsOf(text: string): string[] {
  return text.toLowerCase().match(WORD) ?? []
}

function isTelling(words: readonly string[]): boolean {
  return words.length >= LEAST_WORDS && words.filter((word) => !STOP_WORDS.has(word)).length >= LEAST_TELLING
}

/** How many of the query's words a chunk has: how rare they are says nothing here, what is nowhere is the rarest. */
function held({ body, doc, names }: ChunkHit, { query }: Scale): number {
  const mask = body | doc | names
  let count = 0
  for (let term = 0; term < query.scored; term++) count += (mask >>> term) & 1
  return count
}

/** The share of the words that stand in runs in a text, given one that is long; 0 where that is too little. */
function shareSaid(words: readonly string[], text: string): number {
  const some = words.slice(0, MOST_WORDS)
  let covered = 0
  let isLong = false
  for (let at = 0; at < some.length; ) {
    const length = runAt(some, at, text)
    if (length >= LEAST_MORE) covered += length
    if (isTelling(some.slice(at, at + length))) isLong = true
    at += length >= LEAST_MORE ? length : 1
  }
  const share = covered / some.length
  return isLong && share >= LEAST_SHARE ? share : 0
}

/** How many words from here on stand in a text one behind the other. */
function runAt(words: readonly string[], at: number, text: string): number {
  let length = 0
  while (at + length < words.length && text.includes(` ${words.slice(at, at + length + 1).join(" ")} `))
    length++
  return length
}
