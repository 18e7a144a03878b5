import { afterAll, beforeAll, describe, expect, test } from "bun:test"
import { readdirSync } from "node:fs"
import { basename, join } from "node:path"
import { pathToFileURL } from "node:url"
import { Client, StreamableHTTPClientTransport } from "@modelcontextprotocol/client"
import { StdioClientTransport } from "@modelcontextprotocol/client/stdio"
import { Client as OldClient } from "@modelcontextprotocol/sdk/client/index.js"
import { StreamableHTTPClientTransport as OldTransport } from "@modelcontextprotocol/sdk/client/streamableHttp.js"
import { commit, git } from "../git-repository.ts"
import { binary, Workspace } from "./harness.ts"
import { HttpServer, INITIALIZE, JSON_BOTH, TOKEN } from "./http-server.ts"

const SHOP = {
  "package.json": "{}",
  "src/refund.ts":
    "/** Gives a customer's money back. */\nexport function refundPayment(id: string) {\n  return id\n}\n",
  "src/shared.ts": "export const currency = 'EUR'\n",
}
const LEDGER = {
  "go.mod": "module ledger\n",
  "book/entry.go":
    "package book\n\n// PostEntry books an entry in the ledger.\nfunc PostEntry(id string) string {\n\treturn id\n}\n",
}

let shop: Workspace
let ledger: Workspace
beforeAll(() => {
  shop = new Workspace(SHOP)
  ledger = new Workspace(LEDGER)
  for (const [{ project }, message] of [
    [shop, "Refund customers"],
    [ledger, "Book the first entry"],
  ] as const) {
    git(project, "init", "-q", "-b", "main")
    commit(project, message)
  }
})
afterAll(() => {
  shop[Symbol.dispose]()
  ledger[Symbol.dispose]()
})

type Start = {
  readonly cwd?: string
  readonly roots?: readonly string[]
  readonly env?: Readonly<Record<string, string>>
}

/** A client of either line of versions whose workspace has these roots, which are sent as they are. */
async function started(version: "modern" | "legacy", { cwd = shop.dir, roots, env = {} }: Start) {
  const client = new Client(
    { name: "test", version: "1" },
    {
      capabilities: roots === undefined ? {} : { roots: { listChanged: true } },
      versionNegotiation: { mode: version === "legacy" ? "legacy" : { pin: "2026-07-28" } },
    },
  )
  // Registered as a method of its own, because the SDK refuses to send a root that is no URI.
  if (roots !== undefined)
    client.setRequestHandler("roots/list", () => ({ roots: roots.map((uri) => ({ uri })) }) as never)
  const transport = new StdioClientTransport({
    command: binary,
    args: ["serve"],
    cwd,
    env: { ...shop.env, ...env },
    stderr: "ignore",
  })
  await client.connect(transport)
  const call = async (name: string, args: object): Promise<string> => {
    const { content } = await client.callTool({ name, arguments: { ...args } })
    const [first] = content as { text: string }[]
    return first!.text
  }
  return { client, call, [Symbol.asyncDispose]: () => client.close() }
}

/** Name of the root in answers: both folders are called "project". */
const nameOf = ({ dir }: Workspace) => `${basename(dir)}/project`
const urisOf = (...spaces: readonly Workspace[]) => spaces.map(({ project }) => pathToFileURL(project).href)

