import { expect, test } from "bun:test"
import fc from "fast-check"
import {
  decodeRows,
  dot,
  encodeRows,
  lengthOf,
  plainDot,
  probeOf,
  readRow,
  toScanRows,
  WIDTH,
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
      bits: arrayOf(
        fc.oneof(fc.integer({ min: 0, max: 0x7bff }), fc.integer({ min: 0x8000, max: 0xfbff })),
        length,
      ),
      bytes: arrayOf(fc.integer({ min: -128, max: 127 }), length),
    }),
  )
  fc.assert(
    fc.property(rows, ({ query, before, bits, bytes }) => {
      const probe = probeOf(Float32Array.from(query))
      const halves = new Uint16Array(before + bits.length)
      halves.set(bits, before)
      const integers = new Int8Array(before + bytes.length)
      integers.set(bytes, before)
      if (probe === null || probe.places !== null) return
      expect(dot(probe, halves, before)).toBe(plainDot(probe.vector, halves, before))
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

test("stores vectors with each type's precision at any scale", () => {
  fc.assert(
    fc.property(numbers, numbers, (a, b) => {
      const vectors = unitRows([a, b])
      const precision = { f16: 2e-3, i8: 2e-2 } as const
      for (const quantization of ["f16", "i8"] as const) {
        const bytes = encodeRows(vectors, 8, WIDTH[quantization])
        expect(bytes).toHaveLength(16 * WIDTH[quantization])
        for (const [i, value] of decodeRows(bytes, 8, WIDTH[quantization]).entries())
          expect(Math.abs(value - vectors[i]!)).toBeLessThan(precision[quantization])
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
      const halves = new Uint16Array(new Float16Array(vectors).buffer)
      const scan = toScanRows(vectors, 8)
      expect(Math.abs(dot(probe, halves, 8) - exact)).toBeLessThan(2e-3)
      expect(Math.abs(dot(probe, scan, 8) / lengthOf(scan, 8, 8) - exact)).toBeLessThan(0.02)
      for (const rows of [halves, scan])
        expect(readRow(rows, 8, 8).reduce((sum, value, i) => sum + value * vectors[8 + i]!, 0)).toBeCloseTo(
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
