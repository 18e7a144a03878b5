import { afterEach, beforeEach, describe, expect, test } from "bun:test"
import { rmSync } from "node:fs"
import { join } from "node:path"
import { IndexRun } from "../../../test/index-run.ts"
import { mortalWorker } from "../../../test/mortal-worker.ts"
import { TempProject } from "../../../test/temp-project.ts"
import { readState, writeState } from "../index-state.ts"
import { rankIfDue } from "./run.ts"

let project: TempProject

beforeEach(() => {
  project = new TempProject({
    "a.txt": "def a():\n    pass\n",
    "b/b.txt": "def b():\n    pass\n",
    "noise.txt": new Uint8Array(30),
  })
})
afterEach(() => project[Symbol.dispose]())

test("leaves a ready index and reports what was scanned and changed", async () => {
  using index = new IndexRun(project.root)
  expect(await index.run()).toMatchObject({ changed: 2, removed: 0 })
  expect(index.paths()).toEqual(["a.txt", "b/b.txt"])
  expect(index.keywordReady).toBe(1)
  expect(readState(index.store)).toMatchObject({
    state: "ready",
    total: 3,
    indexedAt: "2020-09-13T12:26:40.000Z",
  })
  expect(index.phases[0]).toBe("parse 0/3")
  expect(index.phases).toContain("parse 3/3")
})

test("keeps the work of a cancelled run, and the next run completes it", async () => {
  using index = new IndexRun(project.root)
  const abort = new AbortController()
  const onKeywordReady = () => abort.abort()
  const failure = await index.run({ signal: abort.signal, onKeywordReady }).catch((error: unknown) => error)
  expect(failure).toMatchObject({ code: "INTERRUPTED" })
  expect(readState(index.store).state).toBe("indexing")
  expect(index.paths()).toEqual(["a.txt", "b/b.txt"])
  const ids = index.store.files.ids()
  expect(await index.run()).toMatchObject({ changed: 0, removed: 0 })
  expect(readState(index.store).state).toBe("ready")
  expect(index.store.files.ids()).toEqual(ids)
})

test("forgets files that an unfinished run skipped and that are gone by the next", async () => {
  using index = new IndexRun(project.root)
  const abort = new AbortController()
  await index.run({ signal: abort.signal, onKeywordReady: () => abort.abort() }).catch(() => {})
  expect(index.store.skipped.reasons()).toEqual({ binary: 1 })
  project.remove("noise.txt")
  await index.run()
  expect(index.store.skipped.reasons()).toEqual({})
  expect(readState(index.store).total).toBe(2)
})

test("no longer counts a skipped file that is gone", async () => {
  using index = new IndexRun(project.root)
  await index.run()
  project.remove("noise.txt")
  expect(await index.run()).toMatchObject({ changed: 0, removed: 0 })
  expect(readState(index.store).total).toBe(2)
})

test("writes no file when the run is cancelled from the start", async () => {
  using index = new IndexRun(project.root)
  const failure = await index.run({ signal: AbortSignal.abort() }).catch((error: unknown) => error)
  expect(failure).toMatchObject({ code: "INTERRUPTED" })
  expect(index.paths()).toEqual([])
})

test("writes nothing more after losing the lock", async () => {
  using index = new IndexRun(project.root)
  rmSync(join(project.root, ".aman", "lock.db"))
  const failure = await index.run().catch((error: unknown) => error)
  expect(failure).toMatchObject({ code: "INDEX_BUSY" })
  expect(index.paths()).toEqual([])
})

/** A setting that changes the shape of an index. */
const OTHER_SHAPE = { "index.max_file_size": 900_000 }

test("indexes every file again with settings of another shape and counts each word once", async () => {
  project.write("long.txt", "def f():\n    return 1\n")
  {
    using index = new IndexRun(project.root)
    await index.run()
  }
  using index = new IndexRun(project.root, OTHER_SHAPE)
  expect(await index.run()).toMatchObject({ changed: 3, removed: 0 })
  expect(index.store.pathWords.counts(["long"]).get("long")).toEqual({ paths: 1, stems: 1 })
  expect(index.store.skipped.reasons()).toEqual({ binary: 1 })
  expect(await index.run()).toMatchObject({ changed: 0, removed: 0 })
})

