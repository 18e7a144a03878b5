import { afterAll, beforeAll, describe, expect, test } from "bun:test"
import { countTokens } from "gpt-tokenizer/encoding/o200k_base"
import { type Connection, connect } from "./connect.ts"
import { Workspace } from "./harness.ts"
import { SHOP } from "./sample.ts"

/**
 * Max tokens that a client puts into its model's context at the start: all tool definitions and the
 * instructions.
 */
const MAX_TOKENS = 2000

let shop: Workspace
let agent: Connection
beforeAll(async () => {
  shop = new Workspace({ ...SHOP, ".env": "KEY=1\n" })
  await shop.json(["index"])
  agent = await connect(shop, { isPlain: true })
})
afterAll(async () => {
  await agent[Symbol.asyncDispose]()
  shop[Symbol.dispose]()
})

const namesOf = async ({ client }: Connection) => (await client.listTools()).tools.map(({ name }) => name)
const textOf = async (name: string, args: object) => {
  const { content, isError } = await agent.call(name, args)
  return { text: content[0]!.text, isError: isError ?? false }
}

describe("listed tools", () => {
  test("take at most 2,000 tokens of o200k with the instructions, and have no output schemas", async () => {
    const { tools } = await agent.client.listTools()
    const instructions = agent.client.getInstructions() ?? ""
    expect(countTokens(JSON.stringify(tools)) + countTokens(instructions)).toBeLessThanOrEqual(MAX_TOKENS)
    expect(tools.filter((tool) => tool.outputSchema !== undefined)).toEqual([])
    expect(tools.map(({ name }) => name)).toEqual([
      "context",
      "search",
      "read",
      "symbol",
      "remember",
      "recall",
      "manage",
    ])
    for (const { inputSchema } of tools)
      for (const property of Object.values(inputSchema.properties ?? {}))
        expect(property).toHaveProperty("description")
  })

  test("ask Claude Code to show context and search at once, and leaves it the names of the others", async () => {
    const { tools } = await agent.client.listTools()
    const shown = tools.filter(({ _meta }) => _meta?.["anthropic/alwaysLoad"] === true)
    expect(shown.map(({ name }) => name)).toEqual(["context", "search"])
  })

  test.each([
    ["code", ["context", "search", "read", "symbol", "manage"]],
    ["memory", ["remember", "recall", "manage"]],
  ])("--tools %s", async (profile, names) => {
    await using server = await connect(shop, { isPlain: true, args: ["--tools", profile] })
    expect(await namesOf(server)).toEqual(names)
  })

  test("full lists every argument; remember takes at most 600 tokens of o200k, knowledge 900", async () => {
    await using full = await connect(shop, { isPlain: true, args: ["--tools", "full"] })
    const { tools } = await full.client.listTools()
    const tokensOf = (name: string) => countTokens(JSON.stringify(tools.find((tool) => tool.name === name)))
    expect(tokensOf("remember")).toBeLessThanOrEqual(600)
    expect(tokensOf("knowledge")).toBeLessThanOrEqual(900)
    await using program = await connect(shop)
    for (const { name, inputSchema } of (await program.client.listTools()).tools) {
      const listed = tools.find((tool) => tool.name === name)!
      expect(Object.keys(listed.inputSchema.properties!)).toEqual(Object.keys(inputSchema.properties!))
    }
    const relations = [{ from: "shop", to: "ledger", type: "uses" }]
    const stored = await full.call("remember", { entries: [{ text: "The shop books there.", relations }] })
    expect(stored.content[0]!.text).toContain("stored")
    expect((await full.call("knowledge", { action: "related", entity: "shop" })).content[0]!.text).toContain(
      "ledger",
    )
  })

  test("refuses an unknown profile before serving anything", async () => {
    const { code, stderr } = await shop.run(["serve", "--tools", "all"], { stdin: "" })
    expect({ code, stderr }).toMatchObject({ code: 2, stderr: expect.stringContaining("default, full") })
  })

  test("answers calls of tools that are not listed", async () => {
    expect((await agent.call("status")).content[0]!.text).toContain(shop.project)
    expect((await agent.call("knowledge", { action: "stats" })).isError).toBeFalsy()
    expect(await textOf("nothing", {})).toMatchObject({
      isError: true,
      text: expect.stringContaining("manage"),
    })
  })
})

describe("answers", () => {
  test("have no structuredContent, and the same text as with --structured", async () => {
    await using program = await connect(shop, { isPlain: true, args: ["--structured"] })
    const plain = await agent.call("read", { path: "go.mod" })
    const both = await program.call("read", { path: "go.mod" })
    expect(plain.structuredContent).toBeUndefined()
    expect(both.structuredContent).toMatchObject({ path: "go.mod" })
    expect(plain.content).toEqual(both.content)
  })
})