describe.each(["legacy", "modern"] as const)("a workspace with two roots, %s", (version) => {
  const open = () => started(version, { roots: urisOf(shop, ledger) })

  test("both are searched, and results name their root", async () => {
    await using agent = await open()
    const found = await agent.call("search", { query: "PostEntry refundPayment" })
    expect(found).toMatch(/^\d\. \S+ src\/refund\.ts/m)
    expect(found).toMatch(/^\d\. \S+ book\/entry\.go/m)
    expect(await agent.call("search", { query: "books an entry", mode: "exact" })).toContain("book/entry.go")
    const context = await agent.call("context", { query: "book the refund in the ledger with PostEntry" })
    expect(context).toContain("func PostEntry")
    expect(context).not.toContain("unknown")
    expect(await agent.call("manage", { action: "status" })).toContain("several folders are served")
  })

  test("a file is read by its path, with its root, and by its full path", async () => {
    await using agent = await open()
    const name = /\d\. (\S+) book\/entry\.go/.exec(await agent.call("search", { query: "PostEntry" }))![1]!
    for (const args of [
      { path: "book/entry.go" },
      { path: "book/entry.go", repository: name },
      { path: `${name}/book/entry.go` },
      { path: join(ledger.project, "book/entry.go") },
      { path: `${pathToFileURL(ledger.project).href}/book/entry.go:4-6` },
    ])
      expect(await agent.call("read", args)).toContain("func PostEntry")
    expect(await agent.call("read", { path: "src/refund.ts" })).toContain("refundPayment")
    expect(await agent.call("read", { path: "none.ts" })).toContain("no file")
    const only = await agent.call("search", { query: "entry refund", path: `${name}/book` })
    expect(only).toContain("book/entry.go")
    expect(only).not.toContain("src/refund.ts")
  })

  test("symbols are found in both, by name, place and file", async () => {
    await using agent = await open()
    expect(await agent.call("symbol", { name: "PostEntry" })).toContain("book/entry.go:4-6")
    expect(await agent.call("symbol", { name: "refundPayment" })).toContain("src/refund.ts:2-4")
    expect(await agent.call("symbol", { name: "book/entry.go:5" })).toContain("PostEntry")
    expect(await agent.call("symbol", { relation: "outline", path: "book/entry.go" })).toContain(
      "func PostEntry",
    )
    expect(await agent.call("symbol", { name: "PostEntry", relation: "impact" })).toContain("book/entry.go")
    expect(await agent.call("symbol", { name: "NoSuchThing" })).toContain("no definition")
  })

  test("files of both are resources", async () => {
    await using agent = await open()
    await agent.call("search", { query: "PostEntry" })
    const names: string[] = []
    let cursor: string | undefined
    do {
      const page = await agent.client.listResources(cursor === undefined ? {} : { cursor })
      names.push(...page.resources.map(({ name }) => name))
      cursor = page.nextCursor
    } while (cursor !== undefined)
    expect(names).toContain("src/refund.ts")
    expect(names).toContain("book/entry.go")
    const { contents } = await agent.client.readResource({ uri: `${urisOf(ledger)[0]}/book/entry.go` })
    expect(JSON.stringify(contents)).toContain("PostEntry")
  })

  test("a change in the second is told", async () => {
    // A file of its own: the other tests find theirs unchanged.
    ledger.write("told.txt", "none\n")
    await using agent = await open()
    await agent.call("search", { query: "PostEntry" })
    const uri = `${urisOf(ledger)[0]}/told.txt`
    const told = Promise.withResolvers<string>()
    agent.client.setNotificationHandler("notifications/resources/updated", ({ params }) =>
      told.resolve(params.uri),
    )
    if (version === "modern") await agent.client.listen({ resourceSubscriptions: [uri] })
    else await agent.client.subscribeResource({ uri })
    let isTold = false
    void told.promise.then(() => {
      isTold = true
    })
    // Again and again, because the first check only notes the state.
    for (let edit = 1; !isTold; edit++) {
      ledger.write("told.txt", `${version} ${edit}\n`)
      await Bun.sleep(300)
    }
    expect(await told.promise).toBe(uri)
  })

  test("a folder that cannot be served is named once, and by status", async () => {
    await using agent = await started(version, {
      roots: [...urisOf(shop), "file:///c%3A/no/such", "vscode-remote://x"],
    })
    const { content } = await agent.client.callTool({ name: "read", arguments: { path: "src/refund.ts" } })
    const notes = content as { text: string }[]
    expect(notes[1]!.text).toContain("file:///c%3A/no/such of the client is not served: it does not exist")
    expect(notes[1]!.text).toContain("vscode-remote://x of the client is not served")
    const second = await agent.client.callTool({ name: "read", arguments: { path: "src/refund.ts" } })
    expect(second.content).toHaveLength(1)
    expect(await agent.call("manage", { action: "status" })).toContain(
      "c%3A/no/such of the client is not served",
    )
  })

  test("a root may be a bare path", async () => {
    await using agent = await started(version, { roots: [ledger.project] })
    expect(await agent.call("read", { path: "book/entry.go" })).toContain("PostEntry")
  })
})

