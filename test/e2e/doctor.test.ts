import { expect, setDefaultTimeout, test } from "bun:test"
import { closeSync, mkdirSync, openSync, readFileSync, rmSync, writeFileSync, writeSync } from "node:fs"
import { join } from "node:path"
import { startEmbeddingServer } from "../embedding-server.ts"
import { binary, Workspace } from "./harness.ts"
import { SHOP } from "./sample.ts"

setDefaultTimeout(60_000)

type Check = {
  readonly name: string
  readonly state: string
  readonly message: string
  readonly next: string | null
}
// An address at which nothing listens.
const NOWHERE = { OLLAMA_HOST: "http://127.0.0.1:9" }

async function doctor(space: Workspace, env: Record<string, string> = NOWHERE) {
  const { code, stdout } = await space.run(["doctor", "--json"], { env })
  const { state, checks } = JSON.parse(stdout) as { state: string; checks: Check[] }
  const of = (name: string) => checks.filter((check) => check.name === name)
  const names = new Set(checks.map(({ name }) => name))
  return { code, state, names, of, worst: (name: string) => of(name).map((check) => check.state) }
}

test.skipIf(process.platform === "win32")("names a data folder that cannot be made", async () => {
  using space = new Workspace({ ...SHOP, file: "" })
  const nowhere = join(space.project, "file")
  const { of } = await doctor(space, { ...NOWHERE, AMAN_DATA_DIR: nowhere, TMPDIR: nowhere })
  expect(of("vectors")[0]?.state).toBe("warning")
  expect(of("vectors")[0]?.message).toContain(`cannot write ${nowhere}/native`)
  expect(of("vectors")[0]?.next).toContain("AMAN_DATA_DIR")
  // In a temporary folder of the user's own it works.
  const temporary = await doctor(space, { ...NOWHERE, AMAN_DATA_DIR: nowhere })
  expect(temporary.worst("vectors")).toEqual(["ok"])
})

