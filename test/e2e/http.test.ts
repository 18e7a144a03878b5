import { afterAll, beforeAll, describe, expect, test } from "bun:test"
import { chmodSync, writeFileSync } from "node:fs"
import { createConnection } from "node:net"
import { join } from "node:path"
import { binary, Workspace } from "./harness.ts"
import { firstMessage, HttpServer, INITIALIZE, JSON_BOTH, TOKEN } from "./http-server.ts"
import { SHOP } from "./sample.ts"

const PING = { jsonrpc: "2.0", id: 7, method: "ping" }
const OTHER_TOKEN = "another-token-of-the-tests"
const READ = {
  jsonrpc: "2.0",
  id: 8,
  method: "tools/call",
  params: { name: "read", arguments: { path: "go.mod" } },
}

let shop: Workspace
beforeAll(() => {
  shop = new Workspace(SHOP)
})
afterAll(() => shop[Symbol.dispose]())

describe("authorization", () => {
  let server: HttpServer
  beforeAll(async () => {
    server = await HttpServer.start(shop)
  })
  afterAll(() => server[Symbol.asyncDispose]())

  test.each([
    ["no token", { authorization: "" }],
    ["a wrong one", { authorization: "Bearer another" }],
    ["the beginning of the right one", { authorization: `Bearer ${TOKEN.slice(0, -1)}` }],
    ["another scheme", { authorization: `Basic ${TOKEN}` }],
  ])("answers 401 with %s", async (_, headers) => {
    const response = await server.post(INITIALIZE, headers)
    expect(response.status).toBe(401)
    expect(response.headers.get("www-authenticate")).toContain("Bearer")
    expect(await response.json()).toMatchObject({ jsonrpc: "2.0", error: { code: -32000 } })
  })

  test("limits the rate of wrong tokens", async () => {
    const tries = Array.from({ length: 12 }, () => server.post(INITIALIZE, { authorization: "Bearer x" }))
    const codes = (await Promise.all(tries)).map(({ status }) => status)
    expect(codes).toContain(429)
    expect((await server.post(INITIALIZE)).status).toBe(200)
  })

  test.each([
    ["evil.example.com", 403],
    ["127.0.0.1.evil.example.com", 403],
    ["localhost@evil.example.com", 400],
    ["192.168.1.7", 403],
    ["localhost:1234", 200],
    ["LOCALHOST", 200],
    ["[::1]:80", 200],
    ["127.8.9.1", 200],
  ])("host %s: %d", async (host, status) => {
    expect((await server.post(INITIALIZE, { host })).status).toBe(status)
  })

  test.each([
    ["https://evil.example.com", 403],
    ["http://localhost.evil.example.com", 403],
    ["null", 403],
    ["file://", 403],
    ["http://localhost:6274", 200],
    ["http://127.0.0.1:3000", 200],
  ])("page of %s: %d", async (origin, status) => {
    const response = await server.post(INITIALIZE, { origin })
    expect(response.status).toBe(status)
    expect(response.headers.get("access-control-allow-origin")).toBe(status === 200 ? origin : null)
  })

  test("answers a browser's preflight request", async () => {
    const headers = { origin: "http://localhost:6274", "access-control-request-method": "POST" }
    const allowed = await fetch(server.url, { method: "OPTIONS", headers })
    expect(allowed.status).toBe(204)
    expect(allowed.headers.get("access-control-allow-headers")).toContain("authorization")
    const foreign = { ...headers, origin: "https://evil.example.com" }
    expect((await fetch(server.url, { method: "OPTIONS", headers: foreign })).status).toBe(403)
  })

  test("accepts configured hosts and origins", async () => {
    const names = [
      "--allowed-hosts",
      "aman.example.com",
      "--allowed-origins",
      "app.example.com,other.example.com",
    ]
    await using open = await HttpServer.start(shop, { args: ["--token", TOKEN, ...names] })
    const headers = { host: "aman.example.com", origin: "https://app.example.com" }
    expect((await open.post(INITIALIZE, headers)).status).toBe(200)
    expect((await open.post(INITIALIZE, { ...headers, host: "app.example.com" })).status).toBe(403)
    expect((await open.post(INITIALIZE, { ...headers, origin: "https://aman.example.com" })).status).toBe(403)
  })

  test("/health needs no token, and tells the version only with a token", async () => {
    const url = server.url.replace("/mcp", "/health")
    expect(await (await fetch(url)).json()).toEqual({ status: "ok" })
    expect(await (await fetch(url, { headers: server.headers })).json()).toEqual({
      status: "ok",
      version: expect.any(String),
    })
    expect((await fetch(url, { headers: { host: "evil.example.com" } })).status).toBe(403)
  })

  test.each([
    ["GET", "/", 404],
    ["GET", "/.well-known/oauth-protected-resource", 404],
    ["GET", "/sse", 404],
    ["POST", "/messages", 404],
    ["PUT", "/mcp", 400],
    ["GET", "/mcp", 400],
  ])("%s %s: %d", async (method, path, status) => {
    const url = server.url.replace("/mcp", path)
    const response = await fetch(url, { method, headers: { ...JSON_BOTH, ...server.headers } })
    expect(response.status).toBe(status)
    expect(await response.json()).toMatchObject({ error: { message: expect.any(String) } })
  })
})

