import { expect, test } from "bun:test"
import { lengthOf, toScanRows } from "../../../index/vector/rows.ts"
import { Vectors } from "./vectors.ts"

const DIMENSIONS = 32
const ENTRIES = 3000

/** Numbers between -1 and 1, the same in each run (Numerical Recipes' generator). */
function numbers(seed: number): () => number {
  let state = seed
  return () => {
    state = (Math.imul(state, 1664525) + 1013904223) | 0
    return state / 2 ** 31
  }
}

function vectors(count: number, next: () => number): Float32Array {
  return Float32Array.from({ length: count * DIMENSIONS }, next)
}

/** An index of entries with one or two rows each, in 40 groups of similar entries. */
function filled(next: () => number) {
  const index = new Vectors(DIMENSIONS)
  const kept: Int8Array[] = []
  const centres = vectors(40, next)
  for (let slot = 0; slot < ENTRIES; slot++) {
    const rows = 1 + (slot % 2)
    const centre = (slot % 40) * DIMENSIONS
    const own = vectors(rows, next).map((value, i) => value * 0.2 + centres[centre + (i % DIMENSIONS)]!)
    const scaled = toScanRows(own, DIMENSIONS)
    const squares = Array.from({ length: rows }, (_, i) => lengthOf(scaled, i * DIMENSIONS, DIMENSIONS) ** 2)
    index.add(slot, { rows: scaled, squares })
    kept.push(scaled)
  }
  return { index, kept, centres }
}

function cosine(query: Float32Array, row: Int8Array): number {
  const length = Math.hypot(...query) * Math.hypot(...row)
  return query.reduce((sum, value, i) => sum + value * row[i]!, 0) / length
}

test("returns the same nearest vectors as an exhaustive comparison, for any filter and removals", () => {
  const next = numbers(7)
  const { index, kept, centres } = filled(next)
  const nameOf = (slot: number) => String(slot)
  for (let slot = 0; slot < ENTRIES; slot += 11) index.remove(slot)
  for (const share of [1, 3, 400]) {
    const accepts = (slot: number) => slot % share === 0
    for (let asked = 0; asked < 8; asked++) {
      const noise = vectors(1, next)
      const query = noise.map((value, i) => value * 0.3 + centres[asked * DIMENSIONS + i]!)
      const scores = kept.map((rows, slot) => {
        if (slot % 11 === 0 || !accepts(slot)) return 0
        const all = Array.from({ length: rows.length / DIMENSIONS }, (_, i) =>
          cosine(query, rows.subarray(i * DIMENSIONS, (i + 1) * DIMENSIONS)),
        )
        return Math.max(...all)
      })
      const expected = [...scores.keys()].filter((slot) => scores[slot]! > 0)
      expected.sort((a, b) => scores[b]! - scores[a]!)
      expect(index.nearest(query, { limit: 20, accepts, nameOf })).toEqual(expected.slice(0, 20))
    }
  }
})

test("centred cosines subtract the mean, so that what all entries share does not count", () => {
  const { index, kept, centres } = filled(numbers(3))
  const slots = Array.from({ length: 60 }, (_, i) => i * 7)
  const query = centres.subarray(0, DIMENSIONS)
  const rows = slots.flatMap((slot) => {
    const all = kept[slot]!
    return Array.from({ length: all.length / DIMENSIONS }, (_, i) => {
      const row = Float64Array.from(all.subarray(i * DIMENSIONS, (i + 1) * DIMENSIONS))
      return { slot, row: row.map((value) => value / Math.hypot(...row)) }
    })
  })
  const mean = new Float64Array(DIMENSIONS).map(
    (_, i) => rows.reduce((sum, { row }) => sum + row[i]!, 0) / (rows.length + 10),
  )
  const length = Math.hypot(...query)
  const away = mean.map((value, i) => query[i]! / length - value)
  const found = index.centred(query, slots)
  for (const slot of slots) {
    const cosines = rows
      .filter((each) => each.slot === slot)
      .map(({ row }) => {
        const rest = row.map((value, i) => value - mean[i]!)
        return (
          rest.reduce((sum, value, i) => sum + value * away[i]!, 0) /
          Math.hypot(...rest) /
          Math.hypot(...away)
        )
      })
    expect(found.get(slot)!).toBeCloseTo(Math.max(0, ...cosines), 5)
  }
})
