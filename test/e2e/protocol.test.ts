import { afterAll, beforeAll, describe, expect, test } from "bun:test"
import { rmSync } from "node:fs"
import { join } from "node:path"
import { pathToFileURL } from "node:url"
import { Client } from "@modelcontextprotocol/sdk/client/index.js"
import { SSEClientTransport } from "@modelcontextprotocol/sdk/client/sse.js"
import { StdioClientTransport } from "@modelcontextprotocol/sdk/client/stdio.js"
import { StreamableHTTPClientTransport } from "@modelcontextprotocol/sdk/client/streamableHttp.js"
import type { Transport } from "@modelcontextprotocol/sdk/shared/transport.js"
import {
  ListRootsRequestSchema,
  ResourceListChangedNotificationSchema,
  ResourceUpdatedNotificationSchema,
} from "@modelcontextprotocol/sdk/types.js"
import { connect, FOR_PROGRAMS } from "./connect.ts"
import { binary, Workspace } from "./harness.ts"
import { HttpServer } from "./http-server.ts"
import { SHOP } from "./sample.ts"

const VERSIONS = ["2025-11-25", "2025-06-18", "2025-03-26", "2024-11-05"]
/**
 * Max time until a notification, which the server sends only after it has checked the index a second time.
 */
const TOLD_WITHIN_MS = 30_000

let shop: Workspace
let server: HttpServer
beforeAll(async () => {
  shop = new Workspace(SHOP)
  server = await HttpServer.start(shop, { args: ["--without-token", "--sse"] })
})
afterAll(async () => {
  await server[Symbol.asyncDispose]()
  shop[Symbol.dispose]()
})

const TRANSPORTS: Readonly<Record<string, () => Transport>> = {
  stdio: () =>
    new StdioClientTransport({
      command: binary,
      args: ["serve", ...FOR_PROGRAMS],
      cwd: shop.project,
      env: shop.env,
    }),
  http: () => new StreamableHTTPClientTransport(new URL(server.url)),
  sse: () => new SSEClientTransport(new URL(server.sseUrl!)),
}

/** Changes the protocol version that the official client requests, which is always the newest. */
function asking(transport: Transport, protocolVersion: string): Transport {
  const send = transport.send.bind(transport)
  transport.send = (message, options) =>
    "method" in message && message.method === "initialize"
      ? send({ ...message, params: { ...message.params, protocolVersion } }, options)
      : send(message, options)
  return transport
}

describe.each(Object.keys(TRANSPORTS))("over %s", (kind) => {
  test.each(VERSIONS)("a client of %s", async (version) => {
    const transport = asking(TRANSPORTS[kind]!(), version)
    let agreed = ""
    const set = transport.setProtocolVersion?.bind(transport)
    transport.setProtocolVersion = (value) => {
      agreed = value
      set?.(value)
    }
    const client = new Client({ name: "test", version: "1" })
    await client.connect(transport)
    expect(agreed).toBe(version)
    expect((await client.listTools()).tools.length).toBeGreaterThan(8)
    const { structuredContent } = await client.callTool({ name: "read", arguments: { path: "go.mod" } })
    expect(structuredContent).toMatchObject({ path: "go.mod" })
    expect((await client.listPrompts()).prompts.map(({ name }) => name)).toContain("onboard")
    await client.close()
  })

  test("answers an unknown version with the newest one", async () => {
    const client = new Client({ name: "test", version: "1" })
    await client.connect(asking(TRANSPORTS[kind]!(), "2031-01-01"))
    expect(client.getServerVersion()?.name).toBe("aman")
    await client.close()
  })

  test("gives up a cancelled call and answers the next", async () => {
    const client = new Client({ name: "test", version: "1" })
    await client.connect(TRANSPORTS[kind]!())
    await client.ping()
    const abort = new AbortController()
    const args = { query: "(a|b|c)+d", mode: "regex" }
    const call = client.callTool({ name: "search", arguments: args }, undefined, { signal: abort.signal })
    abort.abort("changed my mind")
    await expect(call).rejects.toThrow()
    const next = await client.callTool({ name: "read", arguments: { path: "go.mod" } })
    expect(next.isError).toBeFalsy()
    await client.close()
  })
})

test("stops a cancelled sync, however long its remote is silent", async () => {
  let isSilent = false
  const silence = new Promise<Response>(() => {})
  const fetch = () => (isSilent ? silence : new Response("none", { status: 404 }))
  using remote = Bun.serve({ port: 0, hostname: "127.0.0.1", fetch })
  const env = { AMAN_REPOS_URLS: `http://127.0.0.1:${remote.port}/x.git`, AMAN_REPOS_SYNC_INTERVAL: "24h" }
  await using connection = await connect(shop, { env })
  const { client, call } = connection
  const syncing = async () => (await call("repositories")).structuredContent
  while ((await syncing()).repositories[0].state !== "failed") await Bun.sleep(20)
  while ((await syncing()).syncing) await Bun.sleep(20)
  isSilent = true
  const abort = new AbortController()
  const asked = { name: "repositories", arguments: { action: "sync" } }
  const sync = client.callTool(asked, undefined, { signal: abort.signal })
  while (!(await syncing()).syncing) await Bun.sleep(20)
  abort.abort("changed my mind")
  await expect(sync).rejects.toThrow()
  while ((await syncing()).syncing) await Bun.sleep(20)
})

