import { HAS_DATE, HAS_NUMBER, IS_QUESTION } from "./analyse.ts"
import type { Held } from "./corpus.ts"
import { shortness } from "./keyword-channels.ts"
import type { Question } from "./question.ts"

/** What an entry itself has to do with the question beyond its words, each 0 to 1. */
export function entryTerms(question: Question, held: Held): EntryTerms {
  const { document, flags, tokens } = held
  return {
    author: question.author !== null && document.author === question.author ? 1 : 0,
    date: question.asksWhen && (flags & HAS_DATE) !== 0 ? 1 : 0,
    number: question.asksHowMany && (flags & HAS_NUMBER) !== 0 ? 1 : 0,
    length: Math.min(1, tokens.length / 12),
    asking: (flags & IS_QUESTION) !== 0 ? shortness(held) : 0,
    topic: shareIn(question, held.topic),
    tags: shareIn(question, held.tags),
  }
}

export type EntryTerms = {
  readonly author: number
  readonly date: number
  readonly number: number
  readonly length: number
  readonly asking: number
  readonly topic: number
  readonly tags: number
}

/** The share of the question's rarity that these terms cover. */
export function shareIn({ terms, idfSum }: Question, among: Int32Array): number {
  let covered = 0
  for (const { idf, variants } of terms) {
    if (variants.some(({ number }) => among.includes(number))) covered += idf
  }
  return idfSum > 0 ? covered / idfSum : 0
}
