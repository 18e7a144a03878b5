import { expect, test } from "bun:test"
import { ExactIndex, type VectorTable } from "./exact.ts"
import { loadNative } from "./native.ts"
import { rowsInMemory } from "./rows.ts"

test("returns the lowest keys among equal rows", () => {
  const table = tableOf(5000, (row) => (row % 2 === 0 ? [1, 0, 0, 0] : [0, 1, 0, 0]))
  for (const native of [loadNative(), null]) {
    const index = new ExactIndex(table, () => native)
    expect(index.search(Float32Array.of(0, 1, 0, 0), 3).map((hit) => hit.key)).toEqual([1, 3, 5])
    const accept = (key: number) => key > 100
    expect(index.search(Float32Array.of(0, 1, 0, 0), 3, accept).map((hit) => hit.key)).toEqual([
      101, 103, 105,
    ])
  }
})

test("never returns rows of zeros", () => {
  const index = new ExactIndex(tableOf(3, (row) => (row === 1 ? [0, 0, 0, 0] : [1, 0, 0, 0])))
  expect(index.search(Float32Array.of(1, 0, 0, 0), 3)).toEqual([
    { key: 0, score: 1 },
    { key: 2, score: 1 },
    { key: 1, score: 0 },
  ])
})

test("searches only from the given row on", () => {
  const index = new ExactIndex(tableOf(10, () => [1, 0, 0, 0]))
  expect(index.searchFrom(7, Float32Array.of(1, 0, 0, 0), 10).map((hit) => hit.key)).toEqual([7, 8, 9])
})

test("gives the same cosine the first time and later", () => {
  const rows = Array.from({ length: 16 }, (_, row) => [row + 1, 2 * row - 5, 3, 7])
  const bytes = Int8Array.from(rows.flat())
  const index = new ExactIndex({
    ...tableOf(16, (row) => rows[row]!),
    scan: null,
    chunks: rowsInMemory(bytes, 4),
  })
  const cosines = () => rows.map((_, key) => index.scorer(Float32Array.of(0.3, 0.1, 0.7, 0.5))(key))
  expect(cosines()).toEqual(cosines())
})

function tableOf(count: number, row: (row: number) => readonly number[]): VectorTable {
  const scan = Int8Array.from(
    Array.from({ length: count }, (_, i) => row(i).map((value) => value * 127)).flat(),
  )
  return {
    dimensions: 4,
    searched: count,
    keys: Float64Array.from({ length: count }, (_, i) => i),
    order: null,
    scan,
    chunks: rowsInMemory(scan, 4),
    fileVectors: rowsInMemory(new Int8Array(0), 4),
  }
}
