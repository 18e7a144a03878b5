import { afterAll, beforeAll, expect, test } from "bun:test"
import { fileURLToPath } from "node:url"
import type { Listening } from "../../src/app/http-options.ts"
import { loadServerConfig } from "../../src/config/load-server.ts"
import { serveHttp } from "../../src/mcp/serve-http.ts"
import { offerFixtures } from "../conformance/fixtures.ts"
import { Workspace } from "./harness.ts"
import { HttpServer } from "./http-server.ts"
import { SHOP } from "./sample.ts"

// Those that need no fixture of the suite's own.
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

/** What the official suite says of a server. */
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

test("every server scenario passes over the protocol layer, with the suite's fixtures offered", async () => {
  const stop = new AbortController()
  const config = { ...loadServerConfig({}, { HOME: space.home }), port: 0, rate: 0 }
  let running: Promise<void> = Promise.resolve()
  const { url } = await new Promise<Listening>((resolve, reject) => {
    const http = { config, tokens: [], onListening: resolve }
    running = serveHttp({ cwd: space.home }, http, stop.signal, offerFixtures)
    running.catch(reject)
  })
  const { code, text } = await conformance(url, "--suite", "all")
  stop.abort()
  await running
  expect(text).not.toContain("✗")
  expect(text.match(/^✓ /gm)).toHaveLength(32)
  expect(text).toMatch(/^Total: \d+ passed, 0 failed/m)
  expect(code).toBe(0)
})

test.each(OF_THE_BINARY)("the binary passes %s", async (scenario) => {
  await using server = await HttpServer.start(space, { args: ["--without-token", "--rate", "0"] })
  const { code, text } = await conformance(server.url, "--scenario", scenario)
  expect(text).toMatch(/\b0 failed/)
  expect(code).toBe(0)
})