describe("several clients of one server", () => {
  test("share one index; each has its own prompts, levels and subscriptions", async () => {
    const clients = await Promise.all(Array.from({ length: 8 }, () => server.connect()))
    // Until the first index is complete, a search answers from a part of it.
    const status = async () =>
      (await clients[0]!.callTool({ name: "status", arguments: {} })).structuredContent
    while (((await status()) as { progress: unknown }).progress !== null) await Bun.sleep(50)
    const answers = await Promise.all(
      clients.map((client) => client.callTool({ name: "search", arguments: { query: "RefundPayment" } })),
    )
    for (const { structuredContent } of answers) {
      const [best] = (structuredContent as { results: { path: string }[] }).results
      expect(best?.path).toBe("billing/refund.go")
    }
    await Promise.all(clients.map((client) => client.close()))
  })
})

describe("prompts, resources, completions", () => {
  let client: Client
  beforeAll(async () => {
    const connection = await connect(shop)
    client = connection.client
    await connection.call("remember", {
      text: "Refunds after three days were refused because the bank charges for them.",
      topic: "refunds",
      kind: "decision",
      source: "billing/refund.go#RefundPayment",
    })
    while ((await connection.call("status")).structuredContent.progress !== null);
    await connection.call("search", { query: "hash" })
  })
  afterAll(() => client.close())

  const textOf = async (name: string, args: Record<string, string>) => {
    const { messages } = await client.getPrompt({ name, arguments: args })
    const [message] = messages
    return message!.content.type === "text" ? message!.content.text : ""
  }

  test("each prompt includes its facts", async () => {
    const { prompts } = await client.listPrompts()
    expect(prompts.map(({ name }) => name)).toEqual(["onboard", "explain", "find-impact", "what-do-we-know"])
    for (const { description, arguments: args } of prompts) {
      expect(description).toBeString()
      for (const argument of args ?? []) expect(argument.description).toBeString()
    }
    expect(await textOf("onboard", {})).toContain("refunds")
    expect(await textOf("onboard", { focus: "login" })).toContain("web/login.ts")
    expect(await textOf("explain", { target: "web/login.ts" })).toContain("limitAttempts")
    expect(await textOf("explain", { target: "RefundPayment" })).toContain("TestRefundPayment")
    expect(await textOf("find-impact", { symbol: "RefundPayment" })).toContain("billing/refund_test.go")
    expect(await textOf("find-impact", { symbol: "NoSuchThing" })).toContain("NoSuchThing")
    expect(await textOf("what-do-we-know", { topic: "refunds" })).toContain("the bank charges")
    await expect(client.getPrompt({ name: "explain", arguments: {} })).rejects.toThrow()
    await expect(client.getPrompt({ name: "unknown" })).rejects.toThrow()
  })

  test.each([
    ["explain", "target", "LOGIN", "web/login.ts"],
    ["explain", "target", "limit_a", "limitAttempts"],
    ["find-impact", "symbol", "refund", "RefundPayment"],
    ["what-do-we-know", "topic", "ref", "refunds"],
    ["onboard", "focus", "bill", "billing/refund.go"],
  ])("%s completes %s %s to %s", async (name, argument, value, expected) => {
    const { completion } = await client.complete({
      ref: { type: "ref/prompt", name },
      argument: { name: argument, value },
    })
    expect(completion.values).toContain(expected)
  })

  test("completes forms of addresses as well, and refuses unknown ones", async () => {
    const { resourceTemplates } = await client.listResourceTemplates()
    expect(resourceTemplates.map(({ name }) => name)).toEqual(["file", "chunk", "symbol", "memory", "topic"])
    const [file, , symbol] = resourceTemplates
    const complete = (uri: string, name: string, value: string) =>
      client.complete({ ref: { type: "ref/resource", uri }, argument: { name, value } })
    expect((await complete(file!.uriTemplate, "path", "hash")).completion.values).toEqual(["web/hash.ts"])
    const { completion } = await complete(symbol!.uriTemplate, "name", "MonthlyR")
    expect(completion.values).toEqual(["monthly_report"])
    await expect(complete("aman://unknown/{x}", "x", "")).rejects.toThrow()
    await expect(complete(file!.uriTemplate, "unknown", "")).rejects.toThrow()
  })

  test("serves the resources status, map, a file, a part of one, a symbol and memories", async () => {
    const read = async (uri: string) => {
      const [content] = (await client.readResource({ uri })).contents
      return (content as { text: string }).text
    }
    expect(JSON.parse(await read("aman://status"))).toMatchObject({ root: shop.project })
    expect(await read("aman://map")).toContain("billing")
    expect(await read(pathToFileURL(join(shop.project, "go.mod")).href)).toContain("module example.com/shop")
    expect(await read("aman://chunk/web/login.ts?line=7")).toContain("limitAttempts")
    expect(await read("aman://symbol/RefundPayment")).toContain("billing/refund.go:")
    expect(await read("aman://topic/refunds")).toContain("the bank charges")
    for (const uri of [
      "aman://symbol/NoSuchThing",
      "aman://topic/nothing",
      "aman://memory/none",
      "aman://chunk/web/login.ts?line=0",
      "aman://chunk/../secret.txt",
      "file:///etc/passwd",
      "https://example.com/x",
      "not an address",
    ]) {
      await expect(client.readResource({ uri })).rejects.toMatchObject({ code: -32602 })
    }
  })
})

