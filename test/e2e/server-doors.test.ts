import { afterAll, beforeAll, describe, expect, test } from "bun:test"
import { appendFileSync, existsSync, mkdirSync, renameSync, symlinkSync, writeFileSync } from "node:fs"
import { join } from "node:path"
import { pathToFileURL } from "node:url"
import { LoggingMessageNotificationSchema } from "@modelcontextprotocol/sdk/types.js"
import { type Connection, connect } from "./connect.ts"
import { binary, Workspace } from "./harness.ts"
import { SHOP } from "./sample.ts"

function writeMany(space: Workspace, files: number): void {
  mkdirSync(join(space.project, "many"))
  for (let index = 0; index < files; index++) {
    const name = `part_${String(index).padStart(4, "0")}.py`
    writeFileSync(join(space.project, "many", name), `def part_${index}():\n    return ${index}\n`.repeat(30))
  }
}

describe("resources", () => {
  let shop: Workspace
  let server: Connection
  beforeAll(async () => {
    shop = new Workspace({ ...SHOP, "with space/ünï#%.md": "# Odd name\n", ".env": "SECRET=1\n" })
    symlinkSync("/etc/hostname", join(shop.project, "link.txt"))
    writeMany(shop, 1100)
    await shop.json(["index"])
    server = await connect(shop)
  })
  afterAll(async () => {
    await server[Symbol.asyncDispose]()
    shop[Symbol.dispose]()
  })
  const uriOf = (path: string) => pathToFileURL(join(shop.project, path)).href

  test("lists every indexed file once, page by page, after state and map", async () => {
    const names: string[] = []
    let cursor: string | undefined
    let pages = 0
    do {
      const page = await server.client.listResources(cursor === undefined ? {} : { cursor })
      names.push(...page.resources.map(({ name }) => name))
      cursor = page.nextCursor
      pages++
    } while (cursor !== undefined)
    expect(pages).toBeGreaterThan(1)
    expect(names[0]).toBe("status")
    expect(names).toHaveLength(2 + 7 + 1 + 1100)
    expect(new Set(names).size).toBe(names.length)
    expect(names).not.toContain(".env")
    expect(server.client.listResources({ cursor: "???" })).rejects.toThrow("invalid cursor")
  })

  test("reads a file as it is now, by its address from the list or from the template", async () => {
    for (const path of ["web/hash.ts", "with space/ünï#%.md"]) {
      const { contents } = await server.client.readResource({ uri: uriOf(path) })
      expect(contents[0]).toMatchObject({ uri: uriOf(path), text: expect.any(String) })
    }
    const { resourceTemplates } = await server.client.listResourceTemplates()
    expect(resourceTemplates[0]!.uriTemplate).toBe(`${pathToFileURL(shop.project).href}/{+path}`)
    const status = await server.client.readResource({ uri: "aman://status" })
    const [content] = status.contents as { text: string }[]
    expect(JSON.parse(content!.text)).toMatchObject({ root: shop.project, state: "ready" })
  })

  test.each([
    "file:///etc/passwd",
    "file://elsewhere/etc/passwd",
    "aman://other",
    "http://localhost/",
    "file:///%2e%2e/etc/passwd",
    "not an address",
  ])("refuses %p", async (uri) => {
    expect(server.client.readResource({ uri })).rejects.toThrow(/not a resource of this project/)
  })

  test.each([
    "..%2f..%2fetc/passwd",
    "%2e%2e/secret",
    "link.txt",
    ".env",
    ".git/config",
    "a%00b",
    "missing.py",
    "web",
  ])("refuses %p below the root", async (path) => {
    const uri = `${pathToFileURL(shop.project).href}/${path}`
    expect(server.client.readResource({ uri })).rejects.toThrow(/MCP error -32602/)
  })
})

