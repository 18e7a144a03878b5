import { IS_QUESTION } from "./analyse.ts"
import { bm25 } from "./bm25.ts"
import type { Corpus } from "./corpus.ts"
import { passageOf, timesInAll, timesOf } from "./postings.ts"
import type { QueryTerm, Question } from "./question.ts"

/** How well each entry's words answer, by slot; 0 where they do not. What is not accepted may still tell of its neighbours. */
export type KeywordChannels = {
  /** Of its best passage. */
  readonly passage: Float64Array
  /** Of the entry with two before and two after it, as one text. */
  readonly window: Float64Array
  /** Of the last words before it, where they ask and the entry is short. */
  readonly answer: Float64Array
  /** Of the best entry of its session; its own where it stands alone. */
  readonly session: Float64Array
  /** Number of the best passage, -1 where none holds a word of the question. */
  readonly best: Int32Array
}

export type Accepts = (slot: number) => boolean

export function keywordChannels(corpus: Corpus, question: Question, accepts: Accepts): KeywordChannels {
  const size = corpus.capacity
  const channels = {
    passage: new Float64Array(size),
    window: new Float64Array(size),
    answer: new Float64Array(size),
    session: new Float64Array(size),
    best: new Int32Array(size).fill(-1),
  }
  const passages = new Float64Array(corpus.passageSlot.length)
  const windows = new Windows(corpus, channels.window)
  const touched: number[] = []
  for (const term of question.terms) addTerm(corpus, term, passages, touched, windows)
  for (const passage of touched) {
    const slot = corpus.passageSlot[passage]!
    if (passages[passage]! <= channels.passage[slot]! || !accepts(slot)) continue
    channels.passage[slot] = passages[passage]!
    channels.best[slot] = passage
  }
  scoreSessions(corpus, channels.passage, channels.session)
  scoreAnswers(corpus, touched, passages, channels.answer)
  return channels
}

/** 1 for a word or two, a half at thirty words, nothing for a long text. */
export function shortness(words: number): number {
  return 1 / (1 + (words / 30) ** 2)
}

/** Windows are of nearly one length, so that a long one tells less. */
const PASSAGE = { k1: 1.2, b: 0.5 }
const WINDOW = { k1: 1.2, b: 0.75 }
const REACH = 2

function addTerm(
  corpus: Corpus,
  { idf, variants }: QueryTerm,
  passages: Float64Array,
  touched: number[],
  windows: Windows,
): void {
  const average = corpus.passageWords / Math.max(1, corpus.passages)
  for (const { number, weight } of variants) {
    for (const posting of corpus.postings.of(number)) {
      const passage = passageOf(posting)
      if (passages[passage] === 0) touched.push(passage)
      passages[passage]! +=
        weight * idf * bm25(timesInAll(posting), corpus.passageLength[passage]! / average, PASSAGE)
      windows.say(corpus.passageSlot[passage]!, weight * timesOf(posting))
    }
  }
  windows.endTerm(idf)
}

/** An entry and its neighbours read as one text: what one says, all around it say. */
class Windows {
  readonly #corpus: Corpus
  readonly #scores: Float64Array
  readonly #times: Float64Array
  readonly #average: number
  #touched: number[] = []

  constructor(corpus: Corpus, scores: Float64Array) {
    this.#corpus = corpus
    this.#scores = scores
    this.#times = new Float64Array(corpus.capacity)
    this.#average = corpus.words / Math.max(1, corpus.size)
  }

  say(slot: number, times: number): void {
    const { sessions } = this.#corpus
    if (times === 0) return
    this.#add(slot, times)
    for (
      let step = 0, at = sessions.before(slot);
      step < REACH && at >= 0;
      step++, at = sessions.before(at)
    ) {
      this.#add(at, times)
    }
    for (let step = 0, at = sessions.after(slot); step < REACH && at >= 0; step++, at = sessions.after(at)) {
      this.#add(at, times)
    }
  }

  endTerm(idf: number): void {
    for (const slot of this.#touched) {
      this.#scores[slot]! += idf * bm25(this.#times[slot]!, this.#length(slot), WINDOW)
      this.#times[slot] = 0
    }
    this.#touched = []
  }

  #add(slot: number, times: number): void {
    if (this.#times[slot] === 0) this.#touched.push(slot)
    this.#times[slot]! += times
  }

  /** Relative to the mean; what stands alone is a window of one. */
  #length(slot: number): number {
    const { sessions } = this.#corpus
    const entries = sessions.of(slot) < 0 ? 1 : 2 * REACH + 1
    let words = this.#corpus.wordsOf(slot)
    for (
      let step = 0, at = sessions.before(slot);
      step < REACH && at >= 0;
      step++, at = sessions.before(at)
    ) {
      words += this.#corpus.wordsOf(at)
    }
    for (let step = 0, at = sessions.after(slot); step < REACH && at >= 0; step++, at = sessions.after(at)) {
      words += this.#corpus.wordsOf(at)
    }
    return words / (this.#average * entries)
  }
}

function scoreSessions(corpus: Corpus, passage: Float64Array, session: Float64Array): void {
  const best = new Float64Array(corpus.sessions.count)
  for (let slot = 0; slot < passage.length; slot++) {
    const number = corpus.sessions.of(slot)
    if (number >= 0 && passage[slot]! > best[number]!) best[number] = passage[slot]!
  }
  for (let slot = 0; slot < passage.length; slot++) {
    const number = corpus.sessions.of(slot)
    session[slot] = number < 0 ? passage[slot]! : best[number]!
  }
}

/** A question stands at the end of what was said: its last passage counts. */
function scoreAnswers(
  corpus: Corpus,
  touched: readonly number[],
  passages: Float64Array,
  scores: Float64Array,
): void {
  for (const passage of touched) {
    const slot = corpus.passageSlot[passage]!
    const held = corpus.held(slot)!
    const after = corpus.sessions.after(slot)
    if (after < 0 || (held.flags & IS_QUESTION) === 0) continue
    if (passage !== held.first + held.windows.length - 1) continue
    scores[after] = shortness(corpus.wordsOf(after)) * passages[passage]!
  }
}
