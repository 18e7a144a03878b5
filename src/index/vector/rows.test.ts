import { expect, test } from "bun:test"
import fc from "fast-check"
import {
  dot,
  lengthOf,
  packedBytes,
  packRows,
  plainDot,
  probeOf,
  readRow,
  rowsInMemory,
  toScanRows,
  unpackedRows,
} from "./rows.ts"

const dimensions = fc.integer({ min: 1, max: 80 })
const number = fc.float({ min: -1, max: 1, noNaN: true })

function arrayOf<T>(unit: fc.Arbitrary<T>, length: number): fc.Arbitrary<T[]> {
  return fc.array(unit, { minLength: length, maxLength: length })
}

test("computes the same products with SIMD as with plain loops, to the last bit", () => {
  const rows = dimensions.chain((length) =>
    fc.record({
      query: arrayOf(number, length),
      before: fc.nat(40),
      bytes: arrayOf(fc.integer({ min: -128, max: 127 }), length),
    }),
  )
  fc.assert(
    fc.property(rows, ({ query, before, bytes }) => {
      const probe = probeOf(Float32Array.from(query))
      const integers = new Int8Array(before + bytes.length)
      integers.set(bytes, before)
      if (probe === null || probe.places !== null) return
      expect(dot(probe, integers, before)).toBe(plainDot(probe.vector, integers, before))
    }),
    { numRuns: 500 },
  )
})

test("does not mix up alternating queries and rows", () => {
  const [one, other] = [Float32Array.of(1, 1, 1, 1), Float32Array.of(0.5, -1, 2, 1, 1, 1)].map(
    (query) => probeOf(query)!,
  )
  const rows = Int8Array.of(1, 2, 3, 4, 5, 6, 7, 8)
  for (let i = 0; i < 3; i++) {
    expect(dot(one!, rows, 1)).toBe(plainDot(one!.vector, rows, 1))
    expect(dot(other!, rows, 2)).toBe(plainDot(other!.vector, rows, 2))
  }
})

const numbers = fc.array(fc.double({ min: -1, max: 1, noNaN: true }), { minLength: 8, maxLength: 8 })

test("stores vectors with the precision of their rows at any scale", () => {
  fc.assert(
    fc.property(numbers, numbers, (a, b) => {
      const vectors = unitRows([a, b])
      const rows = toScanRows(vectors, 8)
      for (const at of [0, 8])
        for (const [i, value] of readRow(rows, at, 8).entries())
          expect(Math.abs(value - vectors[at + i]!)).toBeLessThan(0.02)
    }),
  )
})

test("packs rows so that each number differs by at most half of its block's unit", () => {
  const rowsOf = fc
    .tuple(fc.integer({ min: 1, max: 70 }), fc.integer({ min: 0, max: 4 }))
    .chain(([length, count]) =>
      fc.record({
        length: fc.constant(length),
        rows: arrayOf(fc.integer({ min: -127, max: 127 }), length * count),
      }),
    )
  fc.assert(
    fc.property(rowsOf, ({ length, rows }) => {
      const packed = packRows(Int8Array.from(rows), length)
      const width = packedBytes(length)
      expect(packed).toHaveLength((rows.length / length) * width)
      const each = unpackedRows(rowsInMemory(new Int8Array(packed.buffer), width), length)
      for (let row = 0; row < rows.length / length; row++) {
        const at = each.seek(row)
        for (let i = 0; i < length; i++) {
          const block = row * length + Math.floor(i / 32) * 32
          const largest = Math.max(
            ...rows.slice(block, Math.min(block + 32, (row + 1) * length)).map(Math.abs),
          )
          const difference = Math.abs(each.block[at + i]! - rows[row * length + i]!)
          expect(difference).toBeLessThanOrEqual(Math.ceil(largest / 7) / 2)
        }
      }
    }),
  )
})

test("computes cosines with stored rows for dense and sparse queries", () => {
  fc.assert(
    fc.property(numbers, numbers, fc.boolean(), (a, b, isSparse) => {
      const vectors = unitRows([isSparse ? [0, a[1]!, 0, 0, 0, 0, a[6]!, 0] : a, b])
      const probe = probeOf(vectors.slice(0, 8))!
      const exact = probe.vector.reduce((sum, value, i) => sum + value * vectors[8 + i]!, 0)
      const scan = toScanRows(vectors, 8)
      expect(Math.abs(dot(probe, scan, 8) / lengthOf(scan, 8, 8) - exact)).toBeLessThan(0.02)
      expect(readRow(scan, 8, 8).reduce((sum, value, i) => sum + value * vectors[8 + i]!, 0)).toBeCloseTo(
        1,
        1,
      )
    }),
  )
})

/** Rows scaled to length 1; rows too short to scale get a fixed direction. */
function unitRows(rows: readonly (readonly number[])[]): Float32Array {
  return Float32Array.from(
    rows.flatMap((row) => {
      const length = Math.hypot(...row)
      return length < 1e-3 ? [1, 0, 0, 0, 0, 0, 0, 0] : row.map((value) => value / length)
    }),
  )
}