describe("sessions", () => {
  test("are separate; a closed or unknown one is not found", async () => {
    await using server = await HttpServer.start(shop)
    const [one, two] = [await server.open(), await server.open()]
    expect(one).not.toBe(two)
    const answer = await server.post(READ, { "mcp-session-id": one })
    expect(await firstMessage(answer)).toMatchObject({
      id: 8,
      result: { structuredContent: { path: "go.mod" } },
    })
    const headers = { ...server.headers, "mcp-session-id": one }
    expect((await fetch(server.url, { method: "DELETE", headers })).status).toBe(200)
    expect((await server.post(PING, { "mcp-session-id": one })).status).toBe(404)
    expect((await server.post(PING, { "mcp-session-id": two })).status).toBe(200)
    expect((await server.post(PING, { "mcp-session-id": "made-up" })).status).toBe(404)
    expect((await server.post(PING)).status).toBe(400)
    expect((await server.post(INITIALIZE, { "mcp-session-id": two })).status).toBe(400)
  })

  test("of another token are not found", async () => {
    const path = join(shop.home, "tokens")
    writeFileSync(path, "# two clients\nfirst-token-of-two\nsecond-token-of-two\n")
    chmodSync(path, 0o600)
    await using server = await HttpServer.start(shop, { args: ["--token-file", "~/tokens"] })
    const first = { authorization: "Bearer first-token-of-two" }
    const session = { "mcp-session-id": await server.open(first) }
    const second = { authorization: "Bearer second-token-of-two" }
    expect((await server.post(PING, { ...first, ...session })).status).toBe(200)
    expect((await server.post(PING, { ...second, ...session })).status).toBe(404)
    const headers = { ...second, ...session }
    expect((await fetch(server.url, { method: "DELETE", headers })).status).toBe(404)
    expect((await server.post(PING, { ...first, ...session })).status).toBe(200)
  })

  test("of one token cannot take those of another", async () => {
    const path = join(shop.home, "two-tokens")
    writeFileSync(path, "first-token-of-two\nsecond-token-of-two\n")
    chmodSync(path, 0o600)
    const args = ["--token-file", "~/two-tokens", "--max-sessions", "4"]
    await using server = await HttpServer.start(shop, { args })
    const first = { authorization: "Bearer first-token-of-two" }
    const codes = await Promise.all(Array.from({ length: 4 }, () => server.post(INITIALIZE, first)))
    expect(codes.map(({ status }) => status).sort()).toEqual([200, 200, 503, 503])
    expect(await server.open({ authorization: "Bearer second-token-of-two" })).not.toBeEmpty()
  })

  test("are limited", async () => {
    await using server = await HttpServer.start(shop, { args: ["--token", TOKEN, "--max-sessions", "2"] })
    await server.open()
    await server.open()
    const refused = await server.post(INITIALIZE)
    expect(refused.status).toBe(503)
    expect(refused.headers.get("retry-after")).not.toBeNull()
  })

  test("that are idle make room", async () => {
    const args = ["--token", TOKEN, "--max-sessions", "1", "--session-timeout", "500ms", "--rate", "0"]
    await using server = await HttpServer.start(shop, { args })
    const first = await server.open()
    await server.openAtLast()
    expect((await server.post(PING, { "mcp-session-id": first })).status).toBe(404)
    // A client with an open stream keeps its session although it sends nothing.
    const abort = new AbortController()
    const listen = async (): Promise<string> => {
      const session = await server.openAtLast()
      const headers = { ...server.headers, "mcp-session-id": session, accept: "text/event-stream" }
      const { status } = await fetch(server.url, { headers, signal: abort.signal })
      // A busy machine may need so long until here that the session has ended.
      return status === 200 ? session : listen()
    }
    const kept = await listen()
    await Bun.sleep(1500)
    expect((await server.post(PING, { "mcp-session-id": kept })).status).toBe(200)
    abort.abort()
  })
})

