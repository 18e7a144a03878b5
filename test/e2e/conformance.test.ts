import { afterAll, beforeAll, expect, test } from "bun:test"
import { fileURLToPath } from "node:url"
import { LATEST_PROTOCOL_VERSION } from "@modelcontextprotocol/sdk/types.js"
import type { HttpAddresses } from "../../src/app/project/serve-options.ts"
import { loadServerConfig } from "../../src/config/load-server.ts"
import { serveHttp } from "../../src/mcp/session/serve-http.ts"
import { offerFixtures } from "../conformance/fixtures.ts"
import { Workspace } from "./harness.ts"
import { HttpServer } from "./http-server.ts"
import { SHOP } from "./sample.ts"

// Scenarios that need no fixture of the suite.
const OF_THE_BINARY = [
  "server-initialize",
  "ping",
  "logging-set-level",
  "tools-list",
  "resources-list",
  "prompts-list",
  "server-sse-multiple-streams",
  "dns-rebinding-protection",
]
const SUITE = fileURLToPath(import.meta.resolve("@modelcontextprotocol/conformance/dist/index.js"))

let space: Workspace
beforeAll(() => {
  space = new Workspace(SHOP)
})
afterAll(() => space[Symbol.dispose]())

/** Runs the official suite against a server and returns its results. */
async function conformance(url: string, ...args: string[]) {
  const child = Bun.spawn([process.execPath, SUITE, "server", "--url", url, ...args], {
    cwd: space.dir,
    env: { ...process.env, NO_COLOR: "1" },
    stdout: "pipe",
    stderr: "pipe",
  })
  const [stdout, stderr] = await Promise.all([child.stdout.text(), child.stderr.text()])
  return { code: await child.exited, text: stdout + stderr }
}

/** Starts our protocol layer with the fixtures that the suite requires. */
async function fixtures(): Promise<AsyncDisposable & { readonly url: string }> {
  const stop = new AbortController()
  const config = { ...loadServerConfig({}, { HOME: space.home }), port: 0, rate: 0 }
  let running: Promise<void> = Promise.resolve()
  const { url } = await new Promise<HttpAddresses>((resolve, reject) => {
    const http = { config, tokens: [], onListening: resolve }
    running = serveHttp({ cwd: space.home }, http, stop.signal, offerFixtures)
    running.catch(reject)
  })
  const close = () => {
    stop.abort()
    return running
  }
  return { url, [Symbol.asyncDispose]: close }
}

test("every server scenario passes on the protocol layer with the suite's fixtures", async () => {
  await using server = await fixtures()
  const { code, text } = await conformance(server.url, "--suite", "all")
  expect(text).not.toContain("✗")
  expect(text.match(/^✓ /gm)).toHaveLength(32)
  expect(text).toMatch(/^Total: \d+ passed, 0 failed/m)
  expect(code).toBe(0)
})

// The suite negotiates version 2025-11-25, but then names 2025-03-26 in each request. Clients of that version
// cannot read the events that this scenario checks, and our server does not send them. So a proxy corrects
// the version.
test("resumes a stream that closed during a call: server-sse-polling, in the agreed version", async () => {
  await using server = await fixtures()
  await using proxy = Bun.serve({
    port: 0,
    hostname: "127.0.0.1",
    fetch: (request) => {
      const headers = new Headers(request.headers)
      headers.delete("host")
      if (headers.has("mcp-protocol-version")) headers.set("mcp-protocol-version", LATEST_PROTOCOL_VERSION)
      return fetch(server.url, { method: request.method, headers, body: request.body })
    },
  })
  const { code, text } = await conformance(String(proxy.url), "--scenario", "server-sse-polling")
  expect(text).toContain("Passed: 3/3, 0 failed, 0 warnings")
  expect(code).toBe(0)
})

test.each(OF_THE_BINARY)("the binary passes %s", async (scenario) => {
  await using server = await HttpServer.start(space, { args: ["--without-token", "--rate", "0"] })
  const { code, text } = await conformance(server.url, "--scenario", scenario)
  expect(text).toMatch(/\b0 failed/)
  expect(code).toBe(0)
})