test("applies another shape also to files that a cancelled run did not reach", async () => {
  project.write("long.txt", "def f():\n    return 1\n")
  {
    using index = new IndexRun(project.root)
    await index.run()
  }
  using index = new IndexRun(project.root, OTHER_SHAPE)
  const abort = new AbortController()
  await index.run({ signal: abort.signal, onProgress: () => abort.abort() }).catch(() => {})
  expect(await index.run()).toMatchObject({ changed: 3, removed: 0 })
  expect(await index.run()).toMatchObject({ changed: 0, removed: 0 })
})

test("removes files above a smaller size limit and adds them back with a larger one", async () => {
  project.write("big.txt", `# ${"word ".repeat(200)}\n`)
  {
    using index = new IndexRun(project.root)
    await index.run()
    expect(index.paths()).toContain("big.txt")
  }
  using index = new IndexRun(project.root, { "index.max_file_size": 500 })
  await index.run()
  expect(index.paths()).toEqual(["a.txt", "b/b.txt"])
  expect(readState(index.store).skipped).toMatchObject({ "too large": 1 })
})

describe("a worker that dies", () => {
  test("loses only the file at fault, which is named among the skipped files", async () => {
    for (const name of ["c.txt", "d.txt", "e.txt"]) project.write(name, `def ${name[0]}():\n    pass\n`)
    using index = new IndexRun(project.root, {}, mortalWorker(project.box, "d.txt"))
    expect(await index.run()).toMatchObject({ changed: 4, removed: 0 })
    expect(index.paths()).toEqual(["a.txt", "b/b.txt", "c.txt", "e.txt"])
    expect(index.store.skipped.reasons()).toEqual({ binary: 1, "parser failed": 1 })
    expect(readState(index.store).state).toBe("ready")
  })

  test("for lack of memory cuts only the file at fault by lines", async () => {
    // Ambiguous at every word: the parser's guesses take gigabytes.
    project.write("c.c", "x => ".repeat(20_000))
    for (const name of ["b.c", "d.c"]) project.write(name, `int ${name[0]}(void) { return 1; }\n`)
    using index = new IndexRun(project.root)
    expect(await index.run()).toMatchObject({ changed: 5, removed: 0 })
    const file = (path: string) => index.store.files.byPath(path)
    // On a slow machine the time limit is reached before the memory limit.
    const degraded = expect.stringMatching(/^parsing took (too much memory|longer than 5000 ms)$/)
    expect(file("c.c")).toMatchObject({ method: "lines", degraded })
    for (const path of ["b.c", "d.c"])
      expect(file(path)).toMatchObject({ method: "tree-sitter", degraded: null })
  })

  test("does not keep the file out after it has changed", async () => {
    {
      using index = new IndexRun(project.root, {}, mortalWorker(project.box, "a.txt"))
      await index.run()
      expect(index.paths()).toEqual(["b/b.txt"])
    }
    project.write("a.txt", "def better():\n    pass\n")
    using index = new IndexRun(project.root)
    expect(await index.run()).toMatchObject({ changed: 1, removed: 0 })
    expect(index.paths()).toEqual(["a.txt", "b/b.txt"])
    expect(index.store.skipped.reasons()).toEqual({ binary: 1 })
  })
})

test("ranks a large index in a worker that ends with it, so that its memory is free for the embedder", async () => {
  expect(await workersToRank(100)).toBe(0)
  expect(await workersToRank(100_000)).toBe(1)
})

/** Number of workers that ranking starts in an index of this many chunks, after a first run. */
async function workersToRank(chunks: number): Promise<number> {
  using project = new TempProject()
  project.write("a.py", "def one():\n    return 1\n")
  let started = 0
  using index = new IndexRun(project.root, {}, () => {
    started++
    return new Worker(new URL("./worker.ts", import.meta.url), { type: "module", smol: true })
  })
  await index.run()
  const { store, context } = index
  const [known] = store.files.all()
  store.files.add([{ ...known!, id: known!.id + 1, path: "b.py", chunks }])
  writeState(store, { unranked: 1 })
  const before = started
  await rankIfDue(context, () => {})
  return started - before
}
