import { afterAll, beforeAll, describe, expect, test } from "bun:test"
import { mkdtempSync, readdirSync, readFileSync, rmSync, truncateSync, writeFileSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import fc from "fast-check"
import { clusteredVectors, rowOf } from "../../../test/contracts/vectors.ts"
import { randomFrom } from "../../../test/random.ts"
import { type Graph, openGraph, saveGraph } from "./graph-file.ts"
import { GRAPH_MIN_BYTES, GraphSearch, NearestNodes, NumberSet, newGraph, planGraphs } from "./graphs.ts"
import { loadNative } from "./native.ts"
import { RowProducts } from "./products.ts"
import { toScanRows } from "./rows.ts"

// Not a multiple of 4, so that rows are padded.
const DIMENSIONS = 30
const COUNT = 2_000
const folder = mkdtempSync(join(tmpdir(), "aman-graph-"))
const path = join(folder, "1.graph")
const vectors = clusteredVectors(COUNT, DIMENSIONS, 3)
const native = loadNative()

afterAll(() => rmSync(folder, { recursive: true }))

describe.skipIf(native === null)("a converted graph", () => {
  beforeAll(() => {
    const graph = newGraph(native!, DIMENSIONS)
    graph.add(
      BigUint64Array.from({ length: COUNT }, (_, i) => BigInt(i * 65_536)),
      toScanRows(vectors, DIMENSIONS),
      1,
    )
    saveGraph(graph, path)
  })

  test("removes the file that usearch saved", () => {
    expect(readdirSync(folder)).toEqual(["1.graph"])
  })

  test("finds the same nodes mapped or read, with and without WebAssembly", () => {
    using mapped = openGraph(path, DIMENSIONS)!
    using read = openGraph(path, DIMENSIONS, false)!
    const plain = new GraphSearch(DIMENSIONS, new RowProducts(DIMENSIONS, true))
    const quick = new GraphSearch(DIMENSIONS)
    for (let row = 0; row < COUNT; row += 97) {
      const found = ask(quick, mapped, row)
      expect(found[0]).toBe(row * 65_536)
      expect(found).toHaveLength(40)
      expect(new Set(found).size).toBe(40)
      expect(ask(plain, mapped, row)).toEqual(found)
      expect(ask(quick, read, row)).toEqual(found)
    }
  })

  test("finds every node by its own vector on any level", () => {
    using graph = openGraph(path, DIMENSIONS)!
    expect(graph.shape.levels.length).toBeGreaterThan(1)
    expect(graph.shape.levels[0]).toBe(COUNT)
    const search = new GraphSearch(DIMENSIONS)
    const lost = Array.from({ length: COUNT }, (_, row) => row).filter(
      (row) => ask(search, graph, row)[0] !== row * 65_536,
    )
    expect(lost.length).toBeLessThan(COUNT / 100)
  })

  test("returns null for other dimensions or a truncated file", () => {
    expect(openGraph(path, DIMENSIONS + 1)).toBeNull()
    expect(openGraph(join(folder, "absent"), DIMENSIONS)).toBeNull()
    const bytes = readFileSync(path)
    const cut = join(folder, "cut")
    writeFileSync(cut, bytes)
    for (let length = bytes.length - 1; length > 0; length = Math.floor(length * 0.9)) {
      truncateSync(cut, length)
      expect(openGraph(cut, DIMENSIONS)).toBeNull()
    }
    truncateSync(cut, 0)
    expect(openGraph(cut, DIMENSIONS)).toBeNull()
  })

  test("terminates with some result when the file is altered after verification", () => {
    const bytes = readFileSync(path)
    const random = randomFrom(5)
    const search = new GraphSearch(DIMENSIONS)
    const wild = join(folder, "wild")
    for (let trial = 0; trial < 60; trial++) {
      const altered = Buffer.from(bytes)
      // All but the footer, which is read before anything is trusted; every part of the file in turn.
      const [from, length] = [Math.floor(random() * bytes.length), 2 ** Math.floor(random() * 18)]
      const to = Math.min(from + length, bytes.length - 64)
      for (let at = from; at < to; at++) altered[at] = Math.floor(random() * 256)
      writeFileSync(wild, altered)
      using graph = openGraph(wild, DIMENSIONS, trial % 2 === 0)!
      for (let row = 0; row < 40; row++) expect(ask(search, graph, row * 50).length).toBeLessThanOrEqual(40)
    }
  })

  test("returns nothing after it was closed, without crashing", () => {
    const graph = openGraph(path, DIMENSIONS)!
    graph[Symbol.dispose]()
    expect(ask(new GraphSearch(DIMENSIONS), graph, 0).length).toBeLessThanOrEqual(1)
  })
})

/** Keys of the forty nearest to a row. */
function ask(search: GraphSearch, graph: Graph, row: number): number[] {
  return search.keysOf(graph, search.nearest(graph, rowOf(vectors, row, DIMENSIONS), 40))
}

test("adds a number once until cleared", () => {
  const set = new NumberSet()
  const numbers = fc.array(fc.oneof(fc.nat(50), fc.nat(2 ** 32 - 2)), { maxLength: 200 })
  fc.assert(
    fc.property(numbers, (numbers) => {
      set.clear()
      const known = new Set<number>()
      for (const number of numbers) {
        expect(set.add(number)).toBe(!known.has(number))
        known.add(number)
      }
    }),
  )
})

test("grows with its content", () => {
  const set = new NumberSet()
  for (let round = 0; round < 2; round++) {
    for (let i = 0; i < 50_000; i++) expect(set.add(i * 4096)).toBe(true)
    for (let i = 0; i < 50_000; i++) expect(set.add(i * 4096)).toBe(false)
    set.clear()
  }
})

test("keeps the best nodes, earlier ones first among equals, and takes each once", () => {
  const near = new NearestNodes()
  const scores = fc.array(fc.integer({ min: -5, max: 5 }), { maxLength: 40 })
  fc.assert(
    fc.property(scores, fc.integer({ min: 1, max: 12 }), fc.nat(5), (scores, capacity, takeEvery) => {
      near.clear(capacity)
      const met: { node: number; score: number; isTaken: boolean }[] = []
      const best = () => met.toSorted((a, b) => b.score - a.score).slice(0, capacity)
      const takeOne = () => {
        const next = best().find((own) => !own.isTaken)
        expect(near.take()).toBe(next?.node ?? -1)
        if (next !== undefined) next.isTaken = true
        return next
      }
      for (const [node, score] of scores.entries()) {
        near.offer(node, score)
        met.push({ node, score, isTaken: false })
        if (node % (takeEvery + 1) === takeEvery) takeOne()
      }
      while (takeOne() !== undefined);
      expect(near.best(capacity)).toEqual(best().map((own) => own.node))
    }),
  )
})

test("never selects nodes whose score is NaN", () => {
  const near = new NearestNodes()
  near.clear(2)
  for (const [node, score] of [Number.NaN, 1, Number.NaN, 3, 2].entries()) near.offer(node, score)
  expect(near.best(2)).toEqual([3, 4])
})

const rows = GRAPH_MIN_BYTES / 256
const plan = (table: Partial<Parameters<typeof planGraphs>[0]>) =>
  planGraphs({ rows, dimensions: 256, graphs: [], built: 0, ...table })

test("builds no graph for a small table and drops existing ones", () => {
  expect(plan({ rows: rows - 1 })).toEqual({ keep: false, buildFrom: null })
  expect(plan({ rows: rows - 1, graphs: [{ count: rows - 1 }], built: rows })).toEqual({
    keep: false,
    buildFrom: null,
  })
})

test("builds one graph over all rows of a large table", () => {
  expect(plan({})).toEqual({ keep: false, buildFrom: 0 })
})

test("scans a short tail and builds another graph for a long one", () => {
  const graphs = [{ count: rows }]
  expect(plan({ rows: rows + 1000, graphs, built: rows })).toEqual({ keep: true, buildFrom: null })
  expect(plan({ rows: rows * 1.5, graphs, built: rows })).toEqual({ keep: true, buildFrom: rows })
})

test("rebuilds everything when a quarter of the rows is dead or there are too many graphs", () => {
  expect(plan({ graphs: [{ count: rows * 0.7 }], built: rows })).toEqual({ keep: false, buildFrom: 0 })
  const many = Array.from({ length: 6 }, () => ({ count: rows }))
  expect(plan({ rows: rows * 2, graphs: many, built: rows })).toEqual({ keep: false, buildFrom: 0 })
})