describe("limits", () => {
  test("close an older stream whose client never reads, with bounded memory", async () => {
    using space = new Workspace({ "large.txt": "a line of some length, again and again\n".repeat(2000) })
    await using server = await HttpServer.start(space, { args: ["--token", TOKEN, "--rate", "0", "--sse"] })
    const { hostname, port } = new URL(server.url)
    const socket = createConnection(Number(port), hostname)
    const { promise, resolve } = Promise.withResolvers<string>()
    let begun = ""
    socket.on("data", (part) => {
      begun += part
      const [, path] = /data: (\S+sessionId=\S+)/.exec(begun) ?? []
      if (path === undefined) return
      socket.pause()
      resolve(path)
    })
    const head = ["GET /sse HTTP/1.1", `Host: ${hostname}`, `Authorization: Bearer ${TOKEN}`]
    socket.write(`${head.join("\r\n")}\r\n\r\n`)
    const address = new URL(await promise, server.url)
    const send = async (message: object) =>
      (await fetch(address, { method: "POST", headers: server.headers, body: JSON.stringify(message) }))
        .status
    expect(await send(INITIALIZE)).toBe(202)
    const params = { name: "read", arguments: { path: "large.txt", max_tokens: 20_000 } }
    let sent = 0
    // The server keeps at most 8 MiB that the client does not read; the sockets' buffers take some more.
    for (let status = 202; status !== 404; sent++) {
      expect(sent).toBeLessThan(1000)
      status = await send({ jsonrpc: "2.0", id: sent + 1, method: "tools/call", params })
    }
    expect((await fetch(server.url.replace("/mcp", "/health"))).status).toBe(200)
    socket.destroy()
  }, 60_000)

  test("refuse a body that is too large, with or without a declared length", async () => {
    await using server = await HttpServer.start(shop, { args: ["--token", TOKEN] })
    const large = JSON.stringify({ ...PING, params: { x: "x".repeat(5_000_000) } })
    const told = await server.post(large)
    expect(told.status).toBe(413)
    expect(await told.json()).toMatchObject({ error: { message: expect.stringContaining("4194304 bytes") } })
    const parts = new ReadableStream({
      start(stream) {
        stream.enqueue(new TextEncoder().encode(large))
        stream.close()
      },
    })
    const headers = { ...JSON_BOTH, ...server.headers }
    const chunked = await fetch(server.url, { method: "POST", headers, body: parts })
    expect(chunked.status).toBe(413)
    expect((await server.post("x".repeat(5_000_000))).status).toBe(413)
    expect(await server.open()).toBeString()
  })

  test("refuse a body that does not arrive", async () => {
    await using server = await HttpServer.start(shop, {
      args: ["--token", TOKEN, "--request-timeout", "400ms"],
    })
    const { port } = new URL(server.url)
    const head = `POST /mcp HTTP/1.1\r\nHost: localhost\r\nAuthorization: Bearer ${TOKEN}\r\nContent-Length: 100\r\n\r\n{`
    expect(await raw(Number(port), head)).toStartWith("HTTP/1.1 408")
    expect(await server.openAtLast()).toBeString()
  })

  test("refuse requests above a client's rate", async () => {
    await using server = await HttpServer.start(shop, { args: ["--token", TOKEN, "--rate", "2"] })
    const session = { "mcp-session-id": await server.open() }
    const codes: number[] = []
    for (let id = 0; id < 8; id++) codes.push((await server.post({ ...PING, id }, session)).status)
    expect(codes).toEqual(Array(8).fill(200))
    await untilRefused(() => server.post(PING, session))
    // Other sessions are not limited by it.
    expect((await server.post(PING, { "mcp-session-id": "another" })).status).toBe(404)
  })

  test("refuse new sessions of the token that opens too many, not those of other tokens behind the same address", async () => {
    const args = ["--token", TOKEN, "--token", OTHER_TOKEN, "--rate", "2"]
    await using server = await HttpServer.start(shop, { args })
    await untilRefused(() => server.post(PING))
    const another = { authorization: `Bearer ${OTHER_TOKEN}` }
    const session = { ...another, "mcp-session-id": await server.open(another) }
    expect((await server.post(PING, session)).status).toBe(200)
  })
})

