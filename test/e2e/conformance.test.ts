import { afterAll, beforeAll, expect, test } from "bun:test"
import { fileURLToPath } from "node:url"
import type { HttpAddresses } from "../../src/ask/project/serve-options.ts"
import { loadServerConfig } from "../../src/base/config/load-server.ts"
import { serveHttp } from "../../src/doors/mcp/http/serve-http.ts"
import { offerFixtures } from "../conformance/fixtures.ts"
import { Workspace } from "./harness.ts"
import { HttpServer } from "./http-server.ts"
import { SHOP } from "./sample.ts"

// Scenarios that need no fixture of the suite.
const OF_THE_BINARY = {
  "2025-11-25": [
    "server-initialize",
    "server-session-lifecycle",
    "ping",
    "logging-set-level",
    "tools-list",
    "resources-list",
    "prompts-list",
    "server-sse-multiple-streams",
    "dns-rebinding-protection",
  ],
  "2026-07-28": [
    "tools-list",
    "resources-list",
    "sep-2164-resource-not-found",
    "prompts-list",
    "caching",
    "http-header-validation",
    "dns-rebinding-protection",
  ],
} as const
/** Scenarios of 2026-07-28 for extensions that aman does not offer: tasks, and headers made from arguments. */
const NOT_OFFERED = /^✗ (tasks-|http-custom-header)/
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
    const http = { config, servesSse: false, tokens: [], onListening: resolve }
    running = serveHttp({ cwd: space.home }, http, stop.signal, offerFixtures)
    running.catch(reject)
  })
  const close = () => {
    stop.abort()
    return running
  }
  return { url, [Symbol.asyncDispose]: close }
}

test("every scenario of 2025-11-25 passes on the protocol layer with the suite's fixtures", async () => {
  await using server = await fixtures()
  const { code, text } = await conformance(server.url, "--requirements", "2025-11-25")
  expect(text).not.toContain("✗")
  expect(text.match(/^✓ /gm)).toHaveLength(33)
  expect(text).toMatch(/^Total: \d+ passed, 0 failed/m)
  expect(code).toBe(0)
})

test("every scenario of 2026-07-28 passes that is about what aman offers", async () => {
  await using server = await fixtures()
  const { text } = await conformance(server.url, "--requirements", "2026-07-28")
  const lines = text.split("\n").filter((line) => /^[✓✗] /.test(line))
  expect(lines.filter((line) => line.startsWith("✗") && !NOT_OFFERED.test(line))).toEqual([])
  expect(lines.filter((line) => line.startsWith("✓")).length).toBeGreaterThan(25)
})

test.each(["2025-11-25", "2026-07-28"] as const)(
  "the binary passes the scenarios of %s that need no fixture",
  async (version) => {
    await using server = await HttpServer.start(space, { args: ["--without-token", "--rate", "0"] })
    const { text } = await conformance(server.url, "--requirements", version)
    const passed = [...text.matchAll(/^✓ ([\w-]+): [1-9]\d* passed, 0 failed/gm)].map(([, name]) => name)
    expect(passed).toEqual(expect.arrayContaining([...OF_THE_BINARY[version]]))
  },
)