describe("manage", () => {
  test("reaches the tools that are not listed, by tool and by action alone", async () => {
    const stored = await textOf("remember", { text: "Refunds are booked at night.", topic: "billing" })
    const id = /stored (\S+) in/.exec(stored.text)![1]!
    expect((await textOf("manage", { action: "status" })).text).toContain(shop.project)
    expect((await textOf("manage", { tool: "status" })).text).toContain(shop.project)
    const skipped = { tool: "status", arguments: { skipped: true } }
    expect((await textOf("manage", skipped)).text).toBe("secret: .env")
    expect((await textOf("manage", { tool: "status", skipped: "medai" })).text).toContain(
      "reasons here: secret",
    )
    expect((await textOf("manage", { action: "topics" })).text).toContain("billing")
    expect((await textOf("manage", { tool: "knowledge", action: "history", id })).text).toContain("at night")
    expect((await textOf("manage", { action: "get", arguments: { ids: [id] } })).text).toContain("at night")
    expect((await textOf("manage", { action: "projects" })).text).toContain(shop.project)
    expect((await textOf("manage", { action: "repositories" })).isError).toBe(false)
  })

  test("help lists the arguments of a tool, of the listed ones as well", async () => {
    const { text } = await textOf("manage", { tool: "knowledge", action: "help" })
    for (const argument of ["reconstruct", "- successor", "- known_at"]) expect(text).toContain(argument)
    expect((await textOf("manage", { tool: "search", action: "help" })).text).toContain("- whole_word")
    expect((await textOf("manage", {})).text).toContain("knowledge")
  })

  test("names the known tools and actions for an unknown one", async () => {
    const { isError, text } = await textOf("manage", { tool: "weather", action: "list" })
    expect({ isError, text }).toMatchObject({ isError: true, text: expect.stringContaining("repositories") })
    expect(await textOf("manage", { action: "fly" })).toMatchObject({ isError: true })
    expect(await textOf("manage", { tool: "knowledge", action: "fly" })).toMatchObject({ isError: true })
  })
})

describe("guessed argument names", () => {
  test.each([
    ["search", { q: "RefundPayment" }, "billing/refund.go"],
    ["search", { text: "RefundPayment", max_results: 1 }, "billing/refund.go"],
    ["search", { query: "RefundPayment", maxTokens: 500, limit: null }, "billing/refund.go"],
    ["search", { query: "RefundPayment", file: "billing" }, "billing/refund.go"],
    ["context", { task: "change how refunds work" }, "billing/refund.go"],
    ["read", { file_path: "go.mod", start: 1, end: 1 }, "go.mod:1-1"],
    ["symbol", { symbol: "RefundPayment", type: "callers" }, "refund"],
    ["remember", { content: "Guessed names are understood.", topic: "names" }, "stored"],
    ["recall", { question: "which names are understood" }, "Guessed names"],
  ])("%s %j", async (tool, args, expected) => {
    expect(await textOf(tool, args)).toMatchObject({
      isError: false,
      text: expect.stringContaining(expected),
    })
  })

  test("an unknown name is refused with the names that the tool takes", async () => {
    const { isError, text } = await textOf("search", { query: "x", colour: "red" })
    expect(isError).toBe(true)
    expect(text).toContain('no argument "colour"; it takes query')
  })
})

describe("search", () => {
  test("shows the lines that answer, within about 1,500 tokens, and one line of each other file", async () => {
    for (let part = 0; part < 12; part++) {
      const body = `  // step ${part}\n  total += convert(amount, ${part})\n`.repeat(25)
      const text = `export function settleInvoice${part}(amount: number) {\n  let total = 0\n${body}}\n`
      shop.write(`ledger/settle${part}.ts`, text)
    }
    await shop.json(["index"])
    const { text } = await textOf("search", { query: "how is an invoice settled and the amount converted" })
    // Above 1,500, because the server estimates tokens by characters, and this code has more tokens per
    // character than most.
    expect(countTokens(text)).toBeLessThan(2000)
    expect(text).toMatch(/1\. ledger\/settle\d+\.ts:1-\d+\n```typescript\nexport function settleInvoice/)
    expect(text).toMatch(/10\. ledger\/settle\d+\.ts:1 export function settleInvoice\d+\(amount: number\)/)
    const more = await textOf("search", { query: "how is an invoice settled", max_tokens: 6000 })
    expect(more.text.length).toBeGreaterThan(2 * text.length)
  })

  test("a query of which no word occurs is answered in less than 150 tokens", async () => {
    const { text } = await textOf("search", { query: "zzqxv blorptang fnord" })
    expect(countTokens(text)).toBeLessThan(150)
    expect(text).toContain("no word of the query occurs")
  })

  test("why_not says why a file is not found", async () => {
    const at = await textOf("search", { query: "RefundPayment", why_not: "billing/refund.go" })
    expect(at.text).toStartWith("billing/refund.go: result 1")
    const missing = await textOf("search", { query: "RefundPayment", why_not: "nowhere.go" })
    expect(missing.text).toContain("there is no such file")
    const several = await textOf("search", { queries: ["a", "b"], why_not: "nowhere.go" })
    expect(several.isError).toBe(true)
  })
})
