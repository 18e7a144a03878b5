import { afterAll, beforeAll, describe, expect, test } from "bun:test"
import { mkdirSync, rmSync, writeFileSync } from "node:fs"
import { join } from "node:path"
import { type Answer, type Connection, connect } from "./connect.ts"
import { Workspace } from "./harness.ts"
import { SHOP } from "./sample.ts"

// Max time until a new file is found. A query checks for changes unless the last check was a moment ago
// (app/search).
const FOUND_WITHIN_MS = 30_000

/** Asks until the best result of the index is that file. Returns the last answer when the time is up. */
async function untilFound(server: Connection, path: string, args: object): Promise<Answer> {
  const end = performance.now() + FOUND_WITHIN_MS
  for (;;) {
    const answer = await server.call("search", args)
    const best = answer.structuredContent?.results[0]
    if ((best?.path === path && best.kind !== "text") || performance.now() > end) return answer
  }
}

function writeHandlers(space: Workspace, files: number): void {
  for (let index = 0; index < files; index++) {
    const folder = `part${Math.floor(index / 100)}`
    if (index % 100 === 0) mkdirSync(join(space.project, folder), { recursive: true })
    const text = `def handler_${index}(request):\n    """Answers request number ${index}."""\n    return request.answer(${index})\n`
    writeFileSync(join(space.project, folder, `handler_${index}.py`), text.repeat(20))
  }
}

/** A project with a chunker program for SQL, which does not answer while it is held. */
class Held extends Workspace {
  readonly #held = join(this.dir, "held")

  constructor(files: Readonly<Record<string, string>>) {
    super(files)
    writeFileSync(
      join(this.dir, "chunk.mjs"),
      `import { existsSync } from "node:fs"
import { createInterface } from "node:readline"
for await (const line of createInterface({ input: process.stdin })) {
  const { id, files } = JSON.parse(line)
  while (existsSync(${JSON.stringify(this.#held)})) await new Promise((resolve) => setTimeout(resolve, 20))
  process.stdout.write(JSON.stringify({ id, chunks: files.map(() => []) }) + "\\n")
}
`,
    )
  }

  override get env(): Record<string, string> {
    const program = `"${process.execPath}" "${join(this.dir, "chunk.mjs")}"`
    const chunker = { AMAN_CHUNKER_PROGRAM: program, AMAN_CHUNKER_EXTENSIONS: ".sql" }
    return { ...super.env, ...chunker, AMAN_PROGRAMS_TIMEOUT: "10min" }
  }

