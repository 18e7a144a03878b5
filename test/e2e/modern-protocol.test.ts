import { afterAll, beforeAll, describe, expect, test } from "bun:test"
import { join } from "node:path"
import { pathToFileURL } from "node:url"
import { Client, StreamableHTTPClientTransport, type Transport } from "@modelcontextprotocol/client"
import { StdioClientTransport } from "@modelcontextprotocol/client/stdio"
import { FOR_PROGRAMS } from "./connect.ts"
import { binary, Workspace } from "./harness.ts"
import { HttpServer, TOKEN } from "./http-server.ts"
import { SHOP } from "./sample.ts"

const VERSION = "2026-07-28"
/** Max time until a notification, which follows the next check of the index. */
const TOLD_WITHIN_MS = 30_000
const META = {
  "io.modelcontextprotocol/protocolVersion": VERSION,
  "io.modelcontextprotocol/clientCapabilities": {},
  "io.modelcontextprotocol/clientInfo": { name: "test", version: "1" },
}

let shop: Workspace
let server: HttpServer
beforeAll(async () => {
  shop = new Workspace(SHOP)
  await shop.json(["index"])
  server = await HttpServer.start(shop)
})
afterAll(async () => {
  await server[Symbol.asyncDispose]()
  shop[Symbol.dispose]()
})

const TRANSPORTS: Readonly<Record<string, () => Transport>> = {
  stdio: () => stdio(shop.project),
  http: () =>
    new StreamableHTTPClientTransport(new URL(server.url), { requestInit: { headers: server.headers } }),
}

function stdio(cwd: string, args: readonly string[] = []): Transport {
  return new StdioClientTransport({
    command: binary,
    args: ["serve", ...FOR_PROGRAMS, ...args],
    cwd,
    env: shop.env,
    stderr: "ignore",
  })
}

async function connected(transport: Transport, mode: "auto" | "legacy" | { pin: string } = { pin: VERSION }) {
  const client = new Client({ name: "test", version: "1" }, { versionNegotiation: { mode } })
  await client.connect(transport)
  return client
}

describe.each(Object.keys(TRANSPORTS))("the official client, version 2, over %s", (kind) => {
  test.each([
    ["auto", VERSION],
    [{ pin: VERSION }, VERSION],
    ["legacy", "2025-11-25"],
  ] as const)("in mode %p speaks %s", async (mode, version) => {
    const client = await connected(TRANSPORTS[kind]!(), mode)
    expect(client.getNegotiatedProtocolVersion()).toBe(version)
    expect(client.getServerVersion()).toMatchObject({ name: "aman" })
    expect(client.getInstructions()).toContain("aman")
    const { tools } = await client.listTools()
    expect(tools.map(({ name }) => name)).toEqual((await client.listTools()).tools.map(({ name }) => name))
    expect(tools.length).toBeGreaterThan(8)
    const { structuredContent } = await client.callTool({ name: "read", arguments: { path: "go.mod" } })
    expect(structuredContent).toMatchObject({ path: "go.mod" })
    expect((await client.listPrompts()).prompts.map(({ name }) => name)).toContain("onboard")
    const prompt = await client.getPrompt({ name: "explain", arguments: { target: "RefundPayment" } })
    expect(JSON.stringify(prompt.messages)).toContain("billing/refund.go")
    const { resources } = await client.listResources()
    expect(resources.map(({ name }) => name)).toContain("go.mod")
    const ref = { type: "ref/prompt", name: "explain" } as const
    const { completion } = await client.complete({ ref, argument: { name: "target", value: "Refund" } })
    expect(completion.values).toContain("RefundPayment")
    await expect(client.readResource({ uri: "aman://symbol/NoSuchThing" })).rejects.toMatchObject({
      code: -32602,
    })
    await client.close()
  })

  test(
    "hears of changes of the list and of a resource it listens to, until it closes the stream",
    async () => {
      const client = await connected(TRANSPORTS[kind]!())
      const uri = pathToFileURL(join(shop.project, "web/hash.ts")).href
      await client.readResource({ uri })
      const updated: string[] = []
      const told = Promise.withResolvers<void>()
      const listed = Promise.withResolvers<void>()
      client.setNotificationHandler("notifications/resources/updated", ({ params }) => {
        updated.push(params.uri)
        told.resolve()
      })
      client.setNotificationHandler("notifications/resources/list_changed", () => listed.resolve())
      const subscription = await client.listen({ resourcesListChanged: true, resourceSubscriptions: [uri] })
      expect(subscription.honoredFilter).toMatchObject({
        resourcesListChanged: true,
        resourceSubscriptions: [uri],
      })
      let isOver = false
      const both = Promise.all([told.promise, listed.promise]).then(() => {
        isOver = true
      })
      // Again and again, because the first check only notes the state.
      for (let edit = 1; !isOver; edit++) {
        shop.write(`web/new-${kind}-${edit}.ts`, "export const one = 1\n")
        shop.write("web/hash.ts", `export const hash${kind} = ${edit}\n`)
        await Promise.race([both, Bun.sleep(300)])
      }
      expect(new Set(updated)).toEqual(new Set([uri]))
      await subscription.close()
      expect((await client.callTool({ name: "read", arguments: { path: "go.mod" } })).isError).toBeFalsy()
      await client.close()
    },
    TOLD_WITHIN_MS,
  )

  test("cancels a call and goes on", async () => {
    const client = await connected(TRANSPORTS[kind]!())
    const abort = new AbortController()
    const call = client.callTool(
      { name: "search", arguments: { query: "RefundPayment", wait: true } },
      { signal: abort.signal },
    )
    abort.abort("no longer needed")
    await expect(call).rejects.toThrow()
    expect((await client.callTool({ name: "read", arguments: { path: "go.mod" } })).isError).toBeFalsy()
    await client.close()
  })
})

