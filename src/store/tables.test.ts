import { afterEach, beforeEach, expect, test } from "bun:test"
import { mkdtempSync, rmSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import type { FileRow } from "./index/files.ts"
import { openStore } from "./index/open.ts"
import type { Store } from "./index/store.ts"
import type { NewSymbol } from "./index/symbols.ts"

let folder: string
let store: Store

beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), "aman-tables-"))
  store = openStore(join(folder, "index.db"))
})

afterEach(() => {
  store.close()
  rmSync(folder, { recursive: true })
})

test("returns a file's row unchanged, including the fraction of its time", () => {
  const row = file(1, "src/a.ts", {
    mtimeMs: 1732200000123.4568,
    imports: ["./b.ts", "fs"],
    degraded: "too large",
  })
  store.transaction(() => store.files.add([row]))
  expect(store.files.get(1)).toEqual(row)
  expect(store.files.byPath("src/a.ts")).toEqual(row)
  expect(store.files.known()).toEqual([["src/a.ts", 1, 100, 1732200000123.4568, "00000000000000ff", 3]])
  expect(store.files.get(2)).toBeNull()
})

test("never assigns an id twice, even after the newest file was removed", () => {
  expect(store.files.nextId()).toBe(1)
  store.transaction(() => store.files.add([file(1, "a"), file(2, "b")]))
  store.transaction(() => store.removeFiles([2]))
  expect(store.files.nextId()).toBe(3)
})

test("touch changes only the columns that a scan compares", () => {
  store.transaction(() => store.files.add([file(1, "a")]))
  store.files.touch(1, 100, 5.5)
  expect(store.files.get(1)).toEqual(file(1, "a", { mtimeMs: 5.5 }))
})

test("removing a file deletes its rows and adds tombstones for derived data", () => {
  const space = store.spaces.ensure({ provider: "p", model: "m", dimensions: 4, version: 1 })
  store.transaction(() => {
    store.files.add([file(1, "a"), file(2, "b")])
    for (const fileId of [1, 2]) {
      store.chunks.add([
        { fileId, ordinal: 0, startLine: 1, endLine: 9, kind: "block", scope: null, hash: "h" },
      ])
      store.symbols.add([symbol(fileId, "name")])
      store.uses.add({ fileId, ...USES, bases: [["name", `Base${fileId}`]] })
      store.vectors.add(space, [{ fileId, ordinals: new Uint8Array(2), rows: new Uint8Array(4) }])
    }
    store.removeFiles([1])
  })
  expect(store.files.ids()).toEqual([2])
  expect(store.chunks.ofFile(1)).toEqual([])
  expect(store.symbols.findByName("name").map((found) => found.fileId)).toEqual([2])
  expect(store.uses.ids()).toEqual([2])
  expect(store.uses.basesAbove("name")).toEqual([["name", "Base2"]])
  expect(store.uses.extending(["Base1"])).toEqual([])
  expect(store.vectors.fileIds(space)).toEqual([2])
  expect(store.tombstones.all("keyword")).toEqual([1])
  expect(store.tombstones.all("vectors", space)).toEqual([1])
  store.tombstones.remove("keyword", 0, [1])
  expect(store.tombstones.all("keyword")).toEqual([])
  expect(store.tombstones.all("vectors", space)).toEqual([1])
})

