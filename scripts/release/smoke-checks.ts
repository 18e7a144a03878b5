import { existsSync, mkdirSync, readdirSync, writeFileSync } from "node:fs"
import { dirname, join } from "node:path"
import { Client } from "@modelcontextprotocol/sdk/client/index.js"
import { StdioClientTransport } from "@modelcontextprotocol/sdk/client/stdio.js"
import { SHOP } from "../../test/e2e/sample.ts"
import type { Place } from "./places.ts"

/** A check; returns what it has found, or throws what is wrong. */
export type Check = readonly [name: string, run: (place: Place) => Promise<string>]

const QUESTION = "how many failed logins before the account is locked"
const ANSWER = "web/login.ts"
const TIMEOUT_MS = 120_000

export const CHECKS: readonly Check[] = [
  ["version", version],
  ["index", index],
  ["search", search],
  ["watching", watching],
  ["memory", memory],
  ["protocol", protocol],
  ["hostile folder", hostileFolder],
]

async function version(place: Place): Promise<string> {
  mkdirSync(join(place.folder, "home"), { recursive: true })
  writeFiles(join(place.folder, "shop"), SHOP)
  const { stdout } = await run(place, "shop", ["version"])
  if (!/^aman \d+\.\d+\.\d+\S* \(\w+\)\s*$/.test(stdout))
    throw new Error(`version says ${JSON.stringify(stdout)}`)
  return stdout.trim()
}

async function index(place: Place): Promise<string> {
  const report = await json(place, "shop", ["index"])
  const expected = Object.keys(SHOP).filter((path) => path !== "go.mod").length + 1
  if (report.files !== expected) throw new Error(`${report.files} files are indexed, not ${expected}`)
  return `${report.files} files, ${report.chunks} chunks`
}

async function search(place: Place): Promise<string> {
  const { results } = await json(place, "shop", ["search", QUESTION])
  const paths: string[] = results.map((result: { path: string }) => result.path)
  if (!paths.slice(0, 2).includes(ANSWER)) throw new Error(`${ANSWER} is not found, but ${paths.join(", ")}`)
  return `${paths.length} results`
}

/** Checks that a file written while `index --watch` runs is indexed without a request. */
async function watching(place: Place): Promise<string> {
  const cwd = join(place.folder, "shop")
  const child = Bun.spawn([...place.command(cwd), "index", "--watch", "--verbose"], {
    ...{ cwd, env: { ...place.env }, stdin: "ignore", stdout: "ignore", stderr: "pipe" },
    ...{ timeout: TIMEOUT_MS, killSignal: "SIGKILL" },
  })
  const decoder = new TextDecoder()
  let said = ""
  let isWritten = false
  for await (const part of child.stderr) {
    said += decoder.decode(part, { stream: true })
    if (!isWritten && said.includes("Watching for changes")) {
      isWritten = true
      writeFiles(cwd, { "billing/late_fee.py": "def late_fee():\n    return 3\n" })
    } else if (isWritten && /indexed changed=[1-9]/.test(said)) break
  }
  child.kill("SIGKILL")
  await child.exited
  if (!/indexed changed=[1-9]/.test(said)) throw new Error(`a new file is not noticed: ${said.slice(-300)}`)
  const { results } = await json(place, "shop", ["search", "late_fee"])
  if (results[0]?.path !== "billing/late_fee.py") throw new Error("what was noticed is not found")
  return "a new file is read by itself"
}

async function memory(place: Place): Promise<string> {
  await json(place, "shop", ["remember", "--topic", "release", "Releases are cut on Tuesdays"])
  const { stdout } = await run(place, "shop", ["recall", "when are releases cut"])
  if (!stdout.includes("Tuesdays")) throw new Error(`recall says ${JSON.stringify(stdout)}`)
  return "what was remembered is recalled"
}

/** Checks the protocol with the official client, or without pipes with messages from a file. */
async function protocol(place: Place): Promise<string> {
  if (!place.hasPipes) return await linesFromFile(place)
  const [command, ...args] = place.command(join(place.folder, "shop"))
  const client = new Client({ name: "smoke", version: "1" })
  await client.connect(
    new StdioClientTransport({
      command: command!,
      args: [...args, "serve"],
      cwd: join(place.folder, "shop"),
      env: { ...place.env },
      stderr: "ignore",
    }),
  )
  try {
    const { tools } = await client.listTools()
    const answer = await client.callTool({ name: "search", arguments: { query: QUESTION } })
    if (!JSON.stringify(answer.content).includes(ANSWER)) throw new Error("the tool search does not find it")
    return `${tools.length} tools, search answers`
  } finally {
    await client.close()
  }
}

