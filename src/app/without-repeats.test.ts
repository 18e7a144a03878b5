import { expect, test } from "bun:test"
import type { SearchAnswer } from "./answers.ts"
import { withoutRepeats } from "./without-repeats.ts"

function answer(query: string, ...lines: number[]): SearchAnswer {
  const results = lines.map((start_line) => {
    const place = { path: "a.ts", start_line, end_line: start_line + 1, symbol: null }
    return { ...place, language: "typescript", kind: "block", score: 1, text: `line ${start_line}`, also: [] }
  })
  return {
    query,
    class: "natural",
    results,
    offset: 0,
    next_offset: null,
    partial: null,
    took_ms: 1,
    notices: [],
  }
}

test("lines are shown with the first query that found them, and named with the others", () => {
  const [first, second] = withoutRepeats([answer("one", 1, 5), answer("two", 5, 9)])
  expect(first).toEqual(answer("one", 1, 5))
  expect(second!.results.map(({ text, shown_for }) => [text, shown_for])).toEqual([
    ["", "one"],
    ["line 9", undefined],
  ])
})
