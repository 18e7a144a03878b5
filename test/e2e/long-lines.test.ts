import { afterAll, beforeAll, expect, test } from "bun:test"
import { pathToFileURL } from "node:url"
import { type Connection, connect } from "./connect.ts"
import { Workspace } from "./harness.ts"

// 900 KB in one line, with characters of two UTF-16 units where pieces are cut.
const LONG = `[${Array.from({ length: 30_000 }, (_, i) => `{"id":${i},"name":"𝒳${i}"}`).join(",")}]`
const THREE = `first\n${LONG.slice(0, 100_000)}\nlast\n`

let space: Workspace
let server: Connection
beforeAll(async () => {
  space = new Workspace({ "data.json": LONG, "three.txt": THREE, "many.txt": "a line\n".repeat(50_000) })
  server = await connect(space)
})
afterAll(async () => {
  await server[Symbol.asyncDispose]()
  space[Symbol.dispose]()
})

test("read over MCP returns a long line in pieces that give the file again, and says how to continue", async () => {
  let [read, pieces] = ["", 0]
  for (let next: object | undefined = {}; next !== undefined; pieces++) {
    const { structuredContent: piece, content } = await server.call("read", {
      ...{ path: "data.json", max_tokens: 20_000 },
      ...next,
    })
    read += piece.text
    next = piece.next
    expect(piece.cut).toBe(next !== undefined)
    if (next !== undefined)
      expect(content[0]!.text).toContain(`Cut: continue with start_line 1, start_column ${read.length + 1}.`)
  }
  expect(read).toBe(LONG)
  expect(pieces).toBeGreaterThan(5)
  expect(pieces).toBeLessThan(40)
})

test("read over MCP cuts between lines where it can, within one only where it must", async () => {
  const first = (await server.call("read", { path: "three.txt" })).structuredContent
  expect(first).toMatchObject({ text: "first\n", end_line: 1, next: { start_line: 2 } })
  let piece = (await server.call("read", { path: "three.txt", ...first.next })).structuredContent
  while (piece.next !== undefined) {
    expect(piece).toMatchObject({ start_line: 2, end_line: 2, next: { start_line: 2 } })
    piece = (await server.call("read", { path: "three.txt", ...piece.next })).structuredContent
  }
  expect(piece).toMatchObject({ start_line: 2, end_line: 3, cut: false })
  expect(piece.text).toEndWith("\nlast")
})

test("read refuses a column behind the end of the line", async () => {
  const { content, isError } = await server.call("read", {
    path: "three.txt",
    start_line: 1,
    start_column: 7,
  })
  expect(isError).toBe(true)
  expect(content[0]!.text).toContain("line 1 of three.txt has 5 characters")
})

test("aman read returns pieces and says how to continue", async () => {
  const one = await space.run(["read", "data.json", "--max-tokens", "1000"])
  const [, column] = /continue with --lines 1- --column (\d+)/.exec(one.stderr)!
  expect(one.stdout.trimEnd()).toBe(LONG.slice(0, Number(column) - 1))
  const two = await space.json([
    "read",
    "data.json",
    "--lines",
    "1-",
    "--column",
    column!,
    "--max-tokens",
    "1000",
  ])
  expect(two.text).toBe(LONG.slice(Number(column) - 1, two.next.start_column - 1))
  expect((await space.run(["read", "data.json"])).stdout).toBe(`${LONG}\n`)
})

test("resources/read is bounded, and says how to read on", async () => {
  for (const [path, next] of [
    ["data.json", /"path": "data.json", "start_line": 1, "start_column": \d+/],
    ["many.txt", /"path": "many.txt", "start_line": \d+/],
  ] as const) {
    const uri = pathToFileURL(`${space.project}/${path}`).href
    const [content] = (await server.client.readResource({ uri })).contents as { text: string }[]
    expect(content!.text.length).toBeLessThan(90_000)
    expect(content!.text.split("\n").at(-1)).toMatch(next)
  }
  const uri = pathToFileURL(`${space.project}/three.txt`).href
  expect((await server.client.readResource({ uri })).contents).toMatchObject([
    { text: expect.stringContaining("first") },
  ])
})
