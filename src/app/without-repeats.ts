import type { SearchAnswer, SearchResult } from "./answers.ts"

/** Answers to several queries: lines that an earlier one has shown are named again, and not shown again. */
export function withoutRepeats(answers: readonly SearchAnswer[]): SearchAnswer[] {
  const shown = new Map<string, string>()
  return answers.map((answer) => {
    const results = answer.results.map((result) => {
      const before = shown.get(placeOf(result))
      if (before === undefined) shown.set(placeOf(result), answer.query)
      return before === undefined ? result : { ...result, text: "", shown_for: before }
    })
    return { ...answer, results }
  })
}

function placeOf({ repository = "", path, start_line, end_line }: SearchResult): string {
  return `${repository}\0${path}\0${start_line}\0${end_line}`
}
