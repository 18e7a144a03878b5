import { afterAll, beforeAll, describe, expect, test } from "bun:test"
import type { SearchRequest } from "../src/app/answers.ts"
import { SHOP } from "./e2e/sample.ts"
import { TempProject } from "./temp-project.ts"

// One class among forty functions, all with the query's word, so that no short list of best chunks has it.
const CROWD = [
  ...Array.from(
    { length: 40 },
    (_, i) =>
      `export function parcel${i}(parcel: string): string {\n${"  parcel = parcel + parcel\n".repeat(60)}  return parcel\n}\n`,
  ),
  `export class Depot {\n${'  note = "a long way from any"\n'.repeat(80)}  parcel = ""\n}\n`,
].join("\n")

let shop: TempProject
beforeAll(async () => {
  shop = new TempProject(SHOP)
  await shop.index()
})
afterAll(() => shop[Symbol.dispose]())

const paths = (query: string, request: Partial<SearchRequest> = {}) => shop.paths(query, request)

describe("operators narrow down:", () => {
  test.each<[string, string[]]>([
    ["refund file:billing", ["billing/refund.go", "billing/refund_test.go"]],
    ["refund file:billing -file:_test", ["billing/refund.go"]],
    ["refund -file:*_test.go lang:go", ["billing/refund.go"]],
    ["login hash lang:ts file:/web", ["web/hash.ts", "web/login.ts"]],
    ["kind:class login", ["web/login.ts"]],
    ["sym:LoginForm", ["web/login.ts"]],
    ["sym:Ledger.RefundPayment customer", ["billing/refund.go"]],
    ["sym:loginform", ["web/login.ts"]],
    ["sym:refundpayment kind:class", []],
    ['"too late for a REFUND"', ["billing/refund.go"]],
    ['refund "three days"', ["README.md"]],
    ['refund payment -"package billing"', ["README.md"]],
    ["refund -testing -customer", []],
    ["kind:class file:web", ["web/login.ts"]],
    ["lang:python kind:function", ["tools/report.py"]],
  ])("%s", async (query, expected) => {
    expect((await paths(query, { mode: "keyword" })).sort()).toEqual(expected)
    const hybrid = await paths(query)
    expect(hybrid.filter((path) => expected.includes(path)).sort()).toEqual(expected)
  })
})

test("the query of an answer is what was typed", async () => {
  expect((await shop.search("refund file:billing -file:_test")).query).toBe("refund file:billing -file:_test")
})

test("a kind is found though other chunks of its file answer better", async () => {
  using project = new TempProject({ "crowd.ts": CROWD })
  await project.index()
  const { results } = await project.search("parcel", { kinds: ["class"], mode: "keyword" })
  expect(results).toMatchObject([{ symbol: "Depot", kind: "class", also: [] }])
  expect((await project.search("parcel kind:class")).results).toMatchObject([{ symbol: "Depot" }])
})

test("the place shown is the one that holds the phrase", async () => {
  const [first] = (await shop.search('"failures >= MAX_ATTEMPTS"')).results
  expect(first).toMatchObject({ path: "web/login.ts" })
  expect(first!.text).toContain("failures >= MAX_ATTEMPTS")
})

test("a phrase that occurs nowhere is searched by its words in a question, and not where it is all of it", async () => {
  const asked = await shop.search('where is the "monthly sums" report')
  expect(asked.results[0]!.path).toBe("tools/report.py")
  expect(asked.notices).toEqual(['nothing contains "monthly sums"; searched for its words'])
  const alone = await shop.search('"monthly sums"')
  expect([alone.results, alone.notices]).toEqual([[], ['nothing contains "monthly sums"']])
})

test("an answer without results names the operators that left none", async () => {
  expect((await shop.search("refund file:nowhere -file:x")).notices).toEqual([
    "nothing was found with file:nowhere -file:x",
  ])
})

test.each([
  "file: lang: kind: sym:",
  '"',
  '""',
  "refund --dry-run",
  "-refund",
  "http://refund",
  "std::hash",
  "a -> b",
  "\0",
])("what is no operator is searched for as text: %j", async (query) => {
  const { notices, results } = await shop.search(query)
  expect(notices.filter((notice) => !notice.startsWith("no word"))).toEqual([])
  expect(results.length > 0).toBe(/[a-z]/.test(query))
})
