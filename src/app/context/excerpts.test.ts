import { expect, test } from "bun:test"
import type { SymbolRow } from "../../store/index/symbols.ts"
import { bestLines, Excerpts } from "./excerpts.ts"
import type { Found } from "./found.ts"
import { QueryWords } from "./query-words.ts"

const symbol = {
  name: "Options",
  kind: "class",
  signature: "class Options",
  startLine: 1,
  endLine: 90,
} as SymbolRow

/** Lines 40 to 42 of a class of ninety. */
function partOf(lines: readonly string[], startLine = 40): Found {
  const body = lines.map((text, i) => ({ number: startLine + i, text }))
  const endLine = startLine + lines.length - 1
  return {
    symbol,
    name: "Options",
    startLine,
    endLine,
    isPart: true,
    body,
    chunk: body,
    text: lines.join("\n"),
  }
}

const query = new QueryWords("the delay")
const PART = ["  retries = 3", "", "  delay = 2"]

test("a part of a definition is told in short by a line of its own, its beginning by the head", () => {
  expect(new Excerpts(partOf(PART), query).signature).toMatchObject({ text: "delay = 2", lines: "40-42" })
  expect(new Excerpts(partOf(["class Options {"], 1), query).signature).toMatchObject({
    text: "class Options",
  })
})

test("in full a part stands in what it is a part of", () => {
  const body = new Excerpts(partOf(PART), query).body(500)
  expect(body?.text).toBe(["class Options", "…", ...PART, "…"].join("\n"))
  expect(body?.why).toEndWith("; part of 1-90")
})

test("a line that stands alone has no indent", () => {
  const found = { ...partOf(["    delay = 2"]), isPart: false }
  expect(new Excerpts(found, query).body(500)?.text).toBe("delay = 2")
})

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
