import { afterEach, beforeEach, describe, expect, test } from "bun:test"
import { mkdtempSync, rmSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import fc from "fast-check"
import { LIMITS } from "../../../test/index-run.ts"
import { TempProject } from "../../../test/temp-project.ts"
import { FILE_FLAG } from "../../base/files/file-flag.ts"
import type { KnownFile } from "../../store/index/files.ts"
import { openStore } from "../../store/index/open.ts"
import type { Store } from "../../store/index/store.ts"
import { termOf } from "../../text/terms/abbreviations.ts"
import { parseBatch } from "./parse-batch.ts"
import { batchesOf, commitBatch, countPaths, MemoryGate, plan, priorityOrder } from "./read-files.ts"

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

test("adds files with their chunks, symbols, path words and one segment", async () => {
  expect(await commit("alpha.py", "beta.py")).toEqual({ indexed: 2, chunks: 2 })
  expect(ids()).toEqual(["1 alpha.py", "2 beta.py"])
  expect(store.chunks.ofFile(1)).toHaveLength(1)
  expect(names()).toEqual([1])
  expect(store.pathWords.counts(["alpha"]).get("alpha")).toEqual({ paths: 1, stems: 1 })
  expect(store.segments.pending()).toEqual({ segments: 1, files: 2, chunks: 2 })
})

test("replaces an old version by a new one with a new id and a tombstone", async () => {
  await commit("alpha.py", "beta.py")
  project.write("alpha.py", "def alpha():\n    return 3\n\n\ndef more():\n    pass\n")
  expect(await commit("alpha.py")).toMatchObject({ indexed: 1 })
  expect(ids()).toEqual(["3 alpha.py", "2 beta.py"])
  expect(names()).toEqual([3])
  expect(store.chunks.ofFile(1)).toEqual([])
  expect(store.tombstones.all("keyword")).toEqual([1])
  expect(store.pathWords.counts(["alpha"]).get("alpha")).toEqual({ paths: 1, stems: 1 })
})

test("changes only the stored time for the same bytes with a new time", async () => {
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

test("records a file as skipped when it turns binary, and indexes it again when it is text", async () => {
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

test("stores nothing of a batch that cannot be written", async () => {
  await commit("alpha.py")
  const files = [{ id: 1, path: "beta.py", knownHash: null }]
  const batch = await parseBatch({ kind: "parse", root: project.root, files, limits: LIMITS })
  expect(() => commitBatch(store, batch, new Map())).toThrow()
  expect(ids()).toEqual(["1 alpha.py"])
  expect(store.pathWords.counts(["beta"]).get("beta")).toBeUndefined()
  expect(store.segments.pending().segments).toBe(1)
})

/**
 * Runs pieces of work through a MemoryGate. Each piece takes `heldBytes` while it runs and leaves `keptBytes`
 * until memory is released.
 */
function workshop(limitBytes: number, heldBytes: number, keptBytes: number) {
  let active = 0
  let kept = 0
  let max = 0
  let maxBytes = 0
  let releases = 0
  const residentBytes = () => active * heldBytes + kept
  const gate = new MemoryGate({
    startBytes: limitBytes * 0.85,
    residentBytes,
    releaseMemory: async () => {
      expect(active).toBe(0)
      kept = 0
      releases++
    },
  })
  const piece = async () => {
    active++
    max = Math.max(max, active)
    maxBytes = Math.max(maxBytes, residentBytes())
    await Bun.sleep(1)
    active--
    kept += keptBytes
  }
  const lane = async () => {
    for (let i = 0; i < 10; i++) await gate.pass(piece)
  }
  const run = async (lanes: number) => {
    await Promise.all(Array.from({ length: lanes }, lane))
    return { max, maxBytes, releases, pauses: gate.pauses }
  }
  return run
}

test("runs work concurrently while memory allows", async () => {
  expect(await workshop(1000, 10, 0)(4)).toEqual({ max: 4, maxBytes: 40, releases: 0, pauses: 0 })
})

test("pauses under memory pressure, releases memory and continues, never above the limit", async () => {
  const { max, maxBytes, releases, pauses } = await workshop(1000, 200, 50)(4)
  expect(max).toBeGreaterThan(1)
  expect(maxBytes).toBeLessThanOrEqual(1000 + 200)
  expect(releases).toBeGreaterThan(0)
  expect(pauses).toBe(releases)
})

test("runs pieces one at a time when the limit is too tight for one", async () => {
  expect(await workshop(10, 100, 100)(4)).toMatchObject({ max: 1, pauses: 39 })
})

test("frees the reservation of work that fails", async () => {
  const gate = new MemoryGate({ startBytes: 0, residentBytes: () => 1, releaseMemory: async () => {} })
  const failed = gate.pass(() => Promise.reject(new Error("no")))
  const next = gate.pass(async () => "yes")
  expect(failed).rejects.toThrow("no")
  expect(await next).toBe("yes")
})

test("makes a piece with extra memory wait where an ordinary one would not", async () => {
  const events: string[] = []
  let resident = 50
  const gate = new MemoryGate({
    startBytes: 85,
    residentBytes: () => resident,
    releaseMemory: async () => {
      events.push("releases")
      resident = 10
    },
  })
  const { promise, resolve } = Promise.withResolvers<void>()
  const first = gate.pass(() => promise)
  const large = gate.pass(async () => void events.push("large"), 60)
  const small = gate.pass(async () => void events.push("small"))
  await small
  expect(events).toEqual(["small"])
  resolve()
  await Promise.all([first, large])
  expect(events).toEqual(["small", "releases", "large"])
})

const file = (path: string, mtimeMs: number) => ({ path, size: 10, mtimeMs, knownHash: null })
const MINUTE = 60_000
const order = (...args: Parameters<typeof priorityOrder>) => priorityOrder(...args).map(({ path }) => path)

test("orders the most recently written files first, then source, then tests, documents and data", () => {
  const old = ["README.md", "docs/guide.md", "src/app.ts", "src/deep/util.ts", "test/app.test.ts", "zoo.json"]
  // More files than MAX_RECENT_FILES, so that some are not recent.
  const bulk = Array.from({ length: 300 }, (_, i) => file(`docs/page${i}.md`, i * MINUTE))
  const files = [...old.map((path) => file(path, 0)), ...bulk, file("docs/now.md", 900 * MINUTE)]
  const found = order(files)
  expect(found.slice(0, 3)).toEqual(["docs/now.md", "docs/page299.md", "docs/page298.md"])
  const rest = found.slice(found.indexOf("src/app.ts"))
  expect(rest.slice(0, 3)).toEqual(["src/app.ts", "src/deep/util.ts", "README.md"])
  expect(found.toSorted()).toEqual(files.map(({ path }) => path).toSorted())
})

test("keeps the order of files with equal times", () => {
  const files = ["a.ts", "b.ts", "c.ts"].map((path) => file(path, 1))
  expect(priorityOrder(files)).toEqual(files)
})

test("uses edits and the last commits in a fresh clone, where all times are similar", () => {
  const names = ["a.ts", "b.md", "c.ts", "d.md", "e.ts", "f.md"]
  const files = names.map((path, i) => file(path, MINUTE + i))
  const recent = { edited: new Set(["f.md"]), committed: ["e.ts", "gone.ts", "b.md", "f.md"] }
  expect(order(files, recent)).toEqual(["f.md", "e.ts", "b.md", "a.ts", "c.ts", "d.md"])
  files[3] = file("d.md", 9 * MINUTE)
  expect(order(files, recent)).toEqual(["f.md", "d.md", "e.ts", "b.md", "a.ts", "c.ts"])
})

test("ignores edits when every file differs from the last commit", () => {
  const files = Array.from({ length: 600 }, (_, i) => file(`src/${String(i).padStart(3, "0")}.ts`, 1))
  const recent = { edited: new Set(files.map(({ path }) => path)), committed: ["src/500.ts"] }
  expect(order(files, recent).slice(0, 2)).toEqual(["src/500.ts", "src/000.ts"])
})

describe("counts of path words", () => {
  let folder: string
  let store: Store

  beforeEach(() => {
    folder = mkdtempSync(join(tmpdir(), "aman-paths-"))
    store = openStore(join(folder, "index.db"))
  })
  afterEach(() => {
    store.close()
    rmSync(folder, { recursive: true })
  })

  const count = (word: string) => {
    const counted = store.pathWords.counts([termOf(word)]).get(termOf(word))
    return [counted?.paths ?? 0, counted?.stems ?? 0]
  }

  test("a word counts once per path, wherever and however often it occurs", () => {
    countPaths(store, ["user/user_store.ts", "user/index.ts", "web/UserPage.tsx"], 1)
    expect(count("user")).toEqual([3, 2])
    expect(count("store")).toEqual([1, 1])
    expect(count("index")).toEqual([1, 1])
    expect(count("web")).toEqual([1, 0])
    expect(count("tsx")).toEqual([0, 0])
  })

  test("removed paths remove their words", () => {
    countPaths(store, ["a/user.ts", "b/user.ts"], 1)
    countPaths(store, ["a/user.ts"], -1)
    expect(count("user")).toEqual([1, 1])
    countPaths(store, ["b/user.ts"], -1)
    expect(count("user")).toEqual([0, 0])
    expect(count("b")).toEqual([0, 0])
  })

  test("inflected forms of a word count as one word", () => {
    countPaths(store, ["base/config/load.ts", "configuration/loads.ts"], 1)
    expect(count("configuration")).toEqual([2, 0])
    expect(count("loading")).toEqual([2, 2])
  })
})

const KIB = 1024
const sizes = (...kib: number[]) => kib.map((size) => ({ size: size * KIB }))

test("returns no batches for no files", () => expect(batchesOf([], 4)).toEqual([]))

test("puts small files into one batch, so that no worker starts for one of them", () => {
  expect(batchesOf(sizes(...Array<number>(90).fill(1)), 2)).toHaveLength(1)
})

test("puts a file above the limit alone into a batch", () => {
  const batches = batchesOf(sizes(1, 5000, 1, 1), 2)
  expect(batches.map((batch) => batch.length)).toEqual([1, 1, 2])
})

test("makes batches smaller towards the end, so that no worker waits long for another", () => {
  const batches = batchesOf(sizes(...Array<number>(900).fill(2)), 2)
  const lengths = batches.slice(0, -1).map((batch) => batch.length)
  expect(lengths).toEqual(lengths.toSorted((one, other) => other - one))
  expect(lengths.at(-1)).toBe(12)
  expect(lengths[0]).toBe(75)
})

test("cuts a large project into several batches per worker", () => {
  const batches = batchesOf(sizes(...Array<number>(400).fill(30)), 2)
  expect(batches.length).toBeGreaterThanOrEqual(8)
})

test("limits the number of empty files per batch", () => {
  expect(batchesOf(sizes(...Array<number>(600).fill(0)), 1).map((batch) => batch.length)).toEqual([
    256, 256, 88,
  ])
})

test("puts every file into one batch, in order, with no empty batch and none above 2 MiB without need", () => {
  fc.assert(
    fc.property(
      fc.array(fc.nat(1_048_576), { maxLength: 300 }),
      fc.integer({ min: 1, max: 8 }),
      (all, workers) => {
        const files = all.map((size) => ({ size }))
        const batches = batchesOf(files, workers)
        expect(batches.flat()).toEqual(files)
        for (const batch of batches) {
          expect(batch.length).toBeGreaterThan(0)
          const bytes = batch.reduce((sum, file) => sum + file.size, 0)
          expect(batch.length === 1 || bytes <= 2 * KIB * KIB).toBe(true)
        }
      },
    ),
  )
})

const known = (path: string, id: number, flags = 0): KnownFile => [path, id, 10, 1, `hash of ${path}`, flags]
const found = (path: string) => ({ path, size: 10, mtimeMs: 1 })

test("plans new, known and deleted files", () => {
  expect(plan([known("a", 1), known("b", 2), known("c", 3)], [found("b"), found("d")])).toEqual({
    read: [
      { ...found("b"), knownHash: "hash of b" },
      { ...found("d"), knownHash: null },
    ],
    remove: [1, 3],
  })
})

test("reads everything when nothing is known, and removes everything when nothing is found", () => {
  expect(plan([], [found("a")])).toEqual({ read: [{ ...found("a"), knownHash: null }], remove: [] })
  expect(plan([known("a", 7)], [])).toEqual({ read: [], remove: [7] })
})

test("reads a file as new when .gitattributes describes it differently", () => {
  const { generated, markedGenerated: attributeFlags, deniedVendored } = FILE_FLAG
  const before = [
    known("a", 1),
    known("b", 2, attributeFlags | generated),
    known("c", 3, attributeFlags),
    known("d", 4, generated),
  ]
  const now = [
    { ...found("a"), attributeFlags },
    { ...found("b"), attributeFlags },
    { ...found("c"), attributeFlags: deniedVendored },
    found("d"),
  ]
  const hashes = plan(before, now).read.map(({ path, knownHash }) => [path, knownHash])
  expect(hashes).toEqual([
    ["a", null],
    ["b", "hash of b"],
    ["c", null],
    ["d", "hash of d"],
  ])
})

test("reads files in the order found, and reads or removes each known file", () => {
  const paths = fc.uniqueArray(fc.constantFrom(..."abcdefghij"), { maxLength: 10 })
  fc.assert(
    fc.property(paths, paths, (before, now) => {
      const { read, remove } = plan(
        before.map((path, i) => known(path, i + 1)),
        now.map(found),
      )
      expect(read.map((file) => file.path)).toEqual(now)
      expect(read.filter((file) => file.knownHash !== null).length + remove.length).toBe(before.length)
    }),
  )
})