describe("notifications", () => {
  test("notifies of subscribed resources and of the file list", async () => {
    using space = new Workspace(SHOP)
    await using connection = await connect(space)
    const { client, call } = connection
    await call("search", { query: "hash" })
    while ((await call("status")).structuredContent.progress !== null);
    const updated: string[] = []
    let lists = 0
    client.setNotificationHandler(
      ResourceUpdatedNotificationSchema,
      ({ params }) => void updated.push(params.uri),
    )
    client.setNotificationHandler(ResourceListChangedNotificationSchema, () => void lists++)
    const uri = pathToFileURL(join(space.project, "web/hash.ts")).href
    await client.subscribeResource({ uri })
    await client.subscribeResource({ uri: "aman://status" })
    await expect(client.subscribeResource({ uri: "file:///etc/passwd" })).rejects.toThrow()
    await changeUntil(space, () => updated.includes(uri))
    // The list of the first index has been noted by then.
    await Bun.sleep(1500)
    updated.length = 0
    lists = 0
    space.write("web/hash.ts", "export const changed = 1\n")
    await until(() => updated.includes(uri) && updated.includes("aman://status"))
    expect(lists).toBe(0)
    space.write("web/new-file.ts", "export const added = 1\n")
    await until(() => lists > 0)
    await client.unsubscribeResource({ uri })
    updated.length = 0
    space.write("web/hash.ts", "export const again = 2\n")
    await until(() => updated.includes("aman://status"))
    expect(updated).not.toContain(uri)
    const before = lists
    rmSync(join(space.project, "web/new-file.ts"))
    await until(() => lists > before)
  })

  test("reach a client over HTTP on its open stream", async () => {
    using space = new Workspace(SHOP)
    await using own = await HttpServer.start(space)
    const client = await own.connect()
    const isIndexed = async () => (await client.listResources()).resources.length > 7
    while (!(await isIndexed())) await Bun.sleep(50)
    const updated: string[] = []
    client.setNotificationHandler(
      ResourceUpdatedNotificationSchema,
      ({ params }) => void updated.push(params.uri),
    )
    const uri = pathToFileURL(join(space.project, "web/hash.ts")).href
    await client.subscribeResource({ uri })
    await changeUntil(space, () => updated.includes(uri))
    await client.close()
  })

  test("the project follows the folders that the client opens", async () => {
    using one = new Workspace({ "one.py": "one_thing = 1\n" })
    using two = new Workspace({ "two.py": "two_thing = 2\n" })
    let open = [one.project]
    const client = new Client(
      { name: "test", version: "1" },
      { capabilities: { roots: { listChanged: true } } },
    )
    client.setRequestHandler(ListRootsRequestSchema, () => ({
      roots: open.map((folder) => ({ uri: pathToFileURL(folder).href })),
    }))
    let lists = 0
    client.setNotificationHandler(ResourceListChangedNotificationSchema, () => void lists++)
    const { env, home } = one
    await client.connect(
      new StdioClientTransport({ command: binary, args: ["serve", "--structured"], cwd: home, env }),
    )
    const rootOf = async () => {
      const { structuredContent } = await client.callTool({ name: "status" })
      return (structuredContent as { root: string }).root
    }
    expect(await rootOf()).toBe(one.project)
    open = [two.project]
    await client.sendRootsListChanged()
    await until(() => lists > 0)
    expect(await rootOf()).toBe(two.project)
    await client.close()
  })
})

/** Edits a file until a notification has come, because the first check of a subscribed resource only notes its state. */
async function changeUntil(space: Workspace, isTold: () => boolean): Promise<void> {
  for (let edit = 1; !isTold(); edit++) {
    space.write("web/hash.ts", `export const edit = ${edit}\n`)
    await Bun.sleep(300)
  }
}

async function until(holds: () => boolean): Promise<void> {
  const end = performance.now() + TOLD_WITHIN_MS
  while (!holds()) {
    if (performance.now() > end) throw new Error("nothing was told")
    await Bun.sleep(20)
  }
}
