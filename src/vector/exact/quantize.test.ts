import { expect, test } from "bun:test"
import fc from "fast-check"
import { dot, lengthOf, probeOf, readRow } from "./cosine.ts"
import { decodeRows, encodeRows, toScanRows } from "./quantize.ts"

const numbers = fc.array(fc.double({ min: -1, max: 1, noNaN: true }), { minLength: 8, maxLength: 8 })

test("stores vectors with each type's precision at any scale", () => {
  fc.assert(
    fc.property(numbers, numbers, (a, b) => {
      const vectors = unitRows([a, b])
      const precision = { f32: 1e-6, f16: 2e-3, i8: 2e-2 } as const
      const width = { f32: 4, f16: 2, i8: 1 } as const
      for (const quantization of ["f32", "f16", "i8"] as const) {
        const bytes = encodeRows(vectors, 8, width[quantization])
        expect(bytes).toHaveLength(16 * width[quantization])
        for (const [i, value] of decodeRows(bytes, 8, width[quantization]).entries())
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
      expect(Math.abs(dot(probe, vectors, 8) - exact)).toBeLessThan(1e-6)
      expect(Math.abs(dot(probe, halves, 8) - exact)).toBeLessThan(2e-3)
      expect(Math.abs(dot(probe, scan, 8) / lengthOf(scan, 8, 8) - exact)).toBeLessThan(0.02)
      for (const rows of [vectors, halves, scan])
        expect(Math.abs(dot(probe, readRow(rows, 8, 8), 0) - exact)).toBeLessThan(0.02)
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