async function linesFromFile(place: Place): Promise<string> {
  const file = join(place.folder, "lines")
  const params = {
    protocolVersion: "2025-06-18",
    capabilities: {},
    clientInfo: { name: "smoke", version: "1" },
  }
  const lines = [
    { id: 1, method: "initialize", params },
    { method: "notifications/initialized" },
    { id: 2, method: "tools/list" },
  ]
  writeFileSync(file, lines.map((line) => `${JSON.stringify({ jsonrpc: "2.0", ...line })}\n`).join(""))
  const { stdout } = await run(place, "shop", ["serve"], file)
  const answers = stdout
    .trim()
    .split("\n")
    .map((line) => JSON.parse(line))
  const tools = answers.find(({ id }) => id === 2)?.result?.tools
  if (!Array.isArray(tools)) throw new Error(`no list of tools: ${stdout.slice(0, 300)}`)
  return `${tools.length} tools (from a file: no pipes here)`
}

/** Checks that files in a folder can neither run code in aman nor change where it writes. */
async function hostileFolder(place: Place): Promise<string> {
  const folder = join(place.folder, "hostile")
  const mark = join(folder, "MARK")
  const evil = `require("node:fs").writeFileSync("MARK", "")\n`
  writeFiles(folder, {
    "a.py": "def limit_attempts(): pass\n",
    "evil.ts": evil,
    "bunfig.toml": 'preload = ["./evil.ts"]\n',
    ".env": "AMAN_INDEX_DIR=stolen\nBUN_OPTIONS=--preload=./evil.ts\nAMAN_LOG=debug\n",
    "package.json": '{"type":"module","imports":{"#x":"./evil.ts"}}\n',
    "tsconfig.json": '{"compilerOptions":{"paths":{"*":["./evil.ts"]}}}\n',
    "index/pipeline/worker.ts": evil,
    ".git/HEAD": "ref: refs/heads/main\n",
    ".git/config":
      '[core]\n\tfsmonitor = "touch MARK"\n\tpager = "touch MARK"\n[alias]\n\tls-files = "!touch MARK"\n',
    ".git/objects/keep": "",
    ".git/refs/keep": "",
  })
  const { results } = await json(place, "hostile", ["search", "limit_attempts"])
  if (results[0]?.path !== "a.py") throw new Error("a.py is not found in the hostile folder")
  if (existsSync(mark)) throw new Error("the folder's own code ran")
  if (existsSync(join(folder, "stolen"))) throw new Error("the folder's .env was believed")
  return `searched, and nothing of it ran (${readdirSync(folder).length} things in it)`
}

// biome-ignore lint/suspicious/noExplicitAny: checks look at the parts they name
async function json(place: Place, folder: string, [command, ...args]: readonly string[]): Promise<any> {
  const { stdout } = await run(place, folder, [command!, "--json", ...args])
  return JSON.parse(stdout)
}

async function run(place: Place, folder: string, args: readonly string[], stdin?: string) {
  const cwd = join(place.folder, folder)
  const child = Bun.spawn([...place.command(cwd), ...args], {
    cwd,
    env: { ...place.env },
    stdin: stdin === undefined ? "ignore" : Bun.file(stdin),
    stdout: "pipe",
    stderr: "pipe",
    timeout: TIMEOUT_MS,
  })
  const [stdout, stderr] = await Promise.all([child.stdout.text(), child.stderr.text()])
  const code = await child.exited
  if (code !== 0) throw new Error(`aman ${args.join(" ")} ended with ${code}: ${stderr}${stdout}`)
  return { stdout, stderr }
}

function writeFiles(folder: string, files: Readonly<Record<string, string>>): void {
  for (const [path, text] of Object.entries(files)) {
    const full = join(folder, path)
    mkdirSync(dirname(full), { recursive: true })
    writeFileSync(full, text)
  }
}
