import type { Corpus } from "./corpus.ts"
import { passageOf, timesOf } from "./postings.ts"
import type { Question } from "./question.ts"
import type { Scores } from "./scores.ts"

/** Share of its four-letter pieces that a word must have in common with the question's. */
const LEAST_LIKENESS = 0.5

/**
 * By slot: the question's words that an entry has as they are or in another form (paint in repainting, postgres in
 * postgresql, a slip of the pen), each by its rarity and its likeness.
 */
export function gramChannel(corpus: Corpus, { terms }: Question): Scores {
  const scores = corpus.scores.take(corpus.capacity)
  const best = corpus.scores.take(corpus.capacity)
  for (const { term, idf, variants } of terms) {
    for (const { number, weight } of variants) meet(corpus, number, weight, best)
    for (const { number, likeness } of corpus.dictionary.alike(term, LEAST_LIKENESS))
      meet(corpus, number, likeness, best)
    for (let i = 0; i < best.count; i++) scores.add(best.slots[i]!, idf * best.of(best.slots[i]!))
    best.clear()
  }
  return scores
}

function meet({ postings, passageSlot }: Corpus, term: number, likeness: number, best: Scores): void {
  const list = postings.of(term)
  for (let i = 0; i < list.length; i++) {
    const posting = list[i]!
    if (timesOf(posting) > 0) best.raise(passageSlot[passageOf(posting)]!, likeness)
  }
}
