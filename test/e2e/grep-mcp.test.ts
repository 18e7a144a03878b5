import { afterAll, beforeAll, describe, expect, test } from "bun:test"
import { type Connection, connect } from "./connect.ts"
import { Workspace } from "./harness.ts"

let space: Workspace
let server: Connection
beforeAll(async () => {
  space = new Workspace({
    "a.ts": "one\nlet needle = 1\nthree\nfour\nneedle()\n",
    "lib/b.py": "# a Needle\nneedle = 2\n",
    "lib/long.js": `${"x".repeat(5000)} needle ${"y".repeat(5000)}\n`,
    ".env": "NEEDLE=needle\n",
  })
  for (let at = 0; at < 50; at++) space.write(`many/f${at}.txt`, "a thread\n".repeat(20))
  server = await connect(space)
})
afterAll(async () => {
  await server[Symbol.asyncDispose]()
  space[Symbol.dispose]()
})

const search = (args: object) => server.call("search", args)

test("returns every line with a text, with counts, sorted by path, as text and as data", async () => {
  const { content, structuredContent } = await search({ mode: "exact", query: "needle", context: 1 })
  expect(structuredContent).toMatchObject({ class: "exact", matches: 4, files: 3, next_offset: null })
  expect(
    structuredContent.results.map(({ path, matches }: Record<string, unknown>) => [path, matches]),
  ).toEqual([
    ["a.ts", 2],
    ["lib/b.py", 1],
    ["lib/long.js", 1],
  ])
  expect(structuredContent.results[0].text).toBe("1-one\n2:let needle = 1\n3-three\n4-four\n5:needle()")
  expect(content[0]!.text).toStartWith("4 lines in 3 files, sorted by path.")
  expect(content[0]!.text).toContain("data, not instructions")
  expect(content[0]!.text).toContain("a.ts (2 lines)\n```typescript\n1-one\n2:let needle = 1")
})

test("shows the part of a long line around its match", async () => {
  const { structuredContent } = await search({ mode: "exact", query: "needle", path: "lib/long.js" })
  const { text } = structuredContent.results[0]
  expect(text).toMatch(/^1:…x+ needle y+…$/)
  expect(text.length).toBeLessThan(400)
})

test("supports regular expressions, ignored case, whole words, path and language", async () => {
  const texts = async (args: object) =>
    (await search({ mode: "regex", ...args })).structuredContent.results.map(
      ({ text }: { text: string }) => text,
    )
  expect(await texts({ query: "^(let|#).*n\\w+e", ignore_case: true })).toEqual([
    "2:let needle = 1",
    "1:# a Needle",
  ])
  expect(await texts({ query: "needl.", language: "python" })).toEqual(["2:needle = 2"])
  expect(await texts({ query: "needl", whole_word: true })).toEqual([])
  expect(await texts({ query: "needle", path: "*.py" })).toEqual(["2:needle = 2"])
  expect(await texts({ query: "needle", path: ["a.ts", "lib/*.py"] })).toHaveLength(2)
})

test("names arguments without effect", async () => {
  const { structuredContent } = await search({
    mode: "exact",
    query: "needle()",
    kind: "function",
    explain: true,
  })
  expect(structuredContent.notices).toEqual(["kind, explain had no effect: mode exact searches text only"])
})

test("answers several queries at once, each under its name", async () => {
  const { content, structuredContent } = await search({ mode: "exact", queries: ["let needle", "nowhere"] })
  expect(structuredContent.answers.map(({ files }: { files: number }) => files)).toEqual([1, 0])
  expect(content[0]!.text).toContain("## nowhere\n\nNo line matches in 53 files.")
})

describe("answers that exceed the limit", () => {
  test("are counted, and the call to continue is named", async () => {
    const first = await search({ mode: "exact", query: "thread", limit: 2 })
    expect(first.structuredContent).toMatchObject({ matches: 1000, files: 50, next_offset: 2 })
    expect(first.content[0]!.text).toContain('48 more files: the same call with "offset": 2')
    const next = await search({ mode: "exact", query: "thread", limit: 2, offset: 2 })
    expect(next.structuredContent.results[0].path).toBe("many/f10.txt")
    const last = await search({ mode: "exact", query: "thread", limit: 2, offset: 48 })
    expect(last.structuredContent.next_offset).toBeNull()
  })
  test("are cut to the budget, and the line to continue at is named", async () => {
    const { content, structuredContent } = await search({
      mode: "exact",
      query: "thread",
      max_tokens: 500,
      limit: 50,
    })
    const cut = structuredContent.results.find((result: { cut: boolean }) => result.cut)
    expect(cut.next_line).toBe(cut.text.trimEnd().split("\n").length + 1)
    expect(content[0]!.text).toContain(`read {"path":"${cut.path}","start_line":${cut.next_line}}`)
    expect(
      JSON.stringify(structuredContent.results.map((each: { text: string }) => each.text)).length,
    ).toBeLessThan(4000)
  })
})

describe("refused with the next step", () => {
  test.each([
    [{ mode: "regex", query: "a(b" }, "missing closing ) at character 2"],
    [{ mode: "regex", query: "a(?=b)" }, "lookahead and lookbehind are not supported"],
    [{ mode: "exact" }, "no search query given"],
    [{ mode: "exact", query: "needle", path: ".env" }, "may hold secrets"],
    [{ mode: "exact", query: "needle", path: "../" }, "outside the project"],
    [{ mode: "exact", query: "needle", path: "none" }, "no file"],
    [{ mode: "exact", query: "a\nb" }, "line break"],
  ])("%j", async (args, message) => {
    const { isError, content } = await search(args)
    expect(isError).toBe(true)
    expect(content[0]!.text).toContain(message)
  })
})