describe.each(["legacy", "modern"] as const)("memory, log, map and prompts of two roots, %s", (version) => {
  const open = () => started(version, { roots: urisOf(shop, ledger) })

  test("memories belong to the root that is named or has their source", async () => {
    await using agent = await open()
    const [own, other] = [nameOf(shop), nameOf(ledger)]
    const first = await agent.call("remember", { text: `Refunds are idempotent, ${version}.` })
    expect(first).toContain(`only in ${own}; for another folder give repository: ${other}`)
    const source = "book/entry.go:4"
    const second = await agent.call("remember", { text: `Entries are immutable, ${version}.`, source })
    expect(second).not.toContain("only in")
    const asked = await agent.call("recall", { query: "immutable entries", repository: other })
    expect(asked).toContain(`Entries are immutable, ${version}.`)
    expect(asked).not.toContain("only in")
    const unasked = await agent.call("recall", { query: "immutable entries" })
    expect(unasked).not.toContain("Entries are immutable")
    expect(unasked).toContain(`only in ${own}`)
    const listed = await agent.call("manage", { action: "topics", repository: other })
    expect(listed).toContain("general")
    expect(await agent.call("recall", { query: "x", repository: "nothing" })).toContain(
      `folders are ${own}, ${other}`,
    )
    const context = await agent.call("context", { query: "immutable entries of the ledger" })
    expect(context).toContain(`${other}: remembered`)
    const id = /stored (\S+)/.exec(second)![1]!
    const { contents } = await agent.client.readResource({ uri: `aman://memory/${id}` })
    expect(JSON.stringify(contents)).toContain("Entries are immutable")
  })

  test("the log is that of the root that knows the place", async () => {
    await using agent = await open()
    expect(await agent.call("log", { what: "book/entry.go" })).toContain("Book the first entry")
    expect(await agent.call("log", { what: "PostEntry" })).toContain("Book the first entry")
    expect(await agent.call("log", { what: "PostEntry", repository: nameOf(ledger) })).toContain(
      "Book the first",
    )
    expect(await agent.call("log", { what: "src/refund.ts" })).toContain("Refund")
  })

  test("map, status and prompts have all roots", async () => {
    await using agent = await open()
    await agent.call("search", { query: "PostEntry" })
    const read = async (uri: string) => JSON.stringify((await agent.client.readResource({ uri })).contents)
    expect(await read("aman://map")).toMatch(/src\/ 2 typescript.*# aman-e2e-\S+ .*- book\/ 1 go/s)
    expect(await read("aman://status")).toContain("other_folders")
    expect(await read("aman://symbol/PostEntry")).toContain("book/entry.go")
    expect(await read("aman://chunk/book/entry.go?line=4")).toContain("func PostEntry")
    const prompt = async (name: string, args: Record<string, string>) =>
      JSON.stringify((await agent.client.getPrompt({ name, arguments: args })).messages)
    expect(await prompt("onboard", {})).toMatch(/src\/ 2 typescript.*# aman-e2e-\S+ .*- book\/ 1 go/s)
    expect(await prompt("explain", { target: "PostEntry" })).toContain("book/entry.go:4-6")
    expect(await prompt("explain", { target: "book/entry.go" })).toContain("func PostEntry")
    const ref = { type: "ref/prompt", name: "explain" } as const
    const { completion } = await agent.client.complete({ ref, argument: { name: "target", value: "PostE" } })
    expect(completion.values).toContain("PostEntry")
  })
})

describe("HTTP with two roots that the user named", () => {
  let server: HttpServer
  beforeAll(async () => {
    const roots = ["--root", shop.project, "--root", ledger.project]
    server = await HttpServer.start(shop, { args: ["--token", TOKEN, ...roots] })
  })
  afterAll(() => server[Symbol.asyncDispose]())

  /** A client of the SDK, version 2 or 1, at an address of the server. */
  async function connected(version: "modern" | "legacy", path: string) {
    const { origin } = new URL(server.url)
    const options = { requestInit: { headers: server.headers } }
    const info = { name: "test", version: "1" }
    if (version === "legacy") {
      const client = new OldClient(info)
      await client.connect(new OldTransport(new URL(`${origin}${path}`), options))
      return client
    }
    const client = new Client(info, { versionNegotiation: { mode: { pin: "2026-07-28" } } })
    await client.connect(new StreamableHTTPClientTransport(new URL(`${origin}${path}`), options))
    return client
  }

  test.each(["legacy", "modern"] as const)("a client chooses by address or argument, %s", async (version) => {
    const text = async (path: string, name: string, args: Record<string, unknown>) => {
      const client = await connected(version, path)
      const { content } = await client.callTool({ name, arguments: args })
      await client.close()
      return (content as { text: string }[]).map((part) => part.text).join("\n")
    }
    const only = new URL(server.roots.find(({ root }) => root === ledger.project)!.url).pathname
    const both = await text("/mcp", "search", { query: "PostEntry refundPayment" })
    expect(both).toContain("book/entry.go")
    expect(both).toContain("src/refund.ts")
    expect(await text("/mcp", "symbol", { name: "PostEntry", repository: nameOf(ledger) })).toContain(
      "book/entry.go",
    )
    const one = await text(only, "search", { query: "PostEntry refundPayment" })
    expect(one).toContain("book/entry.go")
    expect(one).not.toContain("src/refund.ts")
    expect(await text(only, "read", { path: "src/refund.ts" })).toContain("no file")
    const fact = `Money is counted in cents, ${version}.`
    expect(await text(only, "remember", { text: fact })).not.toContain("only in")
    expect(await text("/mcp", "recall", { query: fact, repository: nameOf(ledger) })).toContain(fact)
    expect(await text("/mcp", "recall", { query: fact })).not.toContain(fact)
  })

  test("no other address is served, and no path that a client sends", async () => {
    for (const path of [
      "/mcp/nothing",
      `/mcp/${encodeURIComponent(shop.home)}`,
      "/mcp/..%2Fledger",
      "/mcp/",
    ]) {
      const response = await fetch(`${new URL(server.url).origin}${path}`, {
        method: "POST",
        headers: { ...JSON_BOTH, ...server.headers },
        body: JSON.stringify(INITIALIZE),
      })
      expect({ path, status: response.status }).toEqual({ path, status: 404 })
    }
    const outside = join(shop.home, "..")
    const session = { "mcp-session-id": await server.open() }
    const call = { name: "search", arguments: { query: "x", repository: outside } }
    const answer = await server.post({ jsonrpc: "2.0", id: 1, method: "tools/call", params: call }, session)
    expect(await answer.text()).toContain("isError")
  })
})

test("without roots, serve works in CLAUDE_PROJECT_DIR as hooks do", async () => {
  const env = { CLAUDE_PROJECT_DIR: ledger.project }
  await using agent = await started("legacy", { cwd: shop.home, env })
  expect(await agent.call("read", { path: "book/entry.go" })).toContain("PostEntry")
  await using named = await started("modern", { cwd: shop.home, env, roots: urisOf(shop) })
  expect(await named.call("read", { path: "src/refund.ts" })).toContain("refundPayment")
})

describe.each(["legacy", "modern"] as const)(
  "a client that starts the server of a plugin in its folder, %s",
  (version) => {
    test("gets no index of the plugin, but the request to name a project", async () => {
      using plugin = new Workspace({ "plugin.json": "{}", "skills/aman/SKILL.md": "# Search\n" })
      const place = { cwd: plugin.project, env: { PLUGIN_ROOT: plugin.project } }
      await using agent = await started(version, place)
      expect(await agent.call("search", { query: "search" })).toMatch(/is the folder of a plugin.*--root/s)
      expect(readdirSync(plugin.project).sort()).toEqual(["plugin.json", "skills"])
    })

    test("is served the folders it names", async () => {
      using plugin = new Workspace({ "plugin.json": "{}" })
      const place = { cwd: plugin.project, env: { PLUGIN_ROOT: plugin.project } }
      await using agent = await started(version, { ...place, roots: urisOf(shop) })
      expect(await agent.call("search", { query: "refundPayment" })).toContain("src/refund.ts")
    })
  },
)