/** Sends so many requests at once, and again, that a rate is exceeded on a slow machine as well. */
async function untilRefused(send: () => Promise<Response>): Promise<void> {
  const statuses = async () =>
    (await Promise.all(Array.from({ length: 40 }, send))).map(({ status }) => status)
  while (!(await statuses()).includes(429));
}

test("cancel and answer a call that takes too long", async () => {
  using remote = Bun.serve({ port: 0, hostname: "127.0.0.1", fetch: () => new Promise<Response>(() => {}) })
  await using server = await HttpServer.start(shop, {
    args: ["--token", TOKEN, "--request-timeout", "500ms"],
    env: { AMAN_REPOS_URLS: `http://127.0.0.1:${remote.port}/x.git` },
  })
  const session = { "mcp-session-id": await server.openAtLast() }
  const params = { name: "repositories", arguments: { action: "sync" } }
  const answer = await server.post({ ...READ, params }, session)
  expect(await firstMessage(answer)).toMatchObject({ id: 8, error: { code: -32001 } })
  expect((await server.post(PING, session)).status).toBe(200)
})

test("end the stream of a call that the client cancels", async () => {
  using remote = Bun.serve({ port: 0, hostname: "127.0.0.1", fetch: () => new Promise<Response>(() => {}) })
  const env = { AMAN_REPOS_URLS: `http://127.0.0.1:${remote.port}/x.git` }
  await using server = await HttpServer.start(shop, { env })
  const session = { "mcp-session-id": await server.open() }
  const params = { name: "repositories", arguments: { action: "sync" } }
  let isAnswered = false
  const answer = server
    .post({ ...READ, params }, session)
    .then(firstMessage)
    .finally(() => {
      isAnswered = true
    })
  const cancelled = { jsonrpc: "2.0", method: "notifications/cancelled", params: { requestId: 8 } }
  // A cancellation that arrives before the call has no effect.
  while (!isAnswered) {
    await Bun.sleep(200)
    expect((await server.post(cancelled, session)).status).toBe(202)
  }
  expect(await answer).toMatchObject({ id: 8, error: { code: -32800 } })
  // The id may be used again.
  expect(await firstMessage(await server.post(READ, session))).toMatchObject({ id: 8, result: {} })
})