describe("while indexing", () => {
  test("a caller that requests progress gets it, increasing; others get none", async () => {
    using big = new Workspace(SHOP)
    writeMany(big, 3000)
    await using server = await connect(big)
    const heard: { progress: number; total?: number | undefined; message?: string | undefined }[] = []
    while (heard.length < 2) {
      const answer = await server.client.callTool(
        { name: "search", arguments: { query: "part_7" } },
        undefined,
        { onprogress: (progress) => void heard.push(progress) },
      )
      expect(answer.isError).toBeFalsy()
      const { partial } = answer.structuredContent as { partial: object | null }
      if (partial === null) break
    }
    expect(heard.length).toBeGreaterThanOrEqual(2)
    const { progress, total, message } = heard.at(-1)!
    expect(progress).toBeGreaterThan(0)
    expect(total).toBe(1)
    expect(message).toMatch(/files|index|vectors/)
  })

  test("the client gets log messages from its chosen level on", async () => {
    for (const [level, isTold] of [
      ["info", true],
      ["error", false],
    ] as const) {
      using big = new Workspace(SHOP)
      writeMany(big, 300)
      await using server = await connect(big)
      const told: unknown[] = []
      server.client.setNotificationHandler(
        LoggingMessageNotificationSchema,
        ({ params }) => void told.push(params),
      )
      await server.client.setLoggingLevel(level)
      told.length = 0
      while ((await server.call("search", { query: "part_7" })).structuredContent.partial !== null);
      while ((await server.call("status")).structuredContent.progress !== null);
      expect(told.length > 0).toBe(isTold)
      const data = told.map((params) => (params as { data: string }).data).join("\n")
      if (isTold) expect(data).toMatch(/indexing phase=parse total=30\d|indexed changed=30\d/)
    }
  })
})

describe("logs", () => {
  test("servers keep a log of what they do, without queries and contents", async () => {
    using shop = new Workspace(SHOP)
    const none = await shop.run(["logs"])
    expect(none).toMatchObject({ code: 1, stdout: "" })
    expect(none.stderr).toContain("nothing has been logged yet")
    {
      await using server = await connect(shop)
      await server.call("search", { query: "RefundPayment" })
      while ((await server.call("status")).structuredContent.progress !== null);
    }
    const path = join(shop.home, ".local/share/aman/logs/server.log")
    expect(existsSync(path)).toBe(true)
    const { code, stdout } = await shop.run(["logs"])
    expect(code).toBe(0)
    expect(stdout).toMatch(/^\d{4}-\d\d-\d\dT[\d:.]+Z \d+ info connected client=test/m)
    expect(stdout).toContain(" info indexed changed=7")
    expect(stdout).not.toContain("RefundPayment")
    const lines = (await shop.run(["logs", "--json", "-n", "1"])).stdout.trimEnd().split("\n")
    expect(JSON.parse(lines[0]!)).toMatchObject({ level: "info", process: expect.any(Number) })
    expect(lines).toHaveLength(1)
    expect((await shop.run(["logs", "sever"])).code).toBe(2)
  })

  test("-f continues with new lines, also when the file is rotated", async () => {
    using shop = new Workspace(SHOP)
    const folder = join(shop.home, ".local/share/aman/logs")
    mkdirSync(folder, { recursive: true })
    writeFileSync(join(folder, "server.log"), "2026-01-01T00:00:00.000Z 1 info first\n")
    const tail = Bun.spawn([binary, "logs", "-f"], { env: shop.env, cwd: shop.project, stdout: "pipe" })
    let text = ""
    const reading = (async () => {
      for await (const part of tail.stdout) text += new TextDecoder().decode(part)
    })()
    const until = async (wanted: string) => {
      while (!text.includes(wanted)) await Bun.sleep(10)
    }
    await until("first")
    appendFileSync(join(folder, "server.log"), "2026-01-01T00:00:00.000Z 1 info second\n")
    await until("second")
    appendFileSync(join(folder, "server.log"), "2026-01-01T00:00:00.000Z 1 warn third\u001b]0;x\n")
    renameSync(join(folder, "server.log"), join(folder, "server.log.1"))
    writeFileSync(join(folder, "server.log"), "2026-01-01T00:00:00.000Z 1 info fourth\n")
    await until("fourth")
    expect(text).toContain("third")
    expect(text).not.toContain("\u001b")
    tail.kill("SIGINT")
    expect(await tail.exited).toBe(130)
    await reading
  })
})

test("shows the own index over MCP, removes neither it while it is in use nor another one", async () => {
  using shop = new Workspace(SHOP)
  const other = join(shop.dir, "other")
  mkdirSync(other)
  writeFileSync(join(other, "a.py"), "x = 1\n")
  await shop.json(["index"], { cwd: other })
  await using server = await connect(shop)
  await server.call("search", { query: "hash" })
  const { structuredContent } = await server.call("projects")
  expect(structuredContent.projects.map(({ root }: { root: string }) => root)).toEqual([shop.project])
  const removed = await server.call("projects", { action: "remove", root: other })
  expect(removed.isError).toBe(true)
  expect(existsSync(join(other, ".aman"))).toBe(true)
  const busy = await server.call("projects", { action: "remove", root: shop.project })
  expect(busy.isError).toBe(true)
  expect((await server.call("projects", { action: "remove" })).isError).toBe(true)
})
