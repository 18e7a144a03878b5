import { afterAll, beforeAll, expect, test } from "bun:test"
import fc from "fast-check"
import { searchProject } from "../src/app/search-project.ts"
import { SHOP } from "./e2e/sample.ts"
import { REQUEST, TempProject } from "./temp-project.ts"

let box: TempProject
beforeAll(async () => {
  box = new TempProject(SHOP)
  await box.index()
})
afterAll(() => box[Symbol.dispose]())

const PIECES = [
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
const query = fc.oneof(
  { weight: 5, arbitrary: fc.array(fc.constantFrom(...PIECES), { maxLength: 8 }).map((all) => all.join("")) },
  {
    weight: 5,
    arbitrary: fc.array(fc.constantFrom(...PIECES), { maxLength: 8 }).map((all) => all.join(" ")),
  },
  { weight: 3, arbitrary: fc.string({ unit: "binary" }) },
)

test("10,000 wild queries: an answer in order, or an error in words", async () => {
  const project = box.open()
  let answered = 0
  await fc.assert(
    fc.asyncProperty(query, fc.constantFrom("hybrid" as const, "keyword" as const), async (text, mode) => {
      try {
        const { results } = await searchProject(
          project,
          { ...REQUEST, query: text, mode },
          { refresh: false },
        )
        const scores = results.map(({ score }) => score)
        expect(scores).toEqual(scores.toSorted((a, b) => b - a))
        for (const { path } of results) expect(Object.keys(SHOP)).toContain(path)
        answered++
      } catch (error) {
        expect(error).toMatchObject({ name: "AmanError", message: expect.any(String) })
      }
    }),
    { numRuns: 10_000, seed: 4 },
  )
  expect(answered).toBeGreaterThan(5000)
}, 120_000)