test("require the token for the older endpoints as well", async () => {
  await using server = await HttpServer.start(shop, { args: ["--token", TOKEN, "--sse"] })
  expect((await fetch(server.sseUrl!)).status).toBe(401)
  const client = await server.connectSse()
  const answer = await client.callTool({ name: "read", arguments: { path: "go.mod" } })
  expect(answer.structuredContent).toMatchObject({ path: "go.mod" })
  const stream = await fetch(server.sseUrl!, { headers: server.headers })
  const { value } = await stream.body!.getReader().read()
  const [, path] = /data: (\S+)/.exec(new TextDecoder().decode(value)) ?? []
  const url = new URL(path!, server.sseUrl!)
  const post = (body: string, headers = {}) =>
    fetch(url, { method: "POST", headers: { ...JSON_BOTH, ...server.headers, ...headers }, body })
  expect((await post(JSON.stringify(INITIALIZE), { authorization: "" })).status).toBe(401)
  expect((await post("{")).status).toBe(400)
  expect((await post(JSON.stringify(INITIALIZE))).status).toBe(202)
  await client.close()
})

test("refuse a call whose id is in use, and too many concurrent calls", async () => {
  await using server = await HttpServer.start(shop)
  const session = { "mcp-session-id": await server.open() }
  const twice = await server.post([PING, PING], session)
  expect(twice.status).toBe(400)
  expect(await twice.json()).toMatchObject({ error: { code: -32600 } })
  const both = await server.post([PING, { ...PING, id: 9 }], session)
  expect((await both.text()).match(/"result"/g)).toHaveLength(2)
  const many = Array.from({ length: 80 }, (_, id) => ({ ...READ, id: `c${id}` }))
  const text = await (await server.post(many, session)).text()
  expect(text.match(/"structuredContent"/g)).toHaveLength(64)
  expect(text.match(/-32600/g)).toHaveLength(16)
})

test("deliver the answer after a lost connection resumes", async () => {
  await using server = await HttpServer.start(shop)
  const session = { "mcp-session-id": await server.open(), "mcp-protocol-version": "2025-11-25" }
  const response = await server.post(READ, session)
  const reader = response.body!.getReader()
  const { value } = await reader.read()
  const [, id] = /^id: (\d+)/.exec(new TextDecoder().decode(value)) ?? []
  await reader.cancel()
  await Bun.sleep(200)
  const headers = { ...server.headers, ...session, accept: "text/event-stream", "last-event-id": id! }
  const abort = new AbortController()
  const again = await fetch(server.url, { headers, signal: abort.signal })
  let text = ""
  for await (const part of again.body!) {
    text += new TextDecoder().decode(part)
    if (text.includes('"structuredContent"')) break
  }
  abort.abort()
  expect(text).toContain('"id":8')
})

/** Sends bytes and returns what the server answers until it closes or is silent for a second. */
function raw(port: number, bytes: string): Promise<string> {
  return new Promise((resolve) => {
    let text = ""
    void Bun.connect({
      hostname: "127.0.0.1",
      port,
      socket: {
        open: (socket) => void socket.write(bytes),
        data: (socket, data) => {
          text += data.toString()
          socket.end()
          resolve(text)
        },
        close: () => resolve(text),
      },
    })
  })
}

