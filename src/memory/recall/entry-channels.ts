import { HAS_DATE, HAS_FIRST_PERSON, HAS_NUMBER, IS_QUESTION } from "./index/analyse.ts"
import type { IndexedEntry } from "./index/corpus.ts"
import type { Numbers } from "./index/frozen-strings.ts"
import { shortness } from "./keyword-channels.ts"
import { isAtDate } from "./named-dates.ts"
import type { RecallQuestion } from "./question.ts"

/**
 * The ranking terms that depend on the entry alone and on what kind of answer is asked for. Each is 0 to 1
 * and on the same scale for every question.
 */
export function entryTerms(question: RecallQuestion, { document, flags, words }: IndexedEntry): EntryTerms {
  return {
    author: question.author !== null && document.author === question.author ? 1 : 0,
    date: question.asksWhen && (flags & HAS_DATE) !== 0 ? 1 : 0,
    recorded: question.dates.length > 0 && isAtDate(question.dates, document.recordedAt) ? 1 : 0,
    number: question.asksHowMany && (flags & HAS_NUMBER) !== 0 ? 1 : 0,
    length: Math.min(1, words / 12),
    asking: (flags & IS_QUESTION) === 0 ? 0 : shortness(words),
    self: (flags & HAS_FIRST_PERSON) === 0 ? 0 : 1,
  }
}

export type EntryTerms = {
  /** 1 when the question names exactly one author and the entry is by that author. */
  readonly author: number
  /**
   * `date` is 1 when the question asks for a time and the entry contains one; `number` likewise for an
   * amount.
   */
  readonly date: number
  readonly number: number
  /** 1 when the question names a date and the entry was recorded then. */
  readonly recorded: number
  /** Number of words divided by 12, at most 1, because an entry of one or two words seldom answers a question. */
  readonly length: number
  /** Above 0 when the entry is itself a question; the shorter the entry, the higher. */
  readonly asking: number
  /** 1 when the author writes about themselves (I, we), because questions about people ask for such entries. */
  readonly self: number
}

/** Share of the question's total rarity (idf) covered by the terms in `among`, 0 to 1. */
export function shareIn({ terms, idfSum }: RecallQuestion, among: Numbers): number {
  if (among.length === 0 || idfSum === 0) return 0
  let covered = 0
  for (const { idf, variants } of terms) {
    if (variants.some(({ number }) => among.includes(number))) covered += idf
  }
  return covered / idfSum
}
