import { afterEach, beforeEach, expect, test } from "bun:test"
import {
  closeSync,
  mkdtempSync,
  openSync,
  readdirSync,
  readSync,
  rmSync,
  truncateSync,
  writeSync,
} from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import fc from "fast-check"
import { clusteredVectors, nearestPlainly, rowOf } from "../../../test/contracts/vectors.ts"
import { randomFrom } from "../../../test/random.ts"
import { sweepDerived } from "../../store/derived/derived-files.ts"
import { openStore } from "../../store/index/open.ts"
import type { Store } from "../../store/index/store.ts"
import type { SpaceRow, VectorsRow } from "../../store/index/tables.ts"
import { mergeVectors, readRows, writePart } from "./merge-vectors.ts"
import { loadNative } from "./native.ts"
import { CHUNK_KEY_STRIDE, PATH_VECTOR } from "./port.ts"
import { embeddedFiles, openGraphs, openTable, openVectors, toVectorsRow } from "./set.ts"

const DIMENSIONS = 768
let folder: string
let store: Store
let space: SpaceRow

beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), "aman-fold-"))
  store = openStore(join(folder, "index.db"))
  const named = { provider: "test", model: "clusters", dimensions: DIMENSIONS, version: 1 }
  space = store.transaction(() => ({ ...named, id: store.spaces.ensure(named) }))
})

afterEach(() => {
  store.close()
  rmSync(folder, { recursive: true })
})

test("returns the same results before and after each merge of added and removed files", async () => {
  const vectors = clusteredVectors(600, DIMENSIONS, 5)
  addFiles(1, 30, vectors)
  expectNearest(vectors, (file) => file <= 30)
  await merge()
  expectNearest(vectors, (file) => file <= 30)
  addFiles(31, 60, vectors)
  store.transaction(() => store.removeFiles([3, 40]))
  const living = (file: number) => file !== 3 && file !== 40
  expectNearest(vectors, living)
  await merge()
  expectNearest(vectors, living)
  expect(store.tombstones.all("vectors", space.id)).toEqual([])
  expect(store.vectors.pending(space.id)).toEqual({ files: 0, vectors: 0 })
  expect([...embeddedFiles(store, folder, space)].sort((a, b) => a - b)).toEqual(fileIds(60).filter(living))
})

test("vectors of whole files are scored before and after a merge and never returned by a search", async () => {
  const vectors = clusteredVectors(4, DIMENSIONS, 5)
  store.transaction(() =>
    store.vectors.add(space.id, [
      toVectorsRow(1, [0, PATH_VECTOR], vectors.slice(0, 2 * DIMENSIONS), DIMENSIONS),
    ]),
  )
  const query = rowOf(vectors, 1, DIMENSIONS)
  const key = CHUNK_KEY_STRIDE + PATH_VECTOR
  for (const step of ["delta", "folded", "folded twice"]) {
    if (step !== "delta") await merge()
    using found = openVectors(store, folder, space)
    expect(found.search(query, 5).map((hit) => hit.key)).toEqual([CHUNK_KEY_STRIDE])
    expect(found.scorer(query)(key)).toBeCloseTo(1, 2)
  }
})

test("does not change scores in a merge", async () => {
  const vectors = clusteredVectors(103, DIMENSIONS, 5)
  const ordinals = [0, 1, PATH_VECTOR]
  const rows = Array.from({ length: 34 }, (_, i) =>
    toVectorsRow(i + 1, ordinals, vectors.slice(3 * i * DIMENSIONS, 3 * (i + 1) * DIMENSIONS), DIMENSIONS),
  )
  store.transaction(() => store.vectors.add(space.id, rows))
  const query = rowOf(vectors, 102, DIMENSIONS)
  const ask = () => {
    using found = openVectors(store, folder, space)
    const score = found.scorer(query)
    return {
      hits: found.search(query, 20),
      scores: fileIds(34).flatMap((file) =>
        ordinals.map((ordinal) => score(file * CHUNK_KEY_STRIDE + ordinal)),
      ),
    }
  }
  const waiting = ask()
  await merge()
  expect(ask()).toEqual(waiting)
  await merge()
  expect(ask()).toEqual(waiting)
})

