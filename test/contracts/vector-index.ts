import { afterAll, expect, test } from "bun:test"
import { CHUNK_KEY_STRIDE, isFileVector, PATH_VECTOR, type VectorIndex } from "../../src/index/vector/port.ts"
import { clusteredVectors, nearestPlainly, rowOf } from "./vectors.ts"

/** Makes an index of the vectors, whose keys are ascending. `close` removes its files. */
export type MakeIndex = (
  keys: readonly number[],
  vectors: Float32Array,
  dimensions: number,
) => Promise<{ readonly index: VectorIndex; readonly close: () => void }>

const DIMENSIONS = 64
const FILES = 300
const CHUNKS = 10
/** Max difference of a cosine, which the coarsest storage (i8) causes. */
const CLOSE = 0.01

/** Tests that every VectorIndex must pass. */
export function vectorIndexContract(name: string, make: MakeIndex): void {
  const keys = Array.from(
    { length: FILES * CHUNKS },
    (_, i) => (Math.floor(i / CHUNKS) + 1) * CHUNK_KEY_STRIDE + (i % CHUNKS),
  )
  const vectors = clusteredVectors(keys.length, DIMENSIONS, 7)
  const queries = clusteredVectors(100, DIMENSIONS, 7, 99)
  const made = make(keys, vectors, DIMENSIONS)
  afterAll(async () => {
    const { index, close } = await made
    index[Symbol.dispose]()
    close()
  })

  test(`${name}: finds 95 % of the ten nearest`, async () => {
    const { index } = await made
    let found = 0
    for (let q = 0; q < 100; q++) {
      const query = rowOf(queries, q, DIMENSIONS)
      const truth = new Set(nearestPlainly(keys, vectors, query, 10).map((hit) => hit.key))
      found += index.search(query, 10).filter((hit) => truth.has(hit.key)).length
    }
    expect(found / 1000).toBeGreaterThanOrEqual(0.95)
  })

  test(`${name}: returns hits best first with their cosine`, async () => {
    const { index } = await made
    const query = rowOf(queries, 3, DIMENSIONS)
    const exact = new Map(
      nearestPlainly(keys, vectors, query, keys.length).map((hit) => [hit.key, hit.score]),
    )
    const hits = index.search(query, 50)
    expect(hits).toHaveLength(50)
    const cosine = index.scorer(query)
    for (const [i, hit] of hits.entries()) {
      expect(Math.abs(hit.score - exact.get(hit.key)!)).toBeLessThan(CLOSE)
      expect(Math.abs(hit.score - cosine(hit.key))).toBeLessThan(CLOSE)
      if (i > 0) expect(hit.score).toBeLessThanOrEqual(hits[i - 1]!.score)
    }
  })

  test(`${name}: returns only accepted keys, and as many as the limit if there are enough`, async () => {
    const { index } = await made
    const query = rowOf(queries, 5, DIMENSIONS)
    for (const share of [2, 50, 1000]) {
      const accept = (key: number) => Math.floor(key / CHUNK_KEY_STRIDE) % share === 1
      const truth = nearestPlainly(keys, vectors, query, 10, accept)
      const hits = index.search(query, 10, accept)
      expect(hits.every((hit) => accept(hit.key))).toBe(true)
      expect(hits).toHaveLength(truth.length)
      const among = new Set(truth.map((hit) => hit.key))
      expect(hits.filter((hit) => among.has(hit.key)).length).toBeGreaterThanOrEqual(
        Math.floor(truth.length * 0.9),
      )
    }
    expect(index.search(query, 10, () => false)).toEqual([])
  })

  test(`${name}: returns a stored vector with length 1, and null for an unknown key`, async () => {
    const { index } = await made
    const vector = index.get(keys[17]!)!
    expect(vector).toHaveLength(DIMENSIONS)
    expect(Math.hypot(...vector)).toBeCloseTo(1, 4)
    for (const [i, value] of vector.entries())
      expect(Math.abs(value - vectors[17 * DIMENSIONS + i]!)).toBeLessThan(CLOSE)
    expect(index.get(CHUNK_KEY_STRIDE * 9999)).toBeNull()
    expect(index.scorer(rowOf(queries, 0, DIMENSIONS))(CHUNK_KEY_STRIDE * 9999)).toBe(0)
  })

  test(`${name}: throws for a query of other dimensions and finds nothing for zeros`, async () => {
    const { index } = await made
    expect(() => index.search(new Float32Array(DIMENSIONS + 1).fill(0.1), 10)).toThrow("dimensions")
    expect(index.search(new Float32Array(DIMENSIONS), 10)).toEqual([])
    expect(index.search(rowOf(queries, 0, DIMENSIONS), 0)).toEqual([])
    expect(index.size).toBe(keys.length)
  })

  test(`${name}: returns as many equal vectors as the limit, by key, and can reach the others`, async () => {
    const copies = 200
    const all = vectors.slice()
    for (let row = 1; row <= copies; row++) all.copyWithin(row * DIMENSIONS, 0, DIMENSIONS)
    const { index, close } = await make(keys, all, DIMENSIONS)
    const hits = index.search(rowOf(all, 0, DIMENSIONS), 20).map((hit) => hit.key)
    expect(hits).toHaveLength(20)
    expect(hits.every((key) => keys.indexOf(key) <= copies)).toBe(true)
    expect(hits).toEqual(hits.toSorted((a, b) => a - b))
    const others = [...keys.entries()].filter(([row]) => row > copies && row % 8 === 0)
    const found = others.filter(([row, key]) => index.search(rowOf(all, row, DIMENSIONS), 1)[0]!.key === key)
    expect(found.length / others.length).toBeGreaterThanOrEqual(0.95)
    index[Symbol.dispose]()
    close()
  })

  test(`${name}: scores the vectors of whole files by key and never finds them`, async () => {
    const withViews = keys
      .slice(0, 50)
      .flatMap((key, i) => (i % 10 === 9 ? [key, key - 9 + PATH_VECTOR] : [key]))
    const rows = vectors.slice(0, withViews.length * DIMENSIONS)
    const { index, close } = await make(withViews, rows, DIMENSIONS)
    for (const [row, key] of withViews.entries()) {
      const query = rowOf(rows, row, DIMENSIONS)
      expect(Math.abs(index.scorer(query)(key) - 1)).toBeLessThan(CLOSE)
      expect(index.search(query, 60).some((hit) => isFileVector(hit.key))).toBe(false)
      expect(index.search(query, 60)).toHaveLength(50)
    }
    index[Symbol.dispose]()
    close()
  })

  test(`${name}: returns all vectors when the limit exceeds their number`, async () => {
    const { index, close } = await make(keys.slice(0, 5), vectors.slice(0, 5 * DIMENSIONS), DIMENSIONS)
    const found = index.search(rowOf(queries, 0, DIMENSIONS), 50).map((hit) => hit.key)
    expect(found.sort((a, b) => a - b)).toEqual(keys.slice(0, 5))
    index[Symbol.dispose]()
    close()
  })

  test(`${name}: finds nothing when empty`, async () => {
    const { index, close } = await make([], new Float32Array(0), DIMENSIONS)
    expect(index.size).toBe(0)
    expect(index.search(rowOf(queries, 0, DIMENSIONS), 10)).toEqual([])
    expect(index.get(keys[0]!)).toBeNull()
    index[Symbol.dispose]()
    close()
  })
}
