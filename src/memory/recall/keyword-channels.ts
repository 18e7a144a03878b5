/*
 * Scores by words for each entry: its best passage, the entry together with its neighbours in the session, an entry
 * that follows a question, and the best entry of the session. All are computed in one pass over the postings of the
 * question's terms.
 */

import { IS_QUESTION } from "./index/analyse.ts"
import type { Corpus } from "./index/corpus.ts"
import { passageOf, timesInAll, timesOf } from "./index/postings.ts"
import type { QueryTerm, RecallQuestion } from "./question.ts"
import type { Scores } from "./scores.ts"
import { bm25 } from "./scores.ts"

/**
 * Scores of entries by the words that they share with the question. Entries that are not accepted can still raise the
 * scores of their neighbours.
 */
export type KeywordChannels = {
  /** Score of the entry's best passage. */
  readonly passage: Scores
  /**
   * Score of the entry together with the two entries before and the two after it in its session, as one text.
   */
  readonly window: Scores
  /**
   * Score of the last passage of the preceding entry, when that entry is a question; lower the longer this
   * entry is.
   */
  readonly answer: Scores
  /** Score of the best entry in the same session; the entry's own score when it has no session. */
  readonly session: (slot: number) => number
  /** Number of the best passage; -1 when no passage contains a word of the question. */
  readonly bestPassage: (slot: number) => number
}

export type AcceptsSlot = (slot: number) => boolean

export function keywordChannels(
  corpus: Corpus,
  question: RecallQuestion,
  accepts: AcceptsSlot,
): KeywordChannels {
  const passages = corpus.scores.take(corpus.passageSlot.length)
  const windows = new Windows(corpus)
  for (const term of question.terms) addTerm(corpus, term, passages, windows)
  const passage = corpus.scores.take(corpus.capacity)
  // Stores the passage number + 1, because 0 means no value.
  const best = corpus.scores.take(corpus.capacity)
  for (let i = 0; i < passages.count; i++) {
    const number = passages.slots[i]!
    const slot = corpus.passageSlot[number]!
    if (passages.of(number) <= passage.of(slot) || !accepts(slot)) continue
    passage.raise(slot, passages.of(number))
    best.set(slot, number + 1)
  }
  return {
    passage,
    window: windows.scores,
    answer: answerScores(corpus, passages),
    session: sessionScore(corpus, passage),
    bestPassage: (slot) => best.of(slot) - 1,
  }
}

/**
 * A factor for the number of words of a text: about 1 for one or two words, 0.5 for thirty, close to 0 for a long text.
 */
export function shortness(words: number): number {
  return 1 / (1 + (words / 30) ** 2)
}

/**
 * BM25 parameters. Windows have nearly equal lengths, so that length is penalised more where it does differ.
 */
const PASSAGE = { k1: 1.2, b: 0.5 }
const WINDOW = { k1: 1.2, b: 0.75 }
const REACH = 2

function addTerm(
  { postings, passageSlot, passageLength, passageWords, passages: living }: Corpus,
  { idf, variants }: QueryTerm,
  passages: Scores,
  windows: Windows,
): void {
  const average = passageWords / Math.max(1, living)
  for (const { number, weight } of variants) {
    const list = postings.of(number)
    for (let i = 0; i < list.length; i++) {
      const posting = list[i]!
      const passage = passageOf(posting)
      const score = bm25(timesInAll(posting), passageLength[passage]! / average, PASSAGE)
      passages.add(passage, weight * idf * score)
      windows.addOccurrences(passageSlot[passage]!, weight * timesOf(posting))
    }
  }
  windows.endTerm(idf)
}

/**
 * Scores each entry and its neighbours as one text: a word in one entry also counts for the entries around
 * it.
 */
class Windows {
  readonly scores: Scores
  readonly #corpus: Corpus
  readonly #times: Scores
  readonly #average: number

  constructor(corpus: Corpus) {
    this.scores = corpus.scores.take(corpus.capacity)
    this.#corpus = corpus
    this.#times = corpus.scores.take(corpus.capacity)
    this.#average = corpus.words / Math.max(1, corpus.size)
  }

  addOccurrences(slot: number, times: number): void {
    const { sessions } = this.#corpus
    if (times === 0) return
    this.#times.add(slot, times)
    if (sessions.of(slot) < 0) return
    for (
      let step = 0, at = sessions.before(slot);
      step < REACH && at >= 0;
      step++, at = sessions.before(at)
    ) {
      this.#times.add(at, times)
    }
    for (let step = 0, at = sessions.after(slot); step < REACH && at >= 0; step++, at = sessions.after(at)) {
      this.#times.add(at, times)
    }
  }

  endTerm(idf: number): void {
    for (let i = 0; i < this.#times.count; i++) {
      const slot = this.#times.slots[i]!
      this.scores.add(slot, idf * bm25(this.#times.of(slot), this.#length(slot), WINDOW))
    }
    this.#times.clear()
  }

  /**
   * Length of the window relative to the mean length of windows; an entry without a session is a window of
   * one.
   */
  #length(slot: number): number {
    const { sessions } = this.#corpus
    let words = this.#corpus.wordsOf(slot)
    if (sessions.of(slot) < 0) return words / this.#average
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
    return words / (this.#average * (2 * REACH + 1))
  }
}

function sessionScore({ sessions, scores }: Corpus, passage: Scores): (slot: number) => number {
  const best = scores.take(sessions.count)
  for (let i = 0; i < passage.count; i++) {
    const slot = passage.slots[i]!
    const number = sessions.of(slot)
    if (number >= 0) best.raise(number, passage.of(slot))
  }
  return (slot) => {
    const number = sessions.of(slot)
    return number < 0 ? passage.of(slot) : best.of(number)
  }
}

/**
 * Scores entries that follow a question. Only the last passage of the preceding entry counts, because a
 * question usually comes at its end.
 */
function answerScores(corpus: Corpus, passages: Scores): Scores {
  const scores = corpus.scores.take(corpus.capacity)
  for (let i = 0; i < passages.count; i++) {
    const passage = passages.slots[i]!
    const slot = corpus.passageSlot[passage]!
    const after = corpus.sessions.after(slot)
    if (after < 0) continue
    if (corpus.passageSlot[passage + 1] === slot) continue
    if ((corpus.at(slot)!.flags & IS_QUESTION) === 0) continue
    scores.raise(after, shortness(corpus.wordsOf(after)) * passages.of(passage))
  }
  return scores
}