describe("shutdown", () => {
  test("on SIGTERM running calls are answered and streams end", async () => {
    const server = await HttpServer.start(shop)
    const id = await server.open()
    const headers = { ...server.headers, "mcp-session-id": id, accept: "text/event-stream" }
    const stream = await fetch(server.url, { headers })
    const answer = server.post(READ, { "mcp-session-id": id })
    await Bun.sleep(100)
    // Answered after the server has taken the call, which came first.
    await fetch(server.url.replace("/mcp", "/health"))
    server.child.kill("SIGTERM")
    expect(await firstMessage(await answer)).toMatchObject({ id: 8 })
    await stream.text().catch(() => "")
    expect(await server.child.exited).toBe(143)
    await expect(fetch(server.url)).rejects.toThrow()
  })

  test("a client that disconnects in the middle affects no others", async () => {
    await using server = await HttpServer.start(shop)
    const id = await server.open()
    for (let round = 0; round < 5; round++) {
      const abort = new AbortController()
      const headers = { ...JSON_BOTH, ...server.headers, "mcp-session-id": id }
      const body = JSON.stringify({
        ...READ,
        id: 100 + round,
        params: { name: "search", arguments: { query: "hash" } },
      })
      const call = fetch(server.url, { method: "POST", headers, body, signal: abort.signal })
      setTimeout(() => abort.abort(), round * 3)
      await call.then((response) => response.text()).catch(() => "")
    }
    const answer = await server.post(READ, { "mcp-session-id": id })
    expect(await firstMessage(answer)).toMatchObject({ id: 8 })
  })
})

describe("startup", () => {
  test.each([
    [["--http", "--host", "0.0.0.0", "--without-token"], "--without-token works only"],
    [["--http", "--host", "0.0.0.0", "--token", "short"], "16 characters"],
    [["--http", "--token", "two words"], "no spaces"],
    [["--http", "--token-file", "/nowhere/at/all"], "cannot be read"],
    [["--http", "--port", "99999"], "--port must be"],
    [["--port", "1234"], "--port needs --http"],
  ])("refuses %p", async (args, message) => {
    const { code, stderr } = await shop.run(["serve", ...args], { stdin: "" })
    expect(code).toBe(2)
    expect(stderr).toContain(message)
  })

  describe.skipIf(process.platform === "win32")("tokens through a pipe", () => {
    const pipe = () => join(shop.dir, "tokens")
    const start = (file: string, before = "") => {
      const script = `${before} exec "$0" serve --http --port 0 --token-file ${file}`
      return Bun.spawn(["bash", "-c", script, binary, pipe()], {
        cwd: shop.project,
        env: shop.env,
        stderr: "pipe",
      })
    }
    const line = async (stream: ReadableStream<Uint8Array>) => {
      for await (const part of stream) return new TextDecoder().decode(part)
      return ""
    }
    beforeAll(() => void Bun.spawnSync(["mkfifo", pipe()]))

    test("without a writer, reports that it waits for tokens, and can be stopped", async () => {
      const server = start('"$1"')
      expect(await line(server.stderr)).toBe(`waiting for tokens from ${pipe()}\n`)
      server.kill("SIGINT")
      expect(await server.exited).toBe(130)
    })

    test.each([
      ["that has a name", '"$1"', `printf '${TOKEN}\\n' > "$1" &`],
      ["of the shell", `<(printf '${TOKEN}\\n')`, ""],
    ])("%s are read", async (_, file, before) => {
      const server = start(file, before)
      expect(await line(server.stderr)).toStartWith("MCP server listens at")
      server.kill("SIGTERM")
      expect(await server.exited).toBe(143)
    })
  })

  test("reports a port that is in use", async () => {
    await using server = await HttpServer.start(shop)
    const { port } = new URL(server.url)
    const { code, stderr } = await shop.run(["serve", "--http", "--port", port, "--token", TOKEN])
    expect(code).toBe(3)
    expect(stderr).toContain(`cannot listen on 127.0.0.1 port ${port}`)
  })

  test("generates a token if none is given, and otherwise reads the environment", async () => {
    await using made = await HttpServer.start(shop, { args: [] })
    expect(made.token).toMatch(/^[\w-]{43}$/)
    expect(await made.open()).toBeString()
    expect((await made.post(INITIALIZE, { authorization: "" })).status).toBe(401)
    await using given = await HttpServer.start(shop, { args: [], env: { AMAN_SERVER_TOKEN: TOKEN } })
    expect(given.token).toBe(TOKEN)
    expect(await given.open()).toBeString()
    await using none = await HttpServer.start(shop, { args: ["--without-token"] })
    expect(await none.open({ authorization: "" })).toBeString()
  })
})
