import { expect, test } from "bun:test"
import { excerpt, queryWords } from "./excerpt.ts"

const result = (lines: readonly string[], symbol: string | null = null) => ({
  text: lines.join("\n"),
  start_line: 101,
  symbol,
})
const blank = (count: number) => Array.from({ length: count }, (_, index) => `line ${index}`)
const numbers = (shown: ReturnType<typeof excerpt>) => shown.lines.map(({ number }) => number)

test("what fits is shown whole, without blank lines at its end", () => {
  const shown = excerpt(result(["a", "b", "", ""]), [], 12)
  expect(numbers(shown)).toEqual([101, 102])
  expect(shown).toMatchObject({ before: 0, after: 0 })
})

test("the stretch with most of the words is shown, and what is left out is counted", () => {
  const lines = [...blank(20), "retry", "limit", ...blank(20)]
  const shown = excerpt(result(lines), ["retry", "limit"], 4)
  expect(shown.lines.map(({ text }) => text)).toContain("retry")
  expect(shown.lines.map(({ text }) => text)).toContain("limit")
  expect(shown.before + shown.after + 4).toBe(lines.length)
  expect(shown.lines[0]!.number).toBe(101 + shown.before)
})

test("the symbol stands near the top, so that what it defines follows", () => {
  const lines = [...blank(10), "function limitRetries() {", ...blank(10)]
  const shown = excerpt(result(lines, "Client.limitRetries"), ["unknown"], 6)
  expect(shown.lines.slice(0, 4).map(({ text }) => text)).toContain("function limitRetries() {")
})

test("a longer name that contains the symbol is not its place", () => {
  const lines = ["type Ranked = {", ...blank(10), "function rank() {", ...blank(10)]
  expect(excerpt(result(lines, "rank"), [], 6).lines.map(({ text }) => text)).toContain("function rank() {")
  expect(excerpt(result(["$a", ...blank(10), "$b"], "$b"), [], 3).before).toBe(9)
})

test("words of a question that say nothing are not looked for", () => {
  expect(queryWords("Where is the retryLimit of an HTTP call? 漢字 x")).toEqual([
    "retrylimit",
    "http",
    "call",
    "漢字",
  ])
})
