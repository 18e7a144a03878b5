/*
 * Scores by words for each entry: its best passage, the entry together with its neighbours in the session, similar
 * words, an entry that follows a question, and the best entry of the session.
 * The postings of each term of the question are read once for all of them.
 */

import { bm25 } from "../../base/index.ts"
import { inZone } from "../entries/times.ts"
import {
  HAS_DATE,
  HAS_FIRST_PERSON,
  HAS_NUMBER,
  IS_QUESTION,
  passageOf,
  timesInAll,
  timesOf,
} from "./index/analyse.ts"
import type { Corpus, IndexedEntry } from "./index/corpus.ts"
import { isAtDate, type QueryTerm, type RecallQuestion } from "./question.ts"
import type { Scores, WordScores } from "./scores.ts"

export type AcceptsSlot = (slot: number) => boolean

/**
 * Scores of entries by the words that they share with the question. Entries that are not accepted can still raise the
 * scores of their neighbours; they have no `passage`. `answer`: score of the last passage of the
 * preceding entry, when that entry is a question; lower the longer this entry is. `session`: score of the best entry in
 * the same session; the entry's own score when it has no session.
 */
export function keywordChannels(corpus: Corpus, question: RecallQuestion, accepts: AcceptsSlot) {
  const passages = corpus.scores.take(corpus.passageSlot.length)
  const words = corpus.takeWordScores()
  const terms = new TermScores(corpus, passages, words)
  for (const term of question.terms) terms.add(term)
  terms.end()
  const answer = corpus.scores.take(corpus.capacity)
  const passageSlot = corpus.passageSlot.values
  for (let i = 0; i < passages.count; i++) {
    const passage = passages.slots[i]!
    const slot = passageSlot[passage]!
    const score = passages.of(passage)
    if (corpus.sessions.after(slot) >= 0) raiseAnswer(corpus, passage, score, answer)
    if (score <= words.passage[slot]! || !accepts(slot)) continue
    words.list(slot)
    words.passage[slot] = score
    words.bestPassage[slot] = passage + 1
  }
  corpus.scores.giveBack(passages)
  return { words, answer, session: sessionScore(corpus, words) }
}

/**
 * A factor for the number of words of a text: about 1 for one or two words, 0.5 for thirty, close to 0 for a long text.
 */
export function shortness(words: number): number {
  return 1 / (1 + (words / 30) ** 2)
}

/** BM25 parameters. Whole entries differ more in length than passages do, and are penalised more for it. */
const OF_PASSAGE = { k1: 1.2, b: 0.5 }
const OF_ENTRY = { k1: 1.2, b: 0.75 }
/** Number of neighbours on each side whose words count for an entry, too. */
const REACH = 2
/** Minimum share of four-letter pieces that a word has in common with a word of the question. */
const MIN_SIMILARITY = 0.5

/** Adds the scores of one term of the question after the other. */
class TermScores {
  readonly #corpus: Corpus
  readonly #passages: Scores
  readonly #words: WordScores
  /** Of the current term, by slot: weighted number of occurrences in the text. */
  readonly #times: Scores
  /** The same for the entry and its neighbours, of entries in a session. */
  readonly #nearTimes: Scores
  /** Of the current term: similarity of the most similar word. */
  readonly #similar: Scores
  readonly #meanWords: number

  constructor(corpus: Corpus, passages: Scores, words: WordScores) {
    this.#corpus = corpus
    this.#passages = passages
    this.#words = words
    this.#times = corpus.scores.take(corpus.capacity)
    this.#nearTimes = corpus.scores.take(corpus.capacity)
    this.#similar = corpus.scores.take(corpus.capacity)
    this.#meanWords = corpus.words / Math.max(1, corpus.size)
  }