test("finds symbols by exact name and by any spelling of it", () => {
  const names = ["getUser", "get_user", "GETUSER", "operator+", "operator", "+", "größe"]
  store.transaction(() => store.symbols.add(names.map((name, index) => ({ ...symbol(1, name), index }))))
  const exact = (name: string) => store.symbols.findByName(name).map((found) => found.name)
  const folded = (name: string) => store.symbols.findByFolded(name).map((found) => found.name)
  expect(exact("get_user")).toEqual(["get_user"])
  expect(folded("Get_User")).toEqual(["getUser", "get_user", "GETUSER"])
  expect(exact("+")).toEqual(["+"])
  expect(exact("operator")).toEqual(["operator"])
  expect(folded("GRÖSSE")).toEqual([])
  expect(folded("Größe")).toEqual(["größe"])
  const together = store.symbols.findByNames([...names, "absent"])
  expect([...together].map(([name, found]) => [name, found.map((each) => each.name)])).toEqual(
    names.map((name) => [name, exact(name)]),
  )
  // For a name that is defined everywhere only the first rows are read.
  store.transaction(() =>
    store.symbols.add(Array.from({ length: 1200 }, (_, i) => ({ ...symbol(9, "get"), ordinal: i }))),
  )
  expect(store.symbols.findByNames(["get", "+"]).get("get")).toEqual(store.symbols.findByName("get"))
  const { doc, ...third } = { ...symbol(1, "GETUSER"), index: 2 }
  expect(store.symbols.ofFile(1)[2]).toEqual(third)
  expect(store.symbols.docOf(third)).toBe(doc)
})

test("returns symbols by file, chunk and position, independent of insertion order", () => {
  const places = [
    [2, 0, 1],
    [10, 1, 0],
    [2, 0, 0],
    [2, 10, 0],
    [2, 9, 0],
  ] as const
  const rows = places.map(([fileId, ordinal, index]) => ({ ...symbol(fileId, "name"), ordinal, index }))
  store.transaction(() => store.symbols.add(rows))
  const placed = store.symbols.findByName("name").map((row) => [row.fileId, row.ordinal, row.index])
  expect(placed).toEqual([
    [2, 0, 0],
    [2, 0, 1],
    [2, 9, 0],
    [2, 10, 0],
    [10, 1, 0],
  ])
  expect(store.symbols.outlineOf(2).map(({ ordinal, index }) => [2, ordinal, index])).toEqual(
    placed.slice(0, 4),
  )
})

test("finds the chunk of a line, and null for a line between chunks", () => {
  const chunk = (ordinal: number, startLine: number, endLine: number) =>
    ({ fileId: 1, ordinal, startLine, endLine, kind: "block", scope: null, hash: "h" }) as const
  store.transaction(() => store.chunks.add([chunk(0, 1, 10), chunk(1, 12, 20)]))
  expect(store.chunks.atLine(1, 12)?.ordinal).toBe(1)
  expect(store.chunks.atLine(1, 11)).toBeNull()
})

test("returns segments by id and removes only those up to the given id", () => {
  const [a, b, c] = [1, 2, 3].map((n) => store.segments.add({ files: n, chunks: n, blob: Uint8Array.of(n) }))
  expect(store.segments.all().map((row) => [row.id, ...row.blob])).toEqual([
    [a!, 1],
    [b!, 2],
    [c!, 3],
  ])
  expect(store.segments.pending()).toEqual({ segments: 3, files: 6, chunks: 6 })
  store.segments.removeUpTo(b!)
  expect(store.segments.ids()).toEqual([c!])
  expect(store.segments.all(c!)).toEqual([])
})

test("gives the same space one id and another version another id", () => {
  const space = { provider: "p", model: "m", dimensions: 4, version: 1 }
  expect(store.spaces.ensure(space)).toBe(store.spaces.ensure(space))
  expect(store.spaces.ensure({ ...space, version: 2 })).not.toBe(store.spaces.ensure(space))
})

function file(id: number, path: string, change: Partial<FileRow> = {}): FileRow {
  const content = {
    hash: "00000000000000ff",
    size: 100,
    mtimeMs: 1,
    language: "typescript",
    content: "code",
    flags: 3,
  }
  const parsed = {
    lines: 10,
    method: "tree-sitter",
    degraded: null,
    chunks: 1,
    package: null,
    imports: [],
    names: new Uint8Array(0),
  }
  return { id, path, ...content, ...parsed, ...change }
}

