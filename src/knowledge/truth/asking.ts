import { contentStems, createVocabulary, type Rarity, type Vocabulary } from "./content-stems.ts"
import { type Question, readQuestion } from "./question.ts"
import { raritySum } from "./shares.ts"

/** What every statement is held against. */
export type Asking = {
  readonly question: Question
  /** Stems of the question's telling words. */
  readonly asked: ReadonlySet<string>
  readonly words: Vocabulary
  /** Of all that is asked together. */
  readonly rarity: number
}

export function readAsking(query: string, rarity: Rarity): Asking {
  const words = createVocabulary(rarity)
  const firstWords = new Map<string, string>()
  const asked = new Set(contentStems(query, firstWords))
  words.meet(firstWords)
  return { question: readQuestion(query), asked, words, rarity: raritySum(asked, words) }
}
