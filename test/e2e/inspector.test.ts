import { afterAll, beforeAll, expect, test } from "bun:test"
import { dirname } from "node:path"
import { fileURLToPath } from "node:url"
import { commit, git } from "../git-repository.ts"
import { binary, Workspace } from "./harness.ts"
import { HttpServer, TOKEN } from "./http-server.ts"
import { SHOP } from "./sample.ts"

// A full path, because the inspector runs in another folder.
const INSPECTOR = fileURLToPath(import.meta.resolve("@modelcontextprotocol/inspector-cli/build/index.js"))

/** Arguments with which each tool returns an answer; a tool that is missing here fails the test. */
const CALLS: Readonly<Record<string, Readonly<Record<string, string>>>> = {
  search: { query: "RefundPayment" },
  read: { path: "go.mod" },
  symbol: { name: "RefundPayment", relation: "callers" },
  context: { query: "change how refunds work" },
  log: { what: "go.mod" },
  status: {},
  remember: { text: "Inspected.", topic: "inspection" },
  recall: { query: "Inspected" },
  knowledge: { action: "topics" },
  projects: {},
  manage: { action: "status" },
  repositories: {},
}

let shop: Workspace
beforeAll(() => {
  shop = new Workspace(SHOP)
  git(shop.project, "init", "-q", "-b", "main")
  commit(shop.project, "First")
})
afterAll(() => shop[Symbol.dispose]())

/** Runs the official inspector's command line. */
async function inspect(server: readonly string[], ...args: string[]) {
  const child = Bun.spawn([process.execPath, INSPECTOR, ...server, ...args], {
    cwd: dirname(INSPECTOR),
    env: shop.env,
    stdout: "pipe",
    stderr: "pipe",
  })
  const [stdout, stderr] = await Promise.all([child.stdout.text(), child.stderr.text()])
  if ((await child.exited) !== 0) throw new Error(`${args.join(" ")}: ${stderr}${stdout}`)
  return JSON.parse(stdout)
}

function toolCall(name: string): string[] {
  const args = Object.entries(CALLS[name]!).flatMap(([key, value]) => ["--tool-arg", `${key}=${value}`])
  return ["--method", "tools/call", "--tool-name", name, ...args]
}

test("the inspector lists and calls every tool of the binary, over stdio and HTTP", async () => {
  const stdio = [binary, "serve", "--tools", "full", "--root", shop.project]
  const { tools } = await inspect(stdio, "--method", "tools/list")
  const names: string[] = tools.map(({ name }: { name: string }) => name)
  expect(names.length).toBeGreaterThan(8)
  await using server = await HttpServer.start(shop)
  const http = [server.url, "--transport", "http", "--header", `Authorization: Bearer ${TOKEN}`]
  expect((await inspect(http, "--method", "tools/list")).tools).toHaveLength(names.length)
  for (const [at, name] of names.entries()) {
    const { content, isError } = await inspect(at % 2 === 0 ? stdio : http, ...toolCall(name))
    expect({ name, isError: isError ?? false }).toEqual({ name, isError: false })
    expect(content[0].text.length).toBeGreaterThan(0)
  }
})

test("the inspector lists prompts and resources", async () => {
  const stdio = [binary, "serve", "--root", shop.project]
  const { prompts } = await inspect(stdio, "--method", "prompts/list")
  expect(prompts.length).toBeGreaterThan(3)
  const { resources } = await inspect(stdio, "--method", "resources/list")
  expect(resources[0].uri).toBe("aman://status")
  const { resourceTemplates } = await inspect(stdio, "--method", "resources/templates/list")
  expect(resourceTemplates.length).toBeGreaterThan(3)
})