test("keeps a file removed that was removed during a merge", async () => {
  const vectors = clusteredVectors(100, DIMENSIONS, 5)
  addFiles(1, 10, vectors)
  await merge(() => store.transaction(() => store.removeFiles([4])))
  expectNearest(vectors, (file) => file <= 10 && file !== 4)
  await merge()
  expect(openVectors(store, folder, space).size).toBe(90)
})

test("reports a lost base and counts its files as not embedded", async () => {
  const vectors = clusteredVectors(100, DIMENSIONS, 5)
  addFiles(1, 10, vectors)
  await merge()
  for (const name of readdirSync(folder)) if (name.endsWith(".vec")) rmSync(join(folder, name))
  using found = openVectors(store, folder, space)
  expect(found.isComplete).toBe(false)
  expect(found.search(rowOf(vectors, 0, DIMENSIONS), 5)).toEqual([])
  expect(embeddedFiles(store, folder, space).size).toBe(0)
})

test.skipIf(loadNative() === null)(
  "builds graphs within the memory limit and keeps them",
  async () => {
    const vectors = clusteredVectors(2_400, DIMENSIONS, 5)
    const linked: number[][] = []
    const onLinked = (...progress: number[]) => linked.push(progress)
    const limits = { memoryLimitBytes: 1 << 20, graphMinBytes: 1 << 20, onLinked }
    addFiles(1, 240, vectors)
    await merge(() => {}, limits)
    const graphs = () => store.derived.of("vectors", space.id).slice(1)
    expect(graphs().length).toBeGreaterThan(1)
    expect(graphs().at(-1)!.count).toBe(2_400)
    expect(linked.at(-1)).toEqual([2_400, 2_400])
    expect(linked).toEqual(linked.toSorted(([a], [b]) => a! - b!))
    const names = graphs().map((row) => row.name)
    expectRecall(vectors, () => true)

    store.transaction(() => store.removeFiles([7, 240]))
    await merge(() => {}, limits)
    expect(graphs().map((row) => row.name)).toEqual(names)
    expect(graphs().at(-1)!.count).toBe(2_380)
    expectRecall(vectors, (file) => file !== 7 && file !== 240)
    sweepDerived(folder, store.derived.all())
    expect(readdirSync(folder).filter((name) => name.startsWith("vectors-"))).toHaveLength(names.length + 1)
  },
  30_000,
)

test.skipIf(loadNative() === null)(
  "rejects each of 1,000 graphs and tables with a flipped bit",
  async () => {
    addFiles(1, 30, clusteredVectors(300, DIMENSIONS, 5))
    await merge(() => {}, { graphMinBytes: 1 })
    const parts = store.derived.of("vectors", space.id)
    expect(parts).toHaveLength(2)
    const random = randomFrom(2)
    for (let trial = 0; trial < 1000; trial++) {
      const row = parts[trial % 2]!
      const path = join(folder, row.name)
      const undo = flipBit(path, Math.floor(random() * row.size), Math.floor(random() * 8))
      const opened =
        trial % 2 === 0 ? openTable(folder, parts, DIMENSIONS) : openGraphs(folder, parts, DIMENSIONS)
      if (opened !== null) throw new Error(`a flip in ${row.name} was not seen`)
      undo()
    }
    expect(openGraphs(folder, parts, DIMENSIONS)).toHaveLength(1)
  },
  60_000,
)

function flipBit(path: string, at: number, bit: number): () => void {
  const file = openSync(path, "r+")
  const byte = new Uint8Array(1)
  readSync(file, byte, 0, 1, at)
  const write = (value: number) => writeSync(file, Uint8Array.of(value), 0, 1, at)
  write(byte[0]! ^ (1 << bit))
  return () => {
    write(byte[0]!)
    closeSync(file)
  }
}