test("reports ok for a healthy installation, and a warning with a next step otherwise", async () => {
  using shop = new Workspace(SHOP)
  mkdirSync(join(shop.home, ".claude"))
  const before = await doctor(shop)
  expect(before).toMatchObject({ code: 0, state: "warning" })
  // Every check has a heading in docs/troubleshooting.md, and every heading a check.
  const page = await Bun.file(join(import.meta.dir, "../../docs/troubleshooting.md")).text()
  const headings = page.split("# Beyond doctor")[0]!.matchAll(/^## (.+)$/gm)
  expect([...headings].map(([, name]) => name!).sort()).toEqual([...before.names].sort())
  rmSync(join(shop.home, ".claude"), { recursive: true })
  expect(before.of("index")).toEqual([
    { name: "index", state: "warning", message: "none yet", next: "run: aman index" },
  ])
  await shop.json(["index"], { env: NOWHERE })
  const after = await doctor(shop)
  expect(after).toMatchObject({ code: 0, state: "ok" })
  expect(after.of("knowledge")[0]?.message).toBe("nothing is remembered yet")
  expect(after.of("embedder").map(({ message }) => message)).toEqual(["aman512 is built in"])
  const { embedding } = await shop.json(["status"], { env: NOWHERE })
  expect(embedding).toMatchObject({ model: "aman512", share: 1 })
  const env = { ...NOWHERE, AMAN_DATA_DIR: join(shop.dir, "data") }
  await shop.json(["remember", "--", "a fact"], { env })
  const elsewhere = await doctor(shop, { ...env, PATH: shop.dir })
  expect(elsewhere.of("knowledge")[0]?.message).toStartWith("1 entry in")
  expect(elsewhere.worst("settings")).toEqual(["ok"])
  for (const name of [
    "version",
    "vectors",
    "settings",
    "project",
    "memory",
    "disk",
    "writing",
    "git",
    "embedder",
    "grammars",
  ]) {
    expect(after.of(name).length).toBeGreaterThan(0)
  }
  expect(after.of("index")[0]!.message).toContain("7 files")
  expect(elsewhere.of("git")[0]).toMatchObject({
    state: "warning",
    message: expect.stringContaining("not on the PATH"),
  })
  const text = await shop.run(["doctor"], { env: NOWHERE })
  expect(text.stdout).toMatch(/^ok +version +aman \d/m)
  expect((await shop.run(["doctor", "-q"], { env: NOWHERE })).stdout).toBe("")
})

test("distinguishes a damaged index from one that came with the project", async () => {
  using shop = new Workspace(SHOP)
  await shop.json(["index"], { env: NOWHERE })
  const path = join(shop.project, ".aman/index.db")
  const file = openSync(path, "r+")
  for (let page = 2; page < 20; page++) writeSync(file, "damage".repeat(100), page * 4096)
  closeSync(file)
  const damaged = await doctor(shop)
  expect(damaged).toMatchObject({ code: 3, state: "error" })
  expect(damaged.of("index")[0]).toMatchObject({ state: "error", next: "run: aman index" })
  expect((await shop.run(["index"], { env: NOWHERE })).code).toBe(0)
  expect((await doctor(shop)).worst("index")).toEqual(["ok"])
  rmSync(join(shop.home, ".local"), { recursive: true })
  expect((await doctor(shop)).of("index")[0]!.message).toContain("not built by your aman")
})

test("checks settings, folders and a place without a project", async () => {
  using shop = new Workspace({ ...SHOP, ".aman.yaml": "search:\n  limt: 3\n" })
  const wrong = await doctor(shop)
  expect(wrong.code).toBe(3)
  expect(wrong.of("settings")[0]).toMatchObject({ state: "error", next: "did you mean search.limit?" })
  using plain = new Workspace(SHOP)
  const large = await doctor(plain, { ...NOWHERE, AMAN_MEMORY_LIMIT: "1TiB" })
  expect(large.of("memory")[0]).toMatchObject({
    state: "warning",
    message: expect.stringContaining("memory_limit"),
  })
  const relative = await doctor(plain, { ...NOWHERE, AMAN_DATA_DIR: "data" })
  expect(relative.of("settings")[0]).toMatchObject({
    state: "error",
    next: `use an absolute path: AMAN_DATA_DIR=${plain.project}/data`,
  })
  const nowhere = await shop.run(["doctor"], { cwd: shop.home, env: NOWHERE })
  expect(nowhere.stdout).toMatch(/^warning +project/m)
})

test("checks Ollama with a model, without a model, and missing though configured", async () => {
  using shop = new Workspace(SHOP)
  using there = startEmbeddingServer()
  const auto = { AMAN_EMBEDDINGS_PROVIDER: "auto" }
  expect((await doctor(shop, { ...auto, OLLAMA_HOST: there.url })).of("embedder")[1]).toMatchObject({
    state: "ok",
    message: expect.stringMatching(/^Ollama .* has /),
  })
  using empty = startEmbeddingServer([])
  expect((await doctor(shop, { ...auto, OLLAMA_HOST: empty.url })).of("embedder")[1]).toMatchObject({
    state: "warning",
    next: expect.stringContaining("ollama pull qwen3-embedding"),
  })
  expect(empty.asked.some(({ path }) => path.includes("pull"))).toBe(false)
  const named = { ...NOWHERE, AMAN_EMBEDDINGS_PROVIDER: "ollama" }
  expect(await doctor(shop, named)).toMatchObject({ code: 3, state: "error" })
  expect((await doctor(shop, { ...auto, ...NOWHERE })).of("embedder")[1]!.message).toContain("none is needed")
})

test("names an unused Ollama with the command that selects it, and sends it nothing", async () => {
  using shop = new Workspace(SHOP)
  using there = startEmbeddingServer()
  expect((await doctor(shop, { OLLAMA_HOST: there.url })).of("embedder")[1]).toMatchObject({
    state: "ok",
    message: expect.stringContaining("so nothing is sent to it"),
    next: "to use it: aman config set embeddings.provider ollama",
  })
  expect(there.asked.map(({ path }) => path)).toEqual(["/api/version"])
})

test.skipIf(process.platform !== "linux")("names a grammar that is damaged in the program file", async () => {
  using shop = new Workspace()
  const program = readFileSync(binary)
  const packed = readFileSync(join(import.meta.dir, "../../grammars/verilog.wasm.zst"))
  const middle = program.indexOf(packed.subarray(0, 1000)) + Math.floor(packed.length / 2)
  program[middle] = program[middle]! ^ 1
  const damaged = join(shop.dir, "damaged")
  writeFileSync(damaged, program, { mode: 0o755 })
  const child = Bun.spawn([damaged, "doctor", "--json"], { cwd: shop.project, env: shop.env })
  const { checks } = JSON.parse(await child.stdout.text()) as { checks: Check[] }
  expect(checks.find(({ name }) => name === "grammars")).toMatchObject({
    state: "error",
    message: expect.stringContaining("cannot load verilog;"),
  })
})
