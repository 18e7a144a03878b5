import { IS_QUESTION } from "./analyse.ts"
import { bm25 } from "./bm25.ts"
import type { Corpus, Held } from "./corpus.ts"
import { passageOf, timesInAll, timesOf } from "./postings.ts"
import type { Question } from "./question.ts"

/** How well each entry's words answer, by slot; 0 where they do not. */
export type KeywordChannels = {
  /** Of its best passage. */
  readonly passage: Float64Array
  /** Of the entry with two before and two after it, as one text. */
  readonly window: Float64Array
  /** Of the question that was put right before it, where the entry is short. */
  readonly answer: Float64Array
  /** Of the best entry of its session. */
  readonly session: Float64Array
  /** Number of the best passage, -1 where none holds a word of the question. */
  readonly best: Int32Array
}

export function keywordChannels(corpus: Corpus, question: Question, accepts: Accepts): KeywordChannels {
  const size = corpus.capacity
  const channels = {
    passage: new Float64Array(size),
    window: new Float64Array(size),
    answer: new Float64Array(size),
    session: new Float64Array(size),
    best: new Int32Array(size).fill(-1),
  }
  const times = scorePassages(corpus, question, accepts, channels)
  for (const members of corpus.sessions.all()) {
    const slots = members.map(({ slot }) => slot)
    scoreSession(slots, channels, accepts)
    scoreWindows(corpus, question, slots, times, channels.window)
    scoreAnswers(corpus, slots, channels)
  }
  scoreAlone(corpus, channels)
  return channels
}

export type Accepts = (slot: number) => boolean

/** 1 for a word or two, a half at thirty words, nothing for a long text. */
export function shortness({ tokens }: Held): number {
  return 1 / (1 + (tokens.length / 30) ** 2)
}

/** Both fitted on conversations and judged on others; the windows are of nearly one length, long ones tell less. */
const PASSAGE = { k1: 1.2, b: 0.5 }
const WINDOW = { k1: 1.2, b: 0.75 }
const REACH = 2

/** Fills `passage` and `best`; returns how often each entry's text says each word: a row a word, a column a slot. */
function scorePassages(
  corpus: Corpus,
  question: Question,
  accepts: Accepts,
  { passage: scores, best }: KeywordChannels,
): Float32Array[] {
  const byPassage = new Float64Array(corpus.passageSlot.length)
  const touched: number[] = []
  const average = corpus.passageWords / Math.max(1, corpus.passages)
  const times = question.terms.map(({ idf, variants }) => {
    const row = new Float32Array(corpus.capacity)
    for (const { number, weight } of variants) {
      for (const posting of corpus.postings.of(number)) {
        const passage = passageOf(posting)
        if (byPassage[passage] === 0) touched.push(passage)
        const length = corpus.passageLength[passage]! / average
        byPassage[passage]! += weight * idf * bm25(timesInAll(posting), length, PASSAGE)
        row[corpus.passageSlot[passage]!]! += weight * timesOf(posting)
      }
    }
    return row
  })
  for (const passage of touched) {
    const slot = corpus.passageSlot[passage]!
    if (byPassage[passage]! <= scores[slot]! || !accepts(slot)) continue
    scores[slot] = byPassage[passage]!
    best[slot] = passage
  }
  return times
}

function scoreSession(
  slots: readonly number[],
  { passage, session }: KeywordChannels,
  accepts: Accepts,
): void {
  let best = 0
  for (const slot of slots) if (passage[slot]! > best) best = passage[slot]!
  if (best > 0) for (const slot of slots) if (accepts(slot)) session[slot] = best
}

/** An entry of no session is its own: or a few conversations would come before every note. */
function scoreAlone(corpus: Corpus, { passage, window, session }: KeywordChannels): void {
  for (let slot = 0; slot < corpus.capacity; slot++) {
    if (passage[slot] === 0 || corpus.held(slot)?.document.session !== null) continue
    window[slot] = passage[slot]!
    session[slot] = passage[slot]!
  }
}

function scoreWindows(
  corpus: Corpus,
  { terms }: Question,
  slots: readonly number[],
  times: readonly Float32Array[],
  scores: Float64Array,
): void {
  const average = (corpus.words / Math.max(1, corpus.size)) * (2 * REACH + 1)
  for (const [at, slot] of slots.entries()) {
    const window = slots.slice(Math.max(0, at - REACH), at + REACH + 1)
    let words = 0
    for (const other of window) words += corpus.held(other)!.tokens.length
    let sum = 0
    for (const [row, { idf }] of terms.entries()) {
      let said = 0
      for (const other of window) said += times[row]![other]!
      if (said > 0) sum += idf * bm25(said, words / average, WINDOW)
    }
    scores[slot] = sum
  }
}

function scoreAnswers(corpus: Corpus, slots: readonly number[], { passage, answer }: KeywordChannels): void {
  for (let i = 1; i < slots.length; i++) {
    const before = slots[i - 1]!
    if (!(passage[before]! > 0) || (corpus.held(before)!.flags & IS_QUESTION) === 0) continue
    answer[slots[i]!] = shortness(corpus.held(slots[i]!)!) * passage[before]!
  }
}
