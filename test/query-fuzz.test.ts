import { afterAll, beforeAll, expect, test } from "bun:test"
import fc from "fast-check"
import { AmanError } from "../src/base/errors.ts"
import type { Project } from "../src/index/open/open-project.ts"
import { searchProject } from "../src/search/answer/search-project.ts"
import { SHOP } from "./e2e/sample.ts"
import { REQUEST, TempProject } from "./temp-project.ts"

const SEED = 20_261_121
const QUERIES = Number(process.env["AMAN_TEST_QUERIES"] ?? 200)

let shop: TempProject
let project: Project
beforeAll(async () => {
  shop = new TempProject(SHOP)
  await shop.index()
  project = shop.open()
})
afterAll(() => shop[Symbol.dispose]())

const PARTS = [
  ...[
    "file:",
    "lang:",
    "sym:",
    "kind:",
    "like:",
    "-",
    "--",
    '"',
    "'",
    "`",
    " ",
    "  ",
    "\n",
    "\t",
    "\0",
    "\u001b[2J",
  ],
  ...[
    "refund",
    "RefundPayment",
    "Ledger.",
    "web/",
    "hash.ts",
    ":3",
    "go",
    "class",
    "*",
    "**/",
    "{a,b}",
    "[",
    "]",
    "(",
    "!",
  ],
  ...[
    "a::b",
    "->",
    "ERR_X1",
    "E0001",
    "http://x",
    "serch",
    "é",
    "数据",
    "ก",
    "ال",
    "\ud800",
    "\udfff",
    "😀",
    "0",
    "\\",
    "$",
  ],
  ...[
    "file:",
    "lang:",
    "sym:",
    "kind:",
    "like:",
    "-",
    "--",
    "-file:",
    '"',
    "''",
    ":",
    "file:**",
    "file:[",
    "lang:go",
  ],
  ...[
    "kind:class",
    "sym:Refund*",
    "RefundPayment",
    "refund_payment",
    "retries",
    "where is",
    "名前",
    "größe",
    "e\u0301",
  ],
  ...[
    "\0",
    "\x1b[2J",
    "\n",
    "\r",
    "\t",
    "\u202e",
    "\ud800",
    "\u{10ffff}",
    "%",
    "*",
    "\\",
    "/",
    "a.go:1",
    "(",
    "{",
    "`",
  ],
  ...["x".repeat(3000), "aB".repeat(500), "a ".repeat(500)],
]

/** Texts of all kinds: what people type, texts made of operators and parts of them, and random characters. */
const query = fc.oneof(
  {
    weight: 6,
    arbitrary: fc.array(fc.constantFrom(...PARTS), { maxLength: 12 }).map((parts) => parts.join("")),
  },
  {
    weight: 2,
    arbitrary: fc.array(fc.constantFrom(...PARTS), { maxLength: 12 }).map((parts) => parts.join(" ")),
  },
  { weight: 2, arbitrary: fc.string({ unit: "binary", maxLength: 60 }) },
  { weight: 1, arbitrary: fc.string({ unit: "grapheme", maxLength: 60 }) },
)

test(`${QUERIES} queries of every kind end in an answer or an error that explains the problem`, async () => {
  const mode = fc.constantFrom("hybrid", "keyword", "semantic")
  let answered = 0
  let asked = 0
  const ask = fc.asyncProperty(query, mode, async (text, mode) => {
    asked++
    try {
      const { results, notices } = await searchProject(
        project,
        { ...REQUEST, limit: 3, query: text, mode },
        { refresh: false },
      )
      expect(results.length).toBeLessThanOrEqual(3)
      const scores = results.map(({ score }) => score)
      expect(scores).toEqual(scores.toSorted((a, b) => b - a))
      for (const { score, path } of results) {
        expect(score).toBeWithin(0, 1.000_001)
        expect(Object.keys(SHOP)).toContain(path)
      }
      expect(notices.length).toBeLessThan(20)
      answered++
    } catch (error) {
      if (!(error instanceof AmanError)) throw error
      expect(["USAGE", "NOT_FOUND"]).toContain(error.code)
      expect(error.message).toEqual(expect.any(String))
    }
  })
  await fc.assert(ask, { seed: SEED, numRuns: QUERIES })
  expect(answered).toBeGreaterThan(asked / 2)
})

test.each([
  ["words", "refund payment "],
  ["one word", "x"],
  ["different words", null],
  ["dots", "."],
  ["quotation marks", '" "'],
  ["operators", "file:a* -sym:b "],
  ["colons", "a:b::"],
  ["accents", "é̂̃"],
  ["Chinese", "数据库连接"],
  ["spaces", "a          "],
])("a query of 100 KB is answered by its beginning, with a notice: %s", async (_, part) => {
  const words = part ?? Array.from({ length: 20_000 }, (_, i) => `w${i.toString(36)} `).join("")
  const text = words.repeat(Math.ceil(100_000 / words.length))
  const { notices } = await searchProject(project, { ...REQUEST, query: text }, { refresh: false })
  expect(notices[0]).toStartWith(`the query has ${text.length} characters`)
})