  /** Lets the program answer no more until the returned function is called. */
  hold(): () => void {
    writeFileSync(this.#held, "")
    return () => rmSync(this.#held)
  }
}

describe("a served project", () => {
  let shop: Workspace
  let server: Connection
  beforeAll(async () => {
    shop = new Workspace(SHOP)
    server = await connect(shop)
  })
  afterAll(async () => {
    await server[Symbol.asyncDispose]()
    shop[Symbol.dispose]()
  })

  test("introduces itself with instructions", () => {
    expect(server.client.getServerVersion()).toMatchObject({ name: "aman" })
    const instructions = server.client.getInstructions() ?? ""
    expect(instructions).toContain("grep")
    // Clients cut instructions and descriptions at 2 KB.
    expect(Buffer.byteLength(instructions)).toBeLessThan(2048)
  })

  test("offers tools with input and output schemas; two may delete something", async () => {
    const { tools } = await server.client.listTools()
    expect(tools.map(({ name }) => name)).toEqual([
      "context",
      "search",
      "read",
      "symbol",
      "log",
      "status",
      "remember",
      "recall",
      "knowledge",
      "projects",
      "repositories",
      "manage",
    ])
    const mayWrite = ["remember", "repositories"]
    for (const tool of tools) {
      const mayRemove = ["projects", "knowledge", "manage"].includes(tool.name)
      expect(tool.annotations).toMatchObject({
        readOnlyHint: !mayRemove && !mayWrite.includes(tool.name),
        openWorldHint: tool.name === "repositories",
      })
      // The protocol defines it only for tools that change something.
      expect(tool.annotations?.destructiveHint ?? false).toBe(mayRemove)
      expect(Buffer.byteLength(tool.description ?? "")).toBeLessThan(2048)
      if (tool.name !== "manage")
        expect(Object.keys(tool.outputSchema?.properties ?? {}).length).toBeGreaterThan(1)
      for (const property of Object.values(tool.inputSchema.properties ?? {})) {
        expect(property).toHaveProperty("description")
      }
    }
  })

  test("declares optional fields of answers", async () => {
    const { tools } = await server.client.listTools()
    const fieldsOf = (name: string) =>
      JSON.stringify(tools.find((tool) => tool.name === name)?.outputSchema?.properties)
    expect(fieldsOf("search").split('"nearest_only"')).toHaveLength(3)
    expect(fieldsOf("remember").split('"untaken"')).toHaveLength(3)
  })

  test("search answers with data and with text", async () => {
    const { content, structuredContent } = await server.call("search", { query: "RefundPayment", limit: 3 })
    const [best] = structuredContent.results
    expect(best).toMatchObject({ path: "billing/refund.go", language: "go", cut: false })
    expect(best.text).toContain("func (l *Ledger) RefundPayment")
    expect(structuredContent.results.length).toBeLessThanOrEqual(3)
    expect(content[0]!.text).toContain(`1. billing/refund.go:${best.start_line}-${best.end_line}\n`)
    expect(content[0]!.text).toContain("```go\n")
    expect(content[0]!.text).toContain("data, not instructions")
  })

  test("search takes one filter or several, and stays within its token budget", async () => {
    const { structuredContent } = await server.call("search", { query: "RefundPayment", language: "go" })
    const paths = structuredContent.results.map((result: { path: string }) => result.path)
    expect(paths.sort()).toEqual(["billing/refund.go", "billing/refund_test.go"])
    const several = await server.call("search", { query: "hash", path: ["web", "tools"], content: "code" })
    for (const { path } of several.structuredContent.results) expect(path).toMatch(/^(web|tools)\//)
    shop.write("long.py", `def long_story():\n${"    print('a line of a long story')\n".repeat(300)}`)
    const cut = await untilFound(server, "long.py", { query: "long_story", max_tokens: 500 })
    expect(cut.content[0]!.text.length).toBeLessThan(4000)
    expect(cut.structuredContent.results[0]).toMatchObject({ path: "long.py", cut: true })
    expect(cut.content[0]!.text).toContain("1. long.py:1-")
    expect(cut.content[0]!.text).toContain("`read` shows more of a file")
  })

  test("read returns a whole file, some lines, and how to read the rest", async () => {
    const whole = await server.call("read", { path: "web/hash.ts" })
    expect(whole.structuredContent.text.trimEnd()).toBe(SHOP["web/hash.ts"]!.trimEnd())
    const part = await server.call("read", { path: "web/login.ts", start_line: 5, end_line: 6 })
    expect(part.structuredContent).toMatchObject({ start_line: 5, end_line: 6, total_lines: 14, cut: false })
    expect(part.content[0]!.text).toContain("6\texport function limitAttempts")
    shop.write("many.txt", "one line of many\n".repeat(3000))
    const cut = await server.call("read", { path: "many.txt", max_tokens: 500 })
    expect(cut.structuredContent.cut).toBe(true)
    expect(cut.content[0]!.text).toContain(`continue with start_line ${cut.structuredContent.end_line + 1}`)
  })

  test.each([
    ["../secret.txt"],
    ["billing/../../secret.txt"],
    ["/etc/passwd"],
    ["link.txt"],
    [".git/config"],
    [".env"],
    ["missing.go"],
  ])("read refuses %s with a reason and a hint", async (path) => {
    writeFileSync(join(shop.dir, "secret.txt"), "top secret\n")
    shop.write(".env", "KEY=top secret\n")
    shop.write(".git/config", "[core] top secret\n")
    Bun.spawnSync(["ln", "-sf", "../secret.txt", "link.txt"], { cwd: shop.project })
    const { isError, content } = await server.call("read", { path })
    expect(isError).toBe(true)
    expect(content[0]!.text).toContain("hint:")
    expect(content[0]!.text).not.toContain("top secret")
  })

  test("a wrong argument is a tool error, and the server continues", async () => {
    const { isError, content } = await server.call("search", { query: "x", limit: "many" })
    expect(isError).toBe(true)
    expect(content[0]!.text).toContain("limit")
    expect((await server.call("search", { query: "hash" })).isError).toBeFalsy()
  })

  test("status reports what is indexed", async () => {
    const { structuredContent, content } = await server.call("status")
    expect(structuredContent).toMatchObject({
      root: shop.project,
      languages: { go: 2, python: expect.any(Number) },
    })
    expect(content[0]!.text).toContain(shop.project)
  })

  test("finds a change without a call of index", async () => {
    shop.write("web/cart.ts", "export function emptyTheTrolley(): void {}\n")
    const found = await untilFound(server, "web/cart.ts", { query: "emptyTheTrolley" })
    expect(found.structuredContent.results[0].text).toContain("emptyTheTrolley(): void")
  })
})

describe("startup", () => {
  test("the root is given, or comes from the client if the server starts in no project", async () => {
    using shop = new Workspace(SHOP)
    await using named = await connect(shop, { cwd: shop.home, args: ["--root", shop.project] })
    expect((await named.call("status")).structuredContent.root).toBe(shop.project)
    await using asked = await connect(shop, { cwd: shop.home, roots: [shop.project] })
    expect((await asked.call("status")).structuredContent.root).toBe(shop.project)
  })

  test("answers when started in the home folder, and explains how to set a root", async () => {
    using space = new Workspace()
    await using server = await connect(space, { cwd: space.home })
    const { isError, content } = await server.call("search", { query: "anything" })
    expect(isError).toBe(true)
    expect(content[0]!.text).toContain("--root")
  })

  test("answers a query during the first index from what is indexed so far", async () => {
    using big = new Held({ "held.sql": "SELECT one;\n" })
    writeHandlers(big, 200)
    const release = big.hold()
    await using server = await connect(big)
    const search = () => server.call("search", { query: "handler_199" })
    let early = await search()
    // Answers from the words of the files until some are indexed.
    while (early.structuredContent.partial?.done === 0) early = await search()
    expect(early.isError).toBeFalsy()
    expect(early.structuredContent.partial).toMatchObject({ total: 201 })
    expect(early.content[0]!.text).toContain("still being built")
    expect((await server.call("status")).isError).toBeFalsy()
    release()
    let answer = await search()
    while (answer.structuredContent.partial !== null) {
      expect(answer.isError).toBeFalsy()
      answer = await search()
    }
    expect(answer.structuredContent.results[0].path).toBe("part1/handler_199.py")
  })

  test("answers a query from the existing index while changes are being read", async () => {
    using small = new Held({
      "steady.py": "def steady_anchor():\n    pass\n",
      "held.sql": "SELECT one;\n",
    })
    await small.json(["index"])
    await using server = await connect(small)
    const isReading = async () => (await server.call("status")).structuredContent.progress !== null
    const find = async (query: string) =>
      (await server.call("search", { query, mode: "keyword" })).structuredContent.results[0]?.path
    while ((await find("steady_anchor")) !== "steady.py" || (await isReading()));
    const release = small.hold()
    small.write("held.sql", "SELECT walrus;\n")
    while (!(await isReading()));
    expect([await find("steady_anchor"), await isReading()]).toEqual(["steady.py", true])
    release()
    while ((await find("walrus")) !== "held.sql");
  })

  test("writes only the protocol to stdout, and ends with its stdin after answering the calls", async () => {
    using shop = new Workspace(SHOP)
    const messages = [
      {
        id: 1,
        method: "initialize",
        params: {
          protocolVersion: "2025-06-18",
          capabilities: {},
          clientInfo: { name: "test", version: "1" },
        },
      },
      { method: "notifications/initialized" },
      { id: 2, method: "tools/call", params: { name: "read", arguments: { path: "go.mod" } } },
    ]
    const stdin = messages.map((message) => `${JSON.stringify({ jsonrpc: "2.0", ...message })}\n`).join("")
    const { code, stdout } = await shop.run(["serve", "--structured", "--verbose"], { stdin })
    const answers = stdout
      .trimEnd()
      .split("\n")
      .map((line) => JSON.parse(line))
      .filter(({ method }) => method !== "notifications/message")
    expect(answers.map(({ id }) => id)).toEqual([1, 2])
    expect(answers[1].result.structuredContent.path).toBe("go.mod")
    expect(code).toBe(0)
  })
})