describe("over stdio", () => {
  /** Answers to messages that are sent at once, by their ids. */
  async function answersTo(...messages: readonly object[]) {
    const stdin = messages.map((message) => `${JSON.stringify({ jsonrpc: "2.0", ...message })}\n`).join("")
    const { stdout } = await shop.run(["serve"], { stdin })
    const answers = stdout
      .trim()
      .split("\n")
      .map((line) => JSON.parse(line))
    return new Map(answers.map((answer) => [answer.id, answer]))
  }

  test("results say that they are complete, how long they hold, and who answers", async () => {
    const answers = await answersTo(
      { id: 1, method: "server/discover", params: { _meta: META } },
      { id: 2, method: "tools/list", params: { _meta: META } },
      { id: 3, method: "resources/read", params: { _meta: META, uri: "aman://status" } },
      { id: 4, method: "tools/call", params: { _meta: META, name: "read", arguments: '{"path": "go.mod"}' } },
    )
    expect(answers.get(1).result).toMatchObject({ resultType: "complete", supportedVersions: [VERSION] })
    expect(answers.get(1).result.capabilities).toMatchObject({ tools: {}, resources: { subscribe: true } })
    expect(answers.get(2).result).toMatchObject({
      resultType: "complete",
      ttlMs: 300_000,
      cacheScope: "public",
    })
    expect(answers.get(3).result).toMatchObject({ resultType: "complete", ttlMs: 0, cacheScope: "private" })
    expect(answers.get(4).result).toMatchObject({ resultType: "complete" })
    expect(answers.get(4).result._meta["io.modelcontextprotocol/serverInfo"]).toMatchObject({ name: "aman" })
  })

  test("a version that is not served, a removed method and a missing envelope are refused by their codes", async () => {
    const unknown = { ...META, "io.modelcontextprotocol/protocolVersion": "2099-01-01" }
    const answers = await answersTo(
      { id: 1, method: "server/discover", params: { _meta: unknown } },
      { id: 2, method: "tools/list", params: { _meta: META } },
      { id: 3, method: "logging/setLevel", params: { _meta: META, level: "info" } },
      { id: 4, method: "tools/list", params: {} },
    )
    expect(answers.get(1).error).toMatchObject({
      code: -32022,
      data: { supported: [VERSION], requested: "2099-01-01" },
    })
    expect(answers.get(2).result.tools.length).toBeGreaterThan(6)
    expect(answers.get(3).error.code).toBe(-32601)
    expect(answers.get(4).error.code).toBe(-32602)
  })

  test("a list is answered without any greeting, as an earlier version has it", async () => {
    const answers = await answersTo({ id: 1, method: "tools/list" })
    expect(answers.get(1).result.tools.length).toBeGreaterThan(6)
    expect(answers.get(1).result.resultType).toBeUndefined()
  })

  test("a client's folders are asked for with input_required, once", async () => {
    using other = new Workspace({ "other.py": "def from_the_other_root():\n    return 1\n" })
    const client = new Client(
      { name: "test", version: "1" },
      { capabilities: { roots: {} }, versionNegotiation: { mode: { pin: VERSION } } },
    )
    let asked = 0
    client.setRequestHandler("roots/list", () => {
      asked++
      return { roots: [{ uri: pathToFileURL(other.project).href }] }
    })
    await client.connect(stdio(shop.dir))
    const call = async () =>
      JSON.stringify(await client.callTool({ name: "read", arguments: { path: "other.py" } }))
    expect(await call()).toContain("from_the_other_root")
    expect(await call()).toContain("from_the_other_root")
    expect(asked).toBe(1)
    await client.close()
  })
})

