import type { Corpus } from "./corpus.ts"
import { passageOf, timesOf } from "./postings.ts"
import type { Question } from "./question.ts"

/** Share of its four-letter pieces that a word must have in common with the question's. */
const LEAST_LIKENESS = 0.5

/**
 * By slot: the question's words that an entry has as they are or in another form (paint in repainting, postgres in
 * postgresql, a slip of the pen), each by its rarity and its likeness.
 */
export function gramChannel(corpus: Corpus, { terms }: Question): Float64Array {
  const scores = new Float64Array(corpus.capacity)
  const best = new Float64Array(corpus.capacity)
  for (const { term, idf, variants } of terms) {
    const touched: number[] = []
    const meet = (number: number, likeness: number) => {
      for (const posting of corpus.postings.of(number)) {
        if (timesOf(posting) === 0) continue
        const slot = corpus.passageSlot[passageOf(posting)]!
        if (best[slot] === 0) touched.push(slot)
        if (best[slot]! < likeness) best[slot] = likeness
      }
    }
    for (const { number, weight } of variants) meet(number, weight)
    for (const { number, likeness } of corpus.dictionary.alike(term, LEAST_LIKENESS)) meet(number, likeness)
    for (const slot of touched) {
      scores[slot]! += idf * best[slot]!
      best[slot] = 0
    }
  }
  return scores
}