  add(term: QueryTerm): void {
    this.#readPostings(term)
    this.#readSimilar(term)
    this.#addEntries(term)
    this.#addNeighbours(term)
    for (const scores of [this.#times, this.#nearTimes, this.#similar]) scores.clear()
  }

  end(): void {
    for (const scores of [this.#similar, this.#nearTimes, this.#times]) this.#corpus.scores.giveBack(scores)
  }

  #readPostings({ idf, variants }: QueryTerm): void {
    const { postings, sessions, passageWords } = this.#corpus
    const passageSlot = this.#corpus.passageSlot.values
    const passageLength = this.#corpus.passageLength.values
    const [passages, times, similar] = [this.#passages, this.#times, this.#similar]
    const meanLength = passageWords / Math.max(1, this.#corpus.passages)
    const hasForms = variants.length > 1
    for (const { number, weight } of variants) {
      const list = postings.of(number)
      const passageWeight = weight * idf
      for (let i = 0; i < list.length; i++) {
        const posting = list[i]!
        const passage = passageOf(posting)
        const score = bm25(timesInAll(posting), passageLength[passage]! / meanLength, OF_PASSAGE)
        passages.add(passage, passageWeight * score)
        if (timesOf(posting) === 0) continue
        const slot = passageSlot[passage]!
        const count = weight * timesOf(posting)
        times.add(slot, count)
        if (hasForms) similar.raise(slot, weight)
        if (sessions.of(slot) >= 0) this.#addNear(slot, count)
      }
    }
  }

  #addNear(slot: number, count: number): void {
    const { sessions } = this.#corpus
    const near = this.#nearTimes
    near.add(slot, count)
    for (let step = 0, at = sessions.before(slot); step < REACH && at >= 0; step++, at = sessions.before(at))
      near.add(at, count)
    for (let step = 0, at = sessions.after(slot); step < REACH && at >= 0; step++, at = sessions.after(at))
      near.add(at, count)
  }

  /** Other words of similar spelling (paint in repainting, postgres in postgresql, a typing error). */
  #readSimilar({ term }: QueryTerm): void {
    const { dictionary, postings, passageSlot } = this.#corpus
    for (const { number, similarity } of dictionary.alike(term, MIN_SIMILARITY)) {
      const list = postings.of(number)
      for (let i = 0; i < list.length; i++) {
        const posting = list[i]!
        if (timesOf(posting) > 0) this.#similar.raise(passageSlot.values[passageOf(posting)]!, similarity)
      }
    }
  }

  /** Adds the term to the scores that an entry has by itself. */
  #addEntries({ idf, variants }: QueryTerm): void {
    const [times, similar] = [this.#times, this.#similar]
    const { sessions } = this.#corpus
    const words = this.#words
    const { window, grams } = words
    // With several forms, `similar` has the weight of the form that the entry contains.
    const own = variants.length === 1 ? variants[0]!.weight : 0
    for (let i = 0; i < times.count; i++) {
      const slot = times.slots[i]!
      words.list(slot)
      grams[slot]! += idf * Math.max(own, similar.of(slot))
      if (sessions.of(slot) >= 0) continue
      const length = this.#corpus.wordsOf(slot) / this.#meanWords
      window[slot]! += idf * bm25(times.of(slot), length, OF_ENTRY)
    }
    for (let i = 0; i < similar.count; i++) {
      const slot = similar.slots[i]!
      if (times.of(slot) !== 0) continue
      words.list(slot)
      grams[slot]! += idf * similar.of(slot)
    }
  }

  /** Adds the term to the scores of entries together with their neighbours, as one text. */
  #addNeighbours({ idf }: QueryTerm): void {
    const near = this.#nearTimes
    for (let i = 0; i < near.count; i++) {
      const slot = near.slots[i]!
      const length = this.#corpus.windowWords(slot, REACH) / (this.#meanWords * (2 * REACH + 1))
      this.#words.list(slot)
      this.#words.window[slot]! += idf * bm25(near.of(slot), length, OF_ENTRY)
    }
  }
}

/**
 * Raises the score of the entry after a question. Only the question's last passage counts, because a question usually
 * comes at the end of a text.
 */
function raiseAnswer(corpus: Corpus, passage: number, score: number, answer: Scores): void {
  const slots = corpus.passageSlot.values
  const slot = slots[passage]!
  if (slots[passage + 1] === slot || (corpus.at(slot)!.flags & IS_QUESTION) === 0) return
  const after = corpus.sessions.after(slot)
  answer.raise(after, shortness(corpus.wordsOf(after)) * score)
}

function sessionScore({ sessions, scores }: Corpus, words: WordScores): (slot: number) => number {
  const best = scores.take(sessions.count)
  for (let i = 0; i < words.count; i++) {
    const slot = words.slots[i]!
    const number = sessions.of(slot)
    if (number >= 0) best.raise(number, words.passage[slot]!)
  }
  return (slot) => {
    const number = sessions.of(slot)
    return number < 0 ? words.passage[slot]! : best.of(number)
  }
}

/** True when the question names a date and the entry was recorded then, by the clock of the writer. */
export function wasRecordedThen(
  { dates }: RecallQuestion,
  { recordedAt, zone }: IndexedEntry["document"],
): boolean {
  return dates.length > 0 && isAtDate(dates, inZone(recordedAt, zone))
}

/**
 * The ranking terms that depend on the entry alone and on what kind of answer is asked for. Each is 0 to 1 and on the
 * same scale for every question.
 */
export function entryTerms(question: RecallQuestion, { document, flags, words }: IndexedEntry) {
  return {
    // 1 when the question names exactly one author and the entry is by that author.
    author: question.author !== null && document.author === question.author ? 1 : 0,
    // 1 when the question asks for a time and the entry contains one; `number` likewise for an amount.
    date: question.asksWhen && (flags & HAS_DATE) !== 0 ? 1 : 0,
    recorded: wasRecordedThen(question, document) ? 1 : 0,
    number: question.asksHowMany && (flags & HAS_NUMBER) !== 0 ? 1 : 0,
    // An entry of one or two words seldom answers a question.
    length: Math.min(1, words / 12),
    // Above 0 when the entry is itself a question; the shorter the entry, the higher.
    asking: (flags & IS_QUESTION) === 0 ? 0 : shortness(words),
    // 1 when the author writes about themselves (I, we), because questions about people ask for such entries.
    self: (flags & HAS_FIRST_PERSON) === 0 ? 0 : 1,
  }
}
