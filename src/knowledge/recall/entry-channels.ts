import { HAS_DATE, HAS_NUMBER, IS_QUESTION, TELLS_OF_SELF } from "./analyse.ts"
import type { Held } from "./corpus.ts"
import { shortness } from "./keyword-channels.ts"
import type { Question } from "./question.ts"

/** What an entry itself has to do with the question beyond its words: each 0 to 1, the same in every question. */
export function entryTerms(question: Question, { document, flags, tokens }: Held): EntryTerms {
  const words = tokens.length
  return {
    author: question.author !== null && document.author === question.author ? 1 : 0,
    date: question.asksWhen && (flags & HAS_DATE) !== 0 ? 1 : 0,
    number: question.asksHowMany && (flags & HAS_NUMBER) !== 0 ? 1 : 0,
    length: Math.min(1, words / 12),
    asking: (flags & IS_QUESTION) === 0 ? 0 : shortness(words),
    self: (flags & TELLS_OF_SELF) === 0 ? 0 : 1,
  }
}

export type EntryTerms = {
  /** The one author that is named said it. */
  readonly author: number
  /** It holds a date where one is asked for; a number. */
  readonly date: number
  readonly number: number
  /** A word or two seldom answer. */
  readonly length: number
  /** It asks, itself. */
  readonly asking: number
  /** Somebody speaks of himself: that is what people are asked about. */
  readonly self: number
}

/** The share of the question's rarity that these terms cover. */
export function shareIn({ terms, idfSum }: Question, among: Uint32Array): number {
  if (among.length === 0 || idfSum === 0) return 0
  let covered = 0
  for (const { idf, variants } of terms) {
    if (variants.some(({ number }) => among.includes(number))) covered += idf
  }
  return covered / idfSum
}
