import { afterEach, beforeEach, expect, test } from "bun:test"
import { statSync, utimesSync } from "node:fs"
import { join } from "node:path"
import { TempProject } from "../../../test/temp-project.ts"
import type { IndexProgress } from "../../base/answers.ts"
import { openStore } from "../../store/index/open.ts"
import { writeState } from "../index-state.ts"
import { Indexer } from "./indexer.ts"

let project: TempProject

beforeEach(() => {
  project = new TempProject({ "a.txt": "one walrus\n", "b/c.txt": "two walrus\n" })
})
afterEach(() => project[Symbol.dispose]())

/** Indexes everything, calls `edit`, indexes the paths in `near` only, and closes the indexer. */
async function runNear(edit: () => void, ...near: readonly string[]) {
  using indexer = Indexer.take(project.open())!
  await indexer.run()
  edit()
  const { changed, removed } = await indexer.run({ hints: new Set(near) })
  return { changed, removed }
}

test("a run limited to some paths indexes and removes only these", async () => {
  const edit = () => {
    project.write("a.txt", "three puffin\n")
    project.write("b/c.txt", "four puffin\n")
  }
  expect(await runNear(edit, "a.txt", "never/was.txt")).toEqual({ changed: 1, removed: 0 })
  expect(await project.paths("puffin", { mode: "keyword" })).toEqual(["a.txt"])
  // The next full scan also finds the change that was not named.
  expect(await project.index()).toMatchObject({ files: 2 })
  expect(await project.paths("puffin", { mode: "keyword" })).toEqual(["a.txt", "b/c.txt"])
})

test("removes a file that was deleted while no process watched", async () => {
  await runNear(() => project.write("new.txt", "four puffin\n"), "new.txt")
  expect(await project.paths("puffin", { mode: "keyword" })).toEqual(["new.txt"])
  project.remove("new.txt")
  expect(await project.index()).toMatchObject({ files: 2 })
  expect(await project.paths("puffin", { mode: "keyword" })).toEqual([])
})

test("reads a file again that was restored with its old time", async () => {
  const { atime, mtime } = statSync(join(project.root, "a.txt"))
  await runNear(() => project.write("a.txt", "six puffin\n"), "a.txt")
  project.write("a.txt", "one walrus\n")
  utimesSync(join(project.root, "a.txt"), atime, mtime)
  expect(await project.index()).toMatchObject({ changed: 1 })
  expect((await project.search("walrus", { mode: "keyword" })).results[0]!.text).toBe("one walrus")
  expect(await project.index()).toMatchObject({ changed: 0, removed: 0 })
})

test("answers from the most recently edited file early in a first index", async () => {
  const filler = "walrus and puffin\n".repeat(200)
  for (let i = 0; i < 400; i++) project.write(`docs/page${i}.txt`, filler)
  project.write("zoo/now.txt", "the kakapo of today\n")
  for (let i = 400; i < 410; i++) project.write(`docs/page${i}.txt`, filler)
  project.touch("zoo/now.txt")
  const abort = new AbortController()
  const onProgress = ({ phase, done }: IndexProgress) => {
    if (phase === "parse" && done > 0) abort.abort()
  }
  using indexer = Indexer.take(project.open({ onProgress }))!
  await expect(indexer.run({ signal: abort.signal })).rejects.toMatchObject({ code: "INTERRUPTED" })
  const { results, partial } = await project.search("kakapo", { mode: "keyword" })
  expect(results.map(({ path }) => path)).toEqual(["zoo/now.txt"])
  expect(partial!.share).toBeLessThan(0.5)
})

test("rebuilds an index of another version at once", async () => {
  await project.index()
  const folder = project.open().config.index.dir
  {
    using store = openStore(join(folder, "index.db"))
    writeState(store, { shape: "1:" })
    store.transaction(() => store.segments.add({ files: 1, chunks: 1, blob: new Uint8Array(64) }))
  }
  let scans = 0
  const onProgress = ({ phase }: IndexProgress) => {
    if (phase === "scan") scans++
  }
  using indexer = Indexer.take(project.open({ onProgress }))!
  expect(await indexer.run()).toMatchObject({ changed: 2 })
  expect(scans).toBe(1)
  expect(await project.paths("walrus", { mode: "keyword" })).toEqual(["a.txt", "b/c.txt"])
})
