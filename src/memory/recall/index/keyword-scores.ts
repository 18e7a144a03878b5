import type { QueryTerm, RecallQuestion } from "../question.ts"
import { bm25, type Scores } from "../scores.ts"
import type { Corpus } from "./corpus.ts"
import { passageOf, timesOf } from "./postings.ts"

/**
 * The keyword channel: BM25 scores of whole entries. Words in the topic or a tag have a higher weight. Only entries
 * that contain every term are scored; if there are none, all entries that contain any term.
 */
export function keywordScores(
  corpus: Corpus,
  { terms }: RecallQuestion,
  accepts: (slot: number) => boolean,
): Scores {
  const scores = corpus.scores.take(corpus.capacity)
  const matched = corpus.scores.take(corpus.capacity)
  const times = corpus.scores.take(corpus.capacity)
  const boosts = corpus.scores.take(corpus.capacity)
  const average = corpus.words / Math.max(1, corpus.size)
  for (const term of terms) {
    countTimes(corpus, term, times)
    addBoosts(corpus, term, boosts)
    const score = (slot: number) => {
      if (!accepts(slot)) return
      const text = BOOSTS.text * bm25(times.of(slot), corpus.wordsOf(slot) / average, BM25)
      scores.add(slot, term.idf * (text + boosts.of(slot)))
      matched.add(slot, 1)
    }
    for (let i = 0; i < times.count; i++) score(times.slots[i]!)
    for (let i = 0; i < boosts.count; i++) if (times.of(boosts.slots[i]!) === 0) score(boosts.slots[i]!)
    times.clear()
    boosts.clear()
  }
  const whole = corpus.scores.take(corpus.capacity)
  for (let i = 0; i < scores.count; i++) {
    const slot = scores.slots[i]!
    if (matched.of(slot) === terms.length) whole.add(slot, scores.of(slot))
  }
  return whole.count > 0 ? whole : scores
}

/** Adds the weighted number of times that each entry's text contains the term. */
function countTimes({ postings, passageSlot }: Corpus, { variants }: QueryTerm, times: Scores): void {
  for (const { number, weight } of variants) {
    const list = postings.of(number)
    for (let i = 0; i < list.length; i++)
      times.add(passageSlot[passageOf(list[i]!)]!, weight * timesOf(list[i]!))
  }
}

/** Adds the boosts of entries whose topic or tags contain the term. */
function addBoosts({ topics, tags }: Corpus, { variants }: QueryTerm, boosts: Scores): void {
  for (const { number, weight } of variants) {
    for (const slot of topics.of(number)) boosts.add(slot, BOOSTS.topic * weight)
    for (const slot of tags.of(number)) boosts.add(slot, BOOSTS.tags * weight)
  }
}

/** The usual values of BM25's parameters. */
const BM25 = { k1: 1.2, b: 0.75 } as const
/** Weight of a word by the field it is in. */
const BOOSTS = { text: 1, topic: 1.5, tags: 1.5 } as const
