import { afterEach, beforeEach, expect, test } from "bun:test"
import { join } from "node:path"
import { LIMITS } from "../../test/index-run.ts"
import { TempProject } from "../../test/temp-project.ts"
import { openStore } from "../store/open.ts"
import type { Store } from "../store/store.ts"
import { commitBatch } from "./commit.ts"
import { parseBatch } from "./parse-batch.ts"

let project: TempProject
let store: Store

beforeEach(() => {
  project = new TempProject({
    "alpha.py": "def alpha():\n    return 1\n",
    "beta.py": "def beta():\n    return 2\n",
  })
  store = openStore(join(project.box, "index.db"))
})
afterEach(() => {
  store.close()
  project[Symbol.dispose]()
})

async function commit(...paths: string[]) {
  const oldIds = new Map(store.files.known().map(([path, id]) => [path, id] as const))
  const hashes = new Map(store.files.known().map(([path, , , , hash]) => [path, hash] as const))
  let id = store.files.nextId()
  const files = paths.map((path) => ({ id: id++, path, knownHash: hashes.get(path) ?? null }))
  const batch = await parseBatch({ kind: "parse", root: project.root, files, limits: LIMITS })
  return commitBatch(store, batch, oldIds)
}

const ids = () => store.files.all().map(({ path, id }) => `${id} ${path}`)
const names = () => store.symbols.findByFolded("alpha").map((symbol) => symbol.fileId)

test("files appear with their chunks, symbols, words of paths and one segment", async () => {
  expect(await commit("alpha.py", "beta.py")).toEqual({ indexed: 2, chunks: 2 })
  expect(ids()).toEqual(["1 alpha.py", "2 beta.py"])
  expect(store.chunks.ofFile(1)).toHaveLength(1)
  expect(names()).toEqual([1])
  expect(store.pathWords.counts(["alpha"]).get("alpha")).toEqual({ paths: 1, stems: 1 })
  expect(store.segments.pending()).toEqual({ segments: 1, files: 2, chunks: 2 })
})

test("a new version takes the place of the old one, under a new id and over a tombstone", async () => {
  await commit("alpha.py", "beta.py")
  project.write("alpha.py", "def alpha():\n    return 3\n\n\ndef more():\n    pass\n")
  expect(await commit("alpha.py")).toMatchObject({ indexed: 1 })
  expect(ids()).toEqual(["3 alpha.py", "2 beta.py"])
  expect(names()).toEqual([3])
  expect(store.chunks.ofFile(1)).toEqual([])
  expect(store.tombstones.all("keyword")).toEqual([1])
  expect(store.pathWords.counts(["alpha"]).get("alpha")).toEqual({ paths: 1, stems: 1 })
})

test("the same bytes under a new time move only the time", async () => {
  await commit("alpha.py")
  const before = store.files.byPath("alpha.py")!
  project.touch("alpha.py")
  expect(await commit("alpha.py")).toEqual({ indexed: 0, chunks: 0 })
  const after = store.files.byPath("alpha.py")!
  expect(after.mtimeMs).toBeGreaterThan(before.mtimeMs)
  expect({ ...after, mtimeMs: before.mtimeMs }).toEqual(before)
  expect(store.segments.pending().segments).toBe(1)
  expect(store.tombstones.all("keyword")).toEqual([])
})

test("a file that turned binary goes, is remembered, and is forgotten when it is text again", async () => {
  await commit("alpha.py")
  project.write("alpha.py", new Uint8Array(64))
  await commit("alpha.py")
  expect(ids()).toEqual([])
  expect(store.pathWords.counts(["alpha"]).get("alpha")).toBeUndefined()
  expect(store.skipped.all()).toMatchObject([{ path: "alpha.py", size: 64, reason: "binary" }])
  project.write("alpha.py", "def alpha():\n    return 4\n")
  await commit("alpha.py")
  expect(ids()).toEqual(["2 alpha.py"])
  expect(store.skipped.all()).toEqual([])
  expect(store.pathWords.counts(["alpha"]).get("alpha")).toEqual({ paths: 1, stems: 1 })
})

test("a batch that cannot be written leaves nothing of itself", async () => {
  await commit("alpha.py")
  const files = [{ id: 1, path: "beta.py", knownHash: null }]
  const batch = await parseBatch({ kind: "parse", root: project.root, files, limits: LIMITS })
  expect(() => commitBatch(store, batch, new Map())).toThrow()
  expect(ids()).toEqual(["1 alpha.py"])
  expect(store.pathWords.counts(["beta"]).get("beta")).toBeUndefined()
  expect(store.segments.pending().segments).toBe(1)
})
