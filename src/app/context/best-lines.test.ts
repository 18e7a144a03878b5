import { expect, test } from "bun:test"
import { bestLines } from "./best-lines.ts"
import { QueryWords } from "./query-words.ts"

const LINES = [
  "function settle(invoice) {",
  "  // nothing of note",
  "  const open = unpaid(invoice)",
  "  retryLater(open, limits)",
  "  return invoice",
  "}",
].map((text, i) => ({ number: i + 10, text }))

const numbers = (query: string, most: number) =>
  bestLines(LINES, new QueryWords(query), most).map(({ number }) => number)

test("each line for a word that no other has yet, in the order of the file", () => {
  expect(numbers("the limit of retries when an invoice is settled", 3)).toEqual([10, 13])
  expect(numbers("the limit of retries when an invoice is settled", 1)).toEqual([10])
})

test("none where no word occurs", () => {
  expect(numbers("weather", 3)).toEqual([])
})

test("why a place is there: by its name, its words or its meaning", () => {
  const query = new QueryWords("where are unpaid invoices settled?")
  expect(query.why("function settleAll(unpaid) {}", "settleAll")).toBe("defines settleAll; matches unpaid")
  expect(query.why("return invoice", null)).toBe("matches invoices")
  expect(query.why("## Invoices", "Invoices", "section")).toBe("section Invoices")
  expect(query.why("nothing", "other")).toBe("near in meaning")
})