/** Adds files of ten chunks each; the vectors of a file are a subarray of `vectors`. */
function addFiles(from: number, to: number, vectors: Float32Array): void {
  const ordinals = Array.from({ length: 10 }, (_, i) => i)
  const rows = fileIds(to)
    .slice(from - 1)
    .map((file) => {
      const at = (file - 1) * 10 * DIMENSIONS
      const own = vectors.slice(at, at + 10 * DIMENSIONS)
      return toVectorsRow(file, ordinals, own, DIMENSIONS)
    })
  store.transaction(() => store.vectors.add(space.id, rows))
}

async function merge(meanwhile = () => {}, limits = {}) {
  const generation = store.meta.generation() + 1
  const folding = mergeVectors(store, folder, {
    space,
    generation,
    memoryLimitBytes: 1 << 30,
    threads: 2,
    ...limits,
  })
  meanwhile()
  const merged = await folding
  store.transaction(() => {
    store.meta.advanceGeneration()
    store.derived.replace("vectors", space.id, merged.rows)
    store.vectors.remove(space.id, merged.files)
    store.tombstones.remove("vectors", space.id, merged.dead)
  })
}

function expectNearest(vectors: Float32Array, living: (file: number) => boolean): void {
  using found = openVectors(store, folder, space)
  const known = keysOf(vectors)
  const present = embeddedFiles(store, folder, space)
  const accept = (key: number) => living(fileOf(key)) && present.has(fileOf(key))
  for (const row of [0, 25, 99]) {
    const query = rowOf(vectors, row, DIMENSIONS)
    const truth = nearestPlainly(known, vectors, query, 5, accept)
    const hits = found.search(query, 5)
    for (const [i, hit] of hits.entries()) expect(hit.score).toBeCloseTo(truth[i]!.score, 2)
    expect(hits).toHaveLength(5)
    expect(hits.every((hit) => living(fileOf(hit.key)))).toBe(true)
    expect(found.scorer(query)(known[row]!)).toBeCloseTo(living(fileOf(known[row]!)) ? 1 : 0, 2)
  }
}

function expectRecall(vectors: Float32Array, living: (file: number) => boolean): void {
  using found = openVectors(store, folder, space)
  const known = keysOf(vectors)
  let right = 0
  for (let row = 0; row < 2_400; row += 240) {
    const query = rowOf(vectors, row, DIMENSIONS)
    const truth = nearestPlainly(known, vectors, query, 10, (key) => living(fileOf(key)))
    const keys = new Set(truth.map((hit) => hit.key))
    right += found.search(query, 10).filter((hit) => keys.has(hit.key)).length
  }
  expect(right / 100).toBeGreaterThanOrEqual(0.9)
}

function keysOf(vectors: Float32Array): number[] {
  const rows = vectors.length / DIMENSIONS
  return Array.from({ length: rows }, (_, row) => (Math.floor(row / 10) + 1) * CHUNK_KEY_STRIDE + (row % 10))
}

function fileIds(to: number): number[] {
  return Array.from({ length: to }, (_, i) => i + 1)
}

function fileOf(key: number): number {
  return Math.floor(key / CHUNK_KEY_STRIDE)
}

let partFolder: string

beforeEach(() => {
  partFolder = mkdtempSync(join(tmpdir(), "aman-part-"))
})
afterEach(() => rmSync(partFolder, { recursive: true }))

async function* streamOf(rows: readonly VectorsRow[]) {
  yield* rows
}

test("reads the written rows in order", async () => {
  const row = fc.record({
    fileId: fc.maxSafeNat(),
    ordinals: fc.uint8Array({ maxLength: 9 }),
    rows: fc.uint8Array({ maxLength: 99 }),
  })
  await fc.assert(
    fc.asyncProperty(fc.array(row), async (rows) => {
      const path = join(partFolder, "part")
      await writePart(path, streamOf(rows))
      expect([...readRows(path)]).toEqual(rows)
    }),
  )
})

test("throws for a truncated part", async () => {
  const path = join(partFolder, "part")
  await writePart(path, streamOf([{ fileId: 1, ordinals: new Uint8Array(2), rows: new Uint8Array(8) }]))
  truncateSync(path, 30)
  expect(() => [...readRows(path)]).toThrow("is cut")
})
