import { afterAll, beforeAll, expect, test } from "bun:test"
import { Workspace } from "./harness.ts"
import { SHOP } from "./sample.ts"

let shop: Workspace
beforeAll(async () => {
  shop = new Workspace({
    ...SHOP,
    ".gitignore": "local/\n",
    "local/notes.ts": "export const refund = 1\n",
    "assets/blob.ts": "\0\0\0\0 refund",
    ".env": "REFUND_KEY=x\n",
  })
  await shop.run(["index"])
})
afterAll(() => shop[Symbol.dispose]())

const whyNot = (path: string, ...query: string[]) =>
  shop.json(["search", "--why-not", path, "--mode", "keyword", ...query] as [string, ...string[]])

test("reports the rank of a file among the results, and the words that it lacks", async () => {
  expect(await whyNot("billing/refund.go", "--", "refund zeppelin")).toMatchObject({
    ...{
      path: "billing/refund.go",
      query: "refund zeppelin",
      rank: 1,
      first: "billing/refund.go",
      skipped: null,
    },
    ...{ has: ["refund"], lacks: ["zeppelin"], reason: "result 1: it lacks zeppelin" },
  })
})

test("reports a file without any word of the query as below the results", async () => {
  const { rank, has, reason, first } = await whyNot("web/login.ts", "--", "refund zeppelin")
  expect([rank, has]).toEqual([null, []])
  expect(first).toStartWith("billing/")
  expect(reason).toBe("not among the first 200 results: it has none of the query's words")
})

test.each([
  ["local/notes.ts", "local", "ignored"],
  ["assets/blob.ts", "assets/blob.ts", "binary"],
  [".env", ".env", "secret"],
])("reports that %s is not indexed, because %s is skipped as %s", async (path, skipped, reason) => {
  const explained = await whyNot(path, "--", "refund")
  expect(explained).toMatchObject({ skipped: { path: skipped, reason }, rank: null })
  expect(explained.reason).toContain(`is skipped (${reason})`)
})

test("reports that a file does not exist", async () => {
  expect((await whyNot("billing/none.go", "--", "refund")).reason).toBe("there is no such file")
})

test.each([
  [["--lang", "ts", "--", "refund"], ["languages"]],
  [["--path", "web", "--", "refund"], ["paths"]],
  [
    ["--path", "web", "--lang", "ts", "--", "refund"],
    ["paths", "languages"],
  ],
  [["--", "login refund file:web"], ["operators in the query"]],
])("reports that %p excludes a file by %p", async (flags, excluded) => {
  expect(await whyNot("billing/refund.go", ...flags)).toMatchObject({ excluded_by: excluded, rank: null })
})

test("prints one line with the reason for people, and refuses several queries", async () => {
  const { stdout, code } = await shop.run([
    "search",
    "--why-not",
    "./billing/refund.go",
    "--",
    "refund zeppelin",
  ])
  expect([stdout.split("\n")[0]!, code]).toEqual(["billing/refund.go: result 1: it lacks zeppelin", 0])
  const refused = await shop.run(["search", "--why-not", "a", "-e", "one", "-e", "two"])
  expect([refused.code, refused.stderr]).toEqual([2, expect.stringContaining("explains one query")])
})
