import { afterAll, beforeAll, describe, expect, test } from "bun:test"
import { Client, StreamableHTTPClientTransport } from "@modelcontextprotocol/client"
import { StdioClientTransport } from "@modelcontextprotocol/client/stdio"
import type { Browser, Frame, Page } from "playwright-core"
import { chromiumPath, seriousFindings, startChromium } from "./browser.ts"
import { binary, Workspace } from "./harness.ts"
import { HttpServer } from "./http-server.ts"
import { SHOP } from "./sample.ts"

const VIEW = "ui://aman/view.html"
const VERSIONS = ["2025-11-25", "2026-07-28"] as const
const UI = { extensions: { "io.modelcontextprotocol/ui": { mimeTypes: ["text/html;profile=mcp-app"] } } }
const MARKUP = "<img src=x onerror='globalThis.hacked = 1'><script>globalThis.hacked = 1</script>"
const HOSTILE = {
  "evil/<img src=x onerror=hacked=1>.ts": `export function evilName() { return "${MARKUP}" }\n`,
  "web/uses-evil.ts": `import { evilName } from "../evil/x"\nexport const shown = () => evilName()\n`,
}
const MINUTE = 60_000
/** A host's page: answers the requests of the view in its sandbox, and hands over the result of a call. */
const HOST = `<title>host</title><iframe title="view" sandbox="allow-scripts"></iframe><script>
const iframe = document.querySelector("iframe")
const send = (message) => iframe.contentWindow.postMessage({ jsonrpc: "2.0", ...message }, "*")
const answers = {
  "ui/initialize": () => ({
    protocolVersion: "2026-01-26",
    hostInfo: { name: "host", version: "1" },
    hostCapabilities: { serverTools: {} },
    hostContext: {},
  }),
  "tools/call": (params) => callServer(params),
}
function show({ html, args, result }) {
  addEventListener("message", async ({ source, data }) => {
    if (source !== iframe.contentWindow) return
    if (data.id !== undefined) send({ id: data.id, result: await answers[data.method](data.params) })
    if (data.method === "ui/notifications/size-changed") iframe.style.height = data.params.height + "px"
    if (data.method !== "ui/notifications/initialized") return
    send({ method: "ui/notifications/tool-input", params: { arguments: args } })
    send({ method: "ui/notifications/tool-result", params: result })
  })
  iframe.srcdoc = html
}
</script>`

let space: Workspace
beforeAll(async () => {
  space = new Workspace({ ...SHOP, ...HOSTILE })
  await space.json(["index"])
  await space.run(["remember", "--topic", "web", `The shop uses cookies for its session ${MARKUP}`])
  await space.run([
    "remember",
    "--topic",
    "web",
    `The shop does not use cookies for its session any more ${MARKUP}`,
  ])
  await space.run(["memory", "embed"], { env: { AMAN_EMBEDDINGS_ENCODER: "idle" } })
})
afterAll(() => space[Symbol.dispose]())

/** Lines that the server answers to a client with these capabilities, by the ids of the requests. */
async function answers(version: string, capabilities: object, ...requests: readonly object[]) {
  const clientInfo = { name: "test", version: "1" }
  const isLegacy = version < "2026"
  const initialize = { method: "initialize", params: { protocolVersion: version, capabilities, clientInfo } }
  const greeting = isLegacy ? [{ id: 0, ...initialize }, { method: "notifications/initialized" }] : []
  const _meta = {
    "io.modelcontextprotocol/protocolVersion": version,
    "io.modelcontextprotocol/clientCapabilities": capabilities,
    "io.modelcontextprotocol/clientInfo": clientInfo,
  }
  const own = requests.map((request, nth) => ({ id: nth + 1, params: {}, ...request }))
  const asked = isLegacy ? own : own.map((each) => ({ ...each, params: { ...each.params, _meta } }))
  const stdin = [...greeting, ...asked].map((each) => `${JSON.stringify({ jsonrpc: "2.0", ...each })}\n`)
  const { stdout } = await space.run(["serve"], { stdin: stdin.join("") })
  const lines = stdout.trim().split("\n")
  return new Map(lines.map((line) => [JSON.parse(line).id as number, line]))
}

const LISTS = [{ method: "tools/list" }, { method: "resources/list" }]
const SEARCH = { method: "tools/call", params: { name: "search", arguments: { query: "RefundPayment" } } }

