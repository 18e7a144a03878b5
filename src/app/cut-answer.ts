import type { SearchAnswer, SearchResult } from "./answers.ts"
import { Budget } from "./budget.ts"

export type CutResult = SearchResult & { readonly cut: boolean }
export type CutAnswer = Omit<SearchAnswer, "results"> & { readonly results: readonly CutResult[] }

/** The same text goes to the model and into the structured answer: clients show one or the other. */
export function cutToBudget(answer: SearchAnswer, tokens: number): CutAnswer {
  const budget = new Budget(tokens)
  const results = answer.results.map((result) => {
    const { text, isWhole } = budget.take(result.text)
    return { ...result, text, cut: !isWhole }
  })
  return { ...answer, results }
}

/** Every answer gets its share of the tokens. */
export function cutAllToBudget(answers: readonly SearchAnswer[], tokens: number): CutAnswer[] {
  return answers.map((answer) => cutToBudget(answer, Math.floor(tokens / answers.length)))
}
