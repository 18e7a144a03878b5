import { expect, test } from "bun:test"
import fc from "fast-check"
import type { SearchAnswer } from "../../base/answers.ts"
import { Budget, shortened } from "./token-budget.ts"

test("takes whole lines until the tokens are spent", () => {
  const budget = new Budget(6)
  expect(budget.take("twelve chars\nmore\n")).toEqual({
    text: "twelve chars\nmore\n",
    lines: 2,
    isWhole: true,
  })
  expect(budget.take("one\ntwo\n")).toEqual({ text: "one\n", lines: 1, isWhole: false })
})

test("always keeps the first line of a result", () => {
  const budget = new Budget(0)
  expect(budget.take("a long line\nanother").text).toBe("a long line\n")
  expect(budget.take("").isWhole).toBe(true)
})

test("keeps the beginning of the text, and as many lines as it reports", () => {
  fc.assert(
    fc.property(
      fc.array(fc.string({ maxLength: 20 }).map((line) => line.replaceAll("\n", ""))),
      fc.nat(50),
      (lines, tokens) => {
        const text = lines.join("\n")
        const cut = new Budget(tokens).take(text)
        expect(text.startsWith(cut.isWhole ? cut.text : cut.text.slice(0, -1))).toBe(true)
        if (!cut.isWhole) expect(cut.text.split("\n").length - 1).toBe(cut.lines)
      },
    ),
  )
})

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

test("shows lines with the first query that found them and only names them for the others", () => {
  const [first, second] = shortened([answer("one", 1, 5), answer("two", 5, 9)], undefined)
  expect(first).toEqual(answer("one", 1, 5))
  expect(second!.results.map(({ text, shown_for }) => [text, shown_for])).toEqual([
    ["", "one"],
    ["line 9", undefined],
  ])
})
