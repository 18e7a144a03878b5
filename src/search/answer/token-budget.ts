import type { SearchAnswer } from "../../base/index.ts"
import { charactersIn } from "../../text/index.ts"

// Minimum characters shown of each text, and maximum of a first line when the budget is spent.
const MIN_CHARACTERS = 200

export type ShortenedText = { readonly text: string; readonly lines: number; readonly isWhole: boolean }

/** A budget of tokens, spent from the first result to the last. */
export class Budget {
  #characters: number

  constructor(tokens: number) {
    this.#characters = Math.floor(charactersIn(tokens))
  }

  /** As many whole lines from the top as the budget allows, always at least the first or its beginning. */
  take(text: string): ShortenedText {
    const first = text.split("\n", 1)[0]!
    const maxLength = Math.max(MIN_CHARACTERS, this.#characters)
    if (first.length > maxLength) {
      this.#characters = 0
      return { text: `${first.slice(0, maxLength)}…\n`, lines: 1, isWhole: false }
    }
    const lines = text.split("\n")
    if (lines.at(-1) === "") lines.pop()
    let used = 0
    let lineCount = 0
    for (const line of lines) {
      if (lineCount > 0 && used + line.length + 1 > this.#characters) break
      used += line.length + 1
      lineCount++
    }
    this.#characters = Math.max(0, this.#characters - used)
    const isWhole = lineCount === lines.length
    return { text: isWhole ? text : `${lines.slice(0, lineCount).join("\n")}\n`, lines: lineCount, isWhole }
  }
}

/**
 * Cuts the texts of the results to the budget. Used for the text and for the structured answer alike, because
 * clients show one or the other.
 */
export function cutToBudget(answer: SearchAnswer, tokens: number): SearchAnswer {
  const budget = new Budget(tokens)
  const results = answer.results.map((result) => {
    const { text, isWhole } = budget.take(result.text)
    return { ...result, text, cut: !isWhole }
  })
  return { ...answer, results }
}

/**
 * The answers to several queries of one call: a text that an earlier answer shows is named there instead of shown again, and
 * the tokens, if they are limited, are divided equally.
 */
export function shortened(answers: readonly SearchAnswer[], tokens: number | undefined): SearchAnswer[] {
  const distinct = withoutRepeats(answers)
  if (tokens === undefined) return distinct
  return distinct.map((answer) => cutToBudget(answer, Math.floor(tokens / answers.length)))
}

function withoutRepeats(answers: readonly SearchAnswer[]): SearchAnswer[] {
  const shown = new Map<string, string>()
  return answers.map((answer) => {
    const results = answer.results.map((result) => {
      const { repository = "", path, start_line, end_line } = result
      const lines = [repository, path, start_line, end_line].join("\0")
      const earlierQuery = shown.get(lines)
      if (earlierQuery === undefined) shown.set(lines, answer.query)
      return earlierQuery === undefined ? result : { ...result, text: "", shown_for: earlierQuery }
    })
    return { ...answer, results }
  })
}