const EMPTY = new Uint8Array(0)
const USES = { names: EMPTY, places: EMPTY, defines: EMPTY }

test("follows bases of a type across files", () => {
  store.transaction(() => {
    store.symbols.add([symbol(1, "Shop"), { ...symbol(2, "Shop"), index: 1 }])
    store.uses.add({
      fileId: 1,
      ...USES,
      bases: [
        ["Shop", "Base"],
        ["Shop", "Little"],
        ["Little", "Least"],
        ["Other", "Base"],
      ],
    })
    store.uses.add({ fileId: 2, ...USES, bases: [["Shop", "Base"]] })
    store.uses.add({ fileId: 3, ...USES, bases: [["Shop", "Elsewhere"]] })
  })
  expect(store.uses.basesAbove("Other")).toEqual([["Other", "Base"]])
  expect(store.uses.basesAbove("Shop").sort()).toEqual([
    ["Little", "Least"],
    ["Shop", "Base"],
    ["Shop", "Elsewhere"],
    ["Shop", "Little"],
  ])
  expect(store.uses.extending(["Base", "Other"]).sort()).toEqual([
    ["Base", "Other", 1],
    ["Base", "Shop", 1],
    ["Base", "Shop", 2],
  ])
})

test("returns the requested definition of a chunk, otherwise the first", () => {
  const [first, third] = [symbol(1, "first"), { ...symbol(1, "third"), index: 2 }]
  store.transaction(() => store.symbols.add([third, first, { ...symbol(1, "other"), ordinal: 1, index: 9 }]))
  expect(store.symbols.oneOfChunk(1, 0)?.name).toBe("first")
  expect(store.symbols.oneOfChunk(1, 0, 2)?.name).toBe("third")
  expect(store.symbols.oneOfChunk(1, 0, 1)?.name).toBe("first")
  expect(store.symbols.oneOfChunk(1, 2, 1)).toBeNull()
})

function symbol(fileId: number, name: string): NewSymbol {
  const text = { kind: "function", signature: `function ${name}()`, owner: null, doc: `about ${name}` }
  return { fileId, ordinal: 0, index: 0, name, ...text, startLine: 1, endLine: 9, local: 0 }
}

test("reports a configured space as whole when it has every present file", () => {
  const space = store.spaces.ensure({ provider: "p", model: "m", dimensions: 4, version: 1 })
  store.transaction(() => store.files.add([file(1, "b"), file(2, "a")]))
  expect(store.embedded.missing(space).map(({ path }) => path)).toEqual(["a", "b"])
  // The third was removed while it was being embedded.
  expect(store.transaction(() => store.embedded.add(space, [1, 3]))).toEqual([1])
  expect(store.embedded.isWhole(space)).toBe(false)
  expect(store.embedded.share(space)).toEqual({ files: 1, allFiles: 2, chunks: 1, allChunks: 2 })
  store.transaction(() => store.embedded.add(space, [2]))
  expect(store.embedded.isWhole(space)).toBe(true)
  store.transaction(() => store.removeFiles([2]))
  expect(store.embedded.isWhole(space)).toBe(true)
  store.transaction(() => store.files.add([file(4, "c")]))
  expect(store.embedded.isWhole(space)).toBe(false)
})

test("removing a space leaves nothing behind", () => {
  const space = store.spaces.ensure({ provider: "p", model: "m", dimensions: 4, version: 1 })
  store.transaction(() => {
    store.files.add([file(1, "a")])
    store.vectors.add(space, [{ fileId: 1, ordinals: new Uint8Array(2), rows: new Uint8Array(4) }])
    store.embedded.add(space, [1])
    store.tombstones.add("vectors", space, 9)
    store.removeSpace(space)
  })
  expect(store.spaces.all()).toEqual([])
  expect([store.vectors.all(space), store.tombstones.all("vectors", space)]).toEqual([[], []])
  expect(store.embedded.share(space).files).toBe(0)
})
