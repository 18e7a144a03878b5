import { afterEach, beforeEach, expect, test } from "bun:test"
import { mkdirSync, readdirSync, readFileSync, truncateSync, utimesSync, writeFileSync } from "node:fs"
import { join } from "node:path"
import { ServedProject } from "../src/ask/project/served-project.ts"
import { projectStatus } from "../src/context/map/status-project.ts"
import { readFile } from "../src/index/open/read-file.ts"
import { WorkerPool } from "../src/index/pipeline/worker-pool.ts"
import { indexProject } from "../src/index/update/index-project.ts"
import { Indexer } from "../src/index/update/indexer.ts"
import { searchProject } from "../src/search/answer/search-project.ts"
import { findExactNames } from "../src/search/channels/candidates.ts"
import { classify, identifiersOf, parseQuery } from "../src/search/query/query.ts"
import { LeaderLock } from "../src/store/lock/lead.ts"
import { cpuTime } from "./cpu-time.ts"
import { LIMITS } from "./index-run.ts"
import { REQUEST, TempProject } from "./temp-project.ts"

let p: TempProject
beforeEach(() => {
  p = new TempProject({ "a.txt": "first words\n", "b.txt": "second words\n" })
})
afterEach(() => p[Symbol.dispose]())
const dir = () => join(p.root, ".aman")
async function indexAndClose() {
  using project = p.open()
  await indexProject(project)
}

test("reading .aman/lock.db does not release the lock", async () => {
  await p.index()
  using lead = LeaderLock.take(dir())!
  await readFile(p.open(), { path: ".aman/lock.db" }).catch(() => {})
  const source = JSON.stringify(join(import.meta.dir, "../src/store/lock/lead.ts"))
  const other = Bun.spawnSync([
    process.execPath,
    "-e",
    `const { LeaderLock } = await import(${source}); console.log(LeaderLock.take(${JSON.stringify(dir())}) === null ? "refused" : "taken")`,
  ])
  expect(other.stdout.toString().trim()).toBe("refused")
  expect(lead.held).toBe(true)
})
test("rebuilds a database that is damaged inside", async () => {
  await indexAndClose()
  const path = join(dir(), "index.db")
  const bytes = readFileSync(path)
  bytes.fill(0xa5, 4096)
  writeFileSync(path, bytes)
  p.write("a.txt", "third words\n")
  expect(await p.index()).toMatchObject({ files: 2 })
})
test("an open reader follows a rebuilt index", async () => {
  await indexAndClose()
  const project = p.open()
  const ask = async () =>
    (await searchProject(project, { ...REQUEST, query: "words", mode: "keyword" }, { refresh: false }))
      .results.length
  expect(await ask()).toBe(2)
  truncateSync(join(dir(), readdirSync(dir()).find((name) => name.startsWith("keyword-"))!), 50)
  await p.index()
  expect(await ask()).toBe(2)
})
test("rebuilds damaged vectors even if no file changed", async () => {
  await indexAndClose()
  truncateSync(join(dir(), readdirSync(dir()).find((name) => name.startsWith("vectors-"))!), 50)
  await p.index()
  expect(await p.paths("first words", { mode: "semantic" })).toContain("a.txt")
})
test("finds a file by its path alone, without vectors", async () => {
  p.write("billing/zebra.txt", "nothing that tells\n")
  await p.index()
  expect(await p.paths("zebra", { mode: "keyword" })).toEqual(["billing/zebra.txt"])
})
test("symbols whose own name is qualified are exact hits", async () => {
  p.write("router.ex", "defmodule Shop.Router do\n  def call(x), do: x\nend\n")
  await p.index()
  const { store } = p.open().reader()!
  for (const query of ["Shop.Router", "Router"])
    expect(findExactNames(store, parseQuery(query).names).exact.size).toBe(1)
})
test("finds the exact name before a question mark", () => {
  expect(identifiersOf("where is load_user?").map((name) => name.last)).toEqual(["load_user"])
})
test("a word of other letters counts as one name or none, not as its parts", () => {
  expect(identifiersOf("größe").map((name) => name.last)).not.toEqual(["gr", "e"])
})
test("an answer from an index that was just created is partial", async () => {
  using _indexer = Indexer.take(p.open())!
  expect((await p.search("words")).partial).not.toBeNull()
})
test("counts of skipped files follow the current files", async () => {
  p.write("noise.dat", new Uint8Array(20))
  await p.index()
  p.remove("noise.dat")
  expect((await p.index()).skipped).toEqual({})
})
test("counts of files skipped by the scan do so, too", async () => {
  await p.index()
  p.write("logo.png", "x")
  expect((await p.index()).skipped).toEqual({ media: 1 })
})
test("an empty file can be read", async () => {
  p.write("empty.txt", "")
  expect(await readFile(p.open(), { path: "empty.txt" })).toMatchObject({ text: "", total_lines: 0 })
})
test(".git of a repository inside is not read", async () => {
  mkdirSync(join(p.root, "sub/.git"), { recursive: true })
  p.write("sub/.git/config", "token\n")
  await expect(readFile(p.open(), { path: "sub/.git/config" })).rejects.toMatchObject({
    code: "OUTSIDE_ROOT",
  })
})
test("source folders follow a rename", async () => {
  p.write("src/a.ts", "export const a = 1\n")
  await p.index()
  p.rename("src", "lib")
  await p.index()
  expect((await projectStatus(p.open())).project.source_folders).toEqual(["lib"])
})
test("breaks ties of a semantic search by path", async () => {
  // Names of the same words in one order, so that the vectors of the paths are equal to the last bit.
  p.write("far_sea/x.txt", "hidden treasure of the sea\n")
  p.write("far-sea/x.txt", "hidden treasure of the sea\n")
  await p.index()
  const asked = { ...REQUEST, query: "treasure at sea", mode: "semantic" } as const
  const { results } = await searchProject(p.open(), asked, { refresh: false })
  expect(results[0]!.score).toBe(results[1]!.score)
  expect(results.slice(0, 2).map(({ path }) => path)).toEqual(["far-sea/x.txt", "far_sea/x.txt"])
})
test("a worker that ends without an error fails its task", async () => {
  const path = join(p.box, "quits.ts")
  writeFileSync(path, "self.onmessage = () => process.exit(3)")
  using pool = new WorkerPool(1, () => new Worker(path, { type: "module" }))
  const task = pool.run({ kind: "parse", root: p.root, files: [], limits: LIMITS }).then(
    () => "done",
    () => "failed",
  )
  expect(await task).toBe("failed")
})
test("a server may be closed twice", async () => {
  const server = new ServedProject({ root: p.root, cwd: p.root, "index.workers": 1 })
  await server.close()
  await server.close()
})
test("finds an error code before a question mark", () =>
  expect(classify("what is E0502?").class).toBe("mixed"))
test("answers a question of stop words if they occur", async () => {
  p.write("c.txt", "how does it work\n")
  await p.index()
  expect(await p.paths("how does frobnicate work", { mode: "keyword" })).toContain("c.txt")
})
test("a file with a future date does not make every command beside a server wait", async () => {
  const server = new ServedProject({ root: p.root, cwd: p.root, "index.workers": 1 })
  try {
    utimesSync(join(p.root, "a.txt"), 4_000_000_000, 4_000_000_000)
    while ((await server.status()).state !== "ready") await Bun.sleep(20)
    const started = cpuTime()
    await p.index()
    expect(cpuTime() - started).toBeLessThan(2000)
  } finally {
    await server.close()
  }
})
