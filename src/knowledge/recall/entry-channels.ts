import { HAS_DATE, HAS_NUMBER, IS_QUESTION, TELLS_OF_SELF } from "./analyse.ts"
import type { Held } from "./corpus.ts"
import { shortness } from "./keyword-channels.ts"
import type { Question } from "./question.ts"

/** What an entry itself has to do with the question beyond its words: each 0 to 1, the same in every question. */
export const ENTRY_CHANNELS = {
  author: ({ author }, { document }) => (author !== null && document.author === author ? 1 : 0),
  date: ({ asksWhen }, { flags }) => (asksWhen && (flags & HAS_DATE) !== 0 ? 1 : 0),
  number: ({ asksHowMany }, { flags }) => (asksHowMany && (flags & HAS_NUMBER) !== 0 ? 1 : 0),
  length: (_, { tokens }) => Math.min(1, tokens.length / 12),
  asking: (_, { flags, tokens }) => ((flags & IS_QUESTION) === 0 ? 0 : shortness(tokens.length)),
  self: (_, { flags }) => ((flags & TELLS_OF_SELF) === 0 ? 0 : 1),
} as const satisfies { readonly [name: string]: (question: Question, held: Held) => number }

/** The share of the question's rarity that these terms cover. */
export function shareIn({ terms, idfSum }: Question, among: Int32Array): number {
  if (among.length === 0 || idfSum === 0) return 0
  let covered = 0
  for (const { idf, variants } of terms) {
    if (variants.some(({ number }) => among.includes(number))) covered += idf
  }
  return covered / idfSum
}