describe.each(VERSIONS)("in version %s", (version) => {
  test("lists are the same bytes for every client that does not declare the extension", async () => {
    const plain = await answers(version, {}, ...LISTS, SEARCH)
    expect(plain.get(1)).not.toContain("ui://")
    expect(JSON.parse(plain.get(3)!).result._meta?.["aman/view"]).toBeUndefined()
    const other = { extensions: { "io.modelcontextprotocol/ui": { mimeTypes: ["text/html"] }, "a/b": {} } }
    const undeclared = await answers(version, other, ...LISTS)
    for (const id of [1, 2]) expect(undeclared.get(id)).toBe(plain.get(id)!)
  })

  test("clients that declare it get the view beside the same text, and no other change", async () => {
    const plain = await answers(version, {}, ...LISTS, SEARCH)
    const read = { method: "resources/read", params: { uri: VIEW } }
    const declared = await answers(version, UI, ...LISTS, SEARCH, read)
    const tools = JSON.parse(declared.get(1)!).result.tools
    const shown = tools.filter(({ _meta }: { _meta?: { ui?: object } }) => _meta?.ui !== undefined)
    expect(shown.map(({ name }: { name: string }) => name)).toEqual(["search", "symbol", "manage"])
    for (const tool of shown) {
      expect(tool._meta.ui).toEqual({ resourceUri: VIEW })
      delete tool._meta.ui
      if (Object.keys(tool._meta).length === 0) delete tool._meta
    }
    expect(tools).toEqual(JSON.parse(plain.get(1)!).result.tools)
    expect(declared.get(2)).toBe(plain.get(2)!)
    const result = JSON.parse(declared.get(3)!).result
    expect(result.content).toEqual(JSON.parse(plain.get(3)!).result.content)
    expect(result.structuredContent).toBeUndefined()
    expect(result._meta["aman/view"].results[0]).toMatchObject({ path: "billing/refund.go" })
    const [page] = JSON.parse(declared.get(4)!).result.contents
    expect(page).toMatchObject({
      uri: VIEW,
      mimeType: "text/html;profile=mcp-app",
      _meta: { ui: { csp: { connectDomains: [], resourceDomains: [], frameDomains: [] } } },
    })
    expect(page.text).toContain("default-src 'none'; script-src 'sha256-")
    expect(page.text).not.toMatch(/unsafe|\b(?:src|href)="/)
    expect(Buffer.byteLength(page.text)).toBeLessThan(60_000)
  })
})

test("a list with views is not cached for clients without, also over HTTP", async () => {
  await using server = await HttpServer.start(space)
  const requestInit = { headers: server.headers }
  for (const [capabilities, scope] of [
    [{}, "public"],
    [UI, "private"],
  ] as const) {
    const options = { capabilities, versionNegotiation: { mode: { pin: VERSIONS[1] } } }
    const client = new Client({ name: "test", version: "1" }, options)
    await client.connect(new StreamableHTTPClientTransport(new URL(server.url), { requestInit }))
    const list = await client.listTools()
    expect(list["cacheScope"]).toBe(scope)
    expect(JSON.stringify(list).includes(VIEW)).toBe(scope === "private")
    await client.close()
  }
})

describe.skipIf(chromiumPath === null)("the view in a host in Chromium", () => {
  let browser: Browser
  let page: Page
  let client: Client
  const problems: string[] = []
  const calls: string[] = []

  beforeAll(async () => {
    client = new Client({ name: "test", version: "1" }, { capabilities: UI })
    const stdio = { command: binary, args: ["serve"], cwd: space.project, env: space.env }
    await client.connect(new StdioClientTransport({ ...stdio, stderr: "ignore" }))
    browser = await startChromium()
    page = await browser.newPage()
    page.setDefaultTimeout(20_000)
    page.on("request", (request) => problems.push(request.url()))
    page.on("pageerror", ({ message }) => problems.push(message))
    page.on("console", (message) => message.type() === "error" && problems.push(message.text()))
    await page.exposeFunction("callServer", async (params: { name: string; arguments: object }) => {
      calls.push(params.name)
      return client.callTool({ name: params.name, arguments: { ...params.arguments } })
    })
  }, MINUTE)
  afterAll(async () => {
    await browser?.close()
    await client?.close()
  })

  /** Shows the answer of a call as a host does: in a sandbox, with the messages of the extension. */
  async function shows(name: string, args: Record<string, unknown>): Promise<Frame> {
    const { contents } = await client.readResource({ uri: VIEW })
    const result = await client.callTool({ name, arguments: args })
    await page.goto("about:blank")
    await page.setContent(HOST)
    const [{ text }] = contents as unknown as [{ text: string }]
    await page.evaluate(`show(${JSON.stringify({ html: text, args, result }).replaceAll("<", "\\u003c")})`)
    const frame = page.frames().find((each) => each !== page.mainFrame())!
    await frame.locator("h1, pre").first().waitFor()
    return frame
  }

  async function isHarmless(frame: Frame): Promise<void> {
    expect(await frame.locator("main script, main img").count()).toBe(0)
    for (const each of [frame, page]) expect(await each.evaluate(() => "hacked" in globalThis)).toBe(false)
    expect(problems).toEqual([])
    expect(await seriousFindings(page, frame)).toEqual([])
  }

  test(
    "lists the results of searches as text, and reads further lines through the host",
    async () => {
      const frame = await shows("search", { queries: ["evilName", "RefundPayment"] })
      const first = frame.locator(".result").first()
      await first.locator(".code", { hasText: "<img src=x" }).waitFor()
      expect(await first.locator("h2").textContent()).toStartWith("evil/<img src=x onerror=hacked=1>.ts:")
      const refund = frame.locator("section").nth(1).locator(".result").first()
      expect(await refund.getAttribute("aria-label")).toStartWith("billing/refund.go line")
      const marked = frame.locator(".result[aria-label^='billing/refund_test.go'] .marked").first()
      expect(await marked.textContent()).toContain("func TestRefundPayment")
      const exact = await shows("search", { query: "RefundPayment", mode: "exact" })
      await exact.locator(".marked", { hasText: "RefundPayment(id string)" }).first().waitFor()
      await isHarmless(exact)
    },
    MINUTE,
  )

  test(
    "lists what a change of a symbol may break, and opens a place",
    async () => {
      const frame = await shows("symbol", { name: "RefundPayment", relation: "impact" })
      await frame.getByRole("heading", { name: "Tests that reach it: 1" }).waitFor()
      calls.length = 0
      await frame.getByRole("button", { name: "billing/refund.go:" }).first().click()
      await frame.locator(".code", { hasText: "func (l *Ledger) RefundPayment" }).first().waitFor()
      expect(calls).toEqual(["read"])
      await isHarmless(frame)
      await isHarmless(await shows("symbol", { name: "evilName", relation: "references" }))
    },
    MINUTE,
  )

  test(
    "lists entries that seem to conflict with their whole texts, and any other answer as text",
    async () => {
      const frame = await shows("manage", { action: "conflicts" })
      const newer = frame.locator("button.entry", { hasText: "does not use cookies" })
      await newer.click()
      await frame.locator(".entry-text", { hasText: "<img src=x" }).waitFor()
      await isHarmless(frame)
      const topics = await shows("manage", { action: "topics" })
      await topics.locator("pre", { hasText: "web" }).waitFor()
    },
    MINUTE,
  )

  test(
    "takes the host's theme and colours, and tells its height",
    async () => {
      const frame = await shows("search", { query: "RefundPayment" })
      const colour = () => frame.evaluate("getComputedStyle(document.body).backgroundColor")
      const look = (params: object) => {
        const message = { method: "ui/notifications/host-context-changed", params }
        return page.evaluate(`send(${JSON.stringify(message)})`)
      }
      await page.emulateMedia({ colorScheme: "light" })
      expect(await colour()).toBe("rgb(252, 252, 251)")
      await look({ theme: "dark" })
      await frame.locator("html[data-theme=dark]").waitFor({ state: "attached" })
      expect(await colour()).toBe("rgb(23, 24, 22)")
      await look({ styles: { variables: { "--color-background-primary": "light-dark(#fff, #010203)" } } })
      await frame.locator("html[style*='010203']").waitFor({ state: "attached" })
      expect(await colour()).toBe("rgb(1, 2, 3)")
      const height = await frame.evaluate("Math.ceil(document.body.getBoundingClientRect().height)")
      await page.waitForFunction(`iframe.style.height === "${height}px"`)
    },
    MINUTE,
  )
})
