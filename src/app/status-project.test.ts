import { afterEach, beforeEach, expect, test } from "bun:test"
import { existsSync } from "node:fs"
import { join } from "node:path"
import { TempProject } from "../../test/temp-project.ts"
import { indexProject } from "./index-project.ts"
import { projectStatus } from "./status-project.ts"

let project: TempProject

beforeEach(() => {
  project = new TempProject({
    "go.mod": "module example.com/shop\n",
    "src/a.txt": "words\n",
    "src/b.txt": new Uint8Array(20),
  })
})
afterEach(() => project[Symbol.dispose]())

test("without an index it says so, and makes none", async () => {
  expect(await projectStatus(project.open())).toMatchObject({
    root: project.root,
    state: "missing",
    files: 0,
    generation: 0,
    index_bytes: 0,
    embedding: { share: 0, quantization: "f16" },
    progress: null,
    last_indexed: null,
    notices: ["there is no index yet: run aman index, or just search"],
  })
  expect(existsSync(join(project.root, ".aman"))).toBe(false)
})

test("after a run it says what is there, all of it with vectors", async () => {
  await project.index()
  const status = await projectStatus(project.open())
  expect(status).toMatchObject({
    state: "ready",
    project: { type: "Go" },
    files: 2,
    chunks: 2,
    skipped: { binary: 1 },
    embedding: { provider: "static", share: 1 },
    notices: [],
  })
  expect(status.generation).toBeGreaterThan(0)
  expect(status.index_bytes).toBeGreaterThan(1000)
  expect(status.memory.limit_bytes).toBeGreaterThan(0)
  expect(Number.isNaN(Date.parse(status.last_indexed!))).toBe(false)
})

test("the share of vectors stays whole as files change and go", async () => {
  await project.index()
  project.write("src/a.txt", "other words\n")
  project.write("src/c.txt", "more\n")
  await project.index()
  expect((await projectStatus(project.open())).embedding.share).toBe(1)
  project.remove("src/a.txt")
  await project.index()
  expect((await projectStatus(project.open())).embedding.share).toBe(1)
})

test("while a run is under way, or was interrupted, the index is not ready", async () => {
  const running = { phase: "scan", done: 0, total: 0 } as const
  expect(await projectStatus(project.open(), running)).toMatchObject({ state: "indexing", notices: [] })
  const failed = indexProject(project.open(), { signal: AbortSignal.abort() })
  await expect(failed).rejects.toMatchObject({ code: "INTERRUPTED" })
  expect(await projectStatus(project.open())).toMatchObject({ state: "indexing", last_indexed: null })
  await project.index()
  const progress = { phase: "parse", done: 1, total: 3 } as const
  expect(await projectStatus(project.open(), progress)).toMatchObject({ state: "indexing", progress })
})