describe("over HTTP", () => {
  const request = (method: string, params: object = {}) => ({
    jsonrpc: "2.0",
    id: 7,
    method,
    params: { _meta: META, ...params },
  })
  const headersOf = (method: string, name?: string) => ({
    "mcp-protocol-version": VERSION,
    "mcp-method": method,
    ...(name === undefined ? {} : { "mcp-name": name }),
  })

  test("a call is answered without a session, and needs the token", async () => {
    const call = request("tools/call", { name: "read", arguments: { path: "go.mod" } })
    const headers = headersOf("tools/call", "read")
    const response = await server.post(call, headers)
    expect(response.headers.get("mcp-session-id")).toBeNull()
    expect(await response.json()).toMatchObject({ id: 7, result: { structuredContent: { path: "go.mod" } } })
    expect((await server.post(call, { ...headers, authorization: "Bearer wrong" })).status).toBe(401)
  })

  test.each([
    [
      "another method in the header",
      "tools/call",
      { "mcp-method": "tools/list", "mcp-name": "read" },
      400,
      -32020,
    ],
    [
      "another name in the header",
      "tools/call",
      { "mcp-method": "tools/call", "mcp-name": "search" },
      400,
      -32020,
    ],
    ["no method in the header", "tools/list", {}, 400, -32020],
    [
      "another version in the header",
      "tools/list",
      { "mcp-method": "tools/list", "mcp-protocol-version": "2025-11-25" },
      400,
      -32020,
    ],
    ["a removed method", "ping", { "mcp-method": "ping" }, 404, -32601],
  ])("refuses %s", async (_, method, headers, status, code) => {
    const params = method === "tools/call" ? { name: "read", arguments: { path: "go.mod" } } : {}
    const response = await server.post(request(method, params), {
      "mcp-protocol-version": VERSION,
      ...headers,
    })
    expect(response.status).toBe(status)
    expect(((await response.json()) as { error: { code: number } }).error.code).toBe(code)
  })

  test("limits the values, the resources and the time of a request", async () => {
    const many = {
      name: "search",
      arguments: { query: "x", path: Array.from({ length: 10_001 }, () => "a") },
    }
    const refused = await server.post(request("tools/call", many), headersOf("tools/call", "search"))
    expect(await refused.json()).toMatchObject({
      error: { code: -32600, message: expect.stringContaining("10000") },
    })
    const uris = Array.from({ length: 1001 }, (_, at) => `aman://symbol/s${at}`)
    const listen = request("subscriptions/listen", { notifications: { resourceSubscriptions: uris } })
    const tooMany = await server.post(listen, headersOf("subscriptions/listen"))
    expect(await tooMany.json()).toMatchObject({
      error: { code: -32600, message: expect.stringContaining("1000") },
    })
  })

  test("answers a call that takes too long with an error", async () => {
    using remote = Bun.serve({ port: 0, hostname: "127.0.0.1", fetch: () => new Promise<Response>(() => {}) })
    await using hasty = await HttpServer.start(shop, {
      args: ["--token", TOKEN, "--request-timeout", "500ms"],
      env: { AMAN_REPOS_URLS: `http://127.0.0.1:${remote.port}/x.git` },
    })
    const slow = request("tools/call", { name: "repositories", arguments: { action: "sync" } })
    const late = await hasty.post(slow, headersOf("tools/call", "repositories"))
    expect(await late.json()).toMatchObject({ id: 7, error: { code: -32001 } })
  })

  test("streams that are left are no longer counted", async () => {
    await using small = await HttpServer.start(shop, { args: ["--token", TOKEN, "--max-sessions", "2"] })
    const listen = request("subscriptions/listen", { notifications: { resourcesListChanged: true } })
    const open = () => small.post(listen, headersOf("subscriptions/listen"))
    const streams = [await open(), await open()]
    expect(streams.map(({ headers }) => headers.get("content-type"))).toEqual([
      "text/event-stream",
      "text/event-stream",
    ])
    expect(await (await open()).json()).toMatchObject({
      error: { message: expect.stringContaining("server.max_sessions") },
    })
    for (const { body } of streams) await body!.cancel()
    let again = await open()
    while (again.headers.get("content-type") !== "text/event-stream") again = await open()
    await again.body!.cancel()
  })
})
