import { afterAll, beforeAll, describe, expect, test } from "bun:test"
import { readdirSync } from "node:fs"
import { join } from "node:path"
import { pathToFileURL } from "node:url"
import { Client } from "@modelcontextprotocol/client"
import { StdioClientTransport } from "@modelcontextprotocol/client/stdio"
import { binary, Workspace } from "./harness.ts"

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
    await using agent = await open()
    await agent.call("search", { query: "PostEntry" })
    const uri = `${urisOf(ledger)[0]}/book/entry.go`
    const told = Promise.withResolvers<string>()
    agent.client.setNotificationHandler("notifications/resources/updated", ({ params }) =>
      told.resolve(params.uri),
    )
    if (version === "modern") await agent.client.listen({ resourceSubscriptions: [uri] })
    else await agent.client.subscribeResource({ uri })
    // The first check only notes the state.
    await Bun.sleep(1500)
    ledger.write("book/entry.go", `${LEDGER["book/entry.go"]}// ${version}\n`)
    expect(await told.promise).toBe(uri)
  }, 30_000)

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
