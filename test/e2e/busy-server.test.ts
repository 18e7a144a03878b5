import { afterAll, beforeAll, describe, expect, test } from "bun:test"
import { randomFrom } from "../random.ts"
import { Workspace } from "./harness.ts"
import { firstMessage, HttpServer, TOKEN } from "./http-server.ts"

/**
 * A slow pattern: the matcher compares each letter with hundreds of the 900 repetitions, so that some 100,000 letters
 * take a second.
 */
const SLOW = { mode: "regex", query: "[a-m][a-z]{900}[0-9]" }

let space: Workspace
let server: HttpServer
beforeAll(async () => {
  // A search of these lines takes minutes; no test waits for its end.
  const random = randomFrom(7)
  const letters = Array.from({ length: 10_000 }, () => String.fromCharCode(97 + Math.floor(random() * 26)))
  const line = letters.join("")
  space = new Workspace({
    "a.txt": "needle\n",
    "b.txt": Array.from({ length: 1200 }, (_, at) => `${line.slice(at)}${line.slice(0, at)}\n`).join(""),
    "lib/price.ts": "export function price(net: number) { return net * 1.2 }\n",
  })
  server = await HttpServer.start(space, { args: ["--token", TOKEN, "--rate", "0"] })
})
afterAll(async () => {
  await server[Symbol.asyncDispose]()
  space[Symbol.dispose]()
})

let id = 1
function callOf(name: string, args: object, method = "tools/call") {
  return { jsonrpc: "2.0", id: id++, method, params: { name, arguments: args } }
}

type Answer = {
  readonly result?: {
    readonly isError?: boolean
    readonly content: readonly { readonly text: string }[]
    // biome-ignore lint/suspicious/noExplicitAny: tests look at the parts they name
    readonly structuredContent?: any
  }
  readonly error?: { readonly code: number; readonly message: string }
}

async function call(session: string, message: object): Promise<Answer> {
  return (await firstMessage(await server.post(message, { "mcp-session-id": session }))) as Answer
}

describe("while one client runs a regular expression that takes very long", () => {
  test("other clients are answered, and the slow one can cancel and continue", async () => {
    const [busy, other] = [await server.open(), await server.open()]
    const slow = callOf("search", SLOW)
    let isOver = false
    const searching = call(busy, slow).then((answer) => {
      isOver = true
      return answer
    })
    const health = await fetch(server.url.replace("/mcp", "/health"))
    expect(await health.json()).toMatchObject({ status: "ok" })
    const found = await call(other, callOf("search", { mode: "exact", query: "needle" }))
    expect(found.result?.structuredContent).toMatchObject({ matches: 1, complete: true })
    const ranked = await call(other, callOf("search", { query: "price" }))
    expect(ranked.result?.structuredContent.results[0].path).toBe("lib/price.ts")
    // The client that started the slow search is answered, too.
    expect((await call(busy, callOf("status", {}))).result?.isError).toBeUndefined()
    expect(isOver).toBe(false)

    const cancel = { jsonrpc: "2.0", method: "notifications/cancelled", params: { requestId: slow.id } }
    await server.post(cancel, { "mcp-session-id": busy })
    expect((await searching).error?.code).toBe(-32800)
    const again = await call(busy, callOf("search", { mode: "regex", query: "need.e" }))
    expect(again.result?.structuredContent).toMatchObject({ matches: 1, complete: true })
  }, 60_000)
})

describe("refused before any work", () => {
  test.each([
    ["(\\pL{1000}){20}", "about 200020 instructions"],
    ["((x{0,30}){0,30}){0,30}", "instructions, at most 20000"],
    ["[^\\pL]{900}".repeat(20), "about 180000 instructions"],
  ])("the pattern %s", async (query, reason) => {
    const { result } = await call(await server.open(), callOf("search", { mode: "regex", query }))
    expect(result?.isError).toBe(true)
    expect(result?.content[0]?.text).toContain(reason)
  })

  test.each([
    ["50,000 globs", { query: "a", path: Array.from({ length: 50_000 }, (_, at) => `**/*${at}*/x`) }],
    [
      "100,000 unknown arguments",
      Object.fromEntries(Array.from({ length: 100_000 }, (_, at) => [`k${at}`, at])),
    ],
    ["200,000 values in lists", { query: "a", kind: Array(25).fill(Array(9000).fill(1)) }],
  ])("%s", async (_, args) => {
    const { error } = await call(await server.open(), callOf("search", args))
    expect(error).toMatchObject({
      code: -32600,
      message: expect.stringMatching(/may have at most \d+ values/),
    })
  })

  test("refuses too many globs, and one that is too long for a path", async () => {
    const session = await server.open()
    for (const path of [Array(101).fill("src"), "*a".repeat(3000)]) {
      const { result } = await call(session, callOf("search", { query: "price", path }))
      expect(result?.content[0]?.text).toContain("Wrong arguments for search")
    }
  })

  test("refuses thousands of relations in one call", async () => {
    const relations = Array.from({ length: 100 }, (_, at) => ({ from: `a${at}`, to: "b", type: "uses" }))
    const entries = Array.from({ length: 11 }, (_, at) => ({ text: `entry ${at}`, relations }))
    const { result } = await call(await server.open(), callOf("remember", { entries }))
    expect(result?.content[0]?.text).toContain("one call can store at most 1000 relations, not 1100")
  })
})

describe("recall", () => {
  test.each([
    ["words that nobody knows", (at: number) => `w${at.toString(36)}x${(at * 7919).toString(36)} `],
    ["one run of Chinese characters", () => "漢字仮名"],
    ["one name of 10,000 parts", () => "aB"],
    ["one name of 10,000 parts with dashes", () => "a-"],
  ])("of %s uses only the beginning and says so", async (_, part) => {
    const session = await server.open()
    await call(session, callOf("remember", { text: "Prices are kept net of tax.", topic: "billing" }))
    const query = `prices net ${Array.from({ length: 20_000 }, (__, at) => part(at)).join("")}`.slice(
      0,
      20_000,
    )
    const { result } = await call(session, callOf("recall", { query }))
    expect(result?.structuredContent.notices).toEqual([
      "the question has 20000 characters, and only the first 4000 were used; ask a shorter question",
    ])
    expect(result?.structuredContent.results[0].text).toContain("Prices are kept net")
  })
})
