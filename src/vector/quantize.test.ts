import { expect, test } from "bun:test"
import fc from "fast-check"
import { cosine, readRow } from "./cosine.ts"
import { decodeRows, encodeRows, toScanRows } from "./quantize.ts"

const numbers = fc.array(fc.double({ min: -1, max: 1, noNaN: true }), { minLength: 8, maxLength: 8 })

test("vectors survive each storage to its precision, whatever their scale", () => {
  fc.assert(
    fc.property(numbers, numbers, (a, b) => {
      const vectors = unitRows([a, b])
      const precision = { f32: 1e-6, f16: 2e-3, i8: 2e-2 } as const
      const width = { f32: 4, f16: 2, i8: 1 } as const
      for (const quantization of ["f32", "f16", "i8"] as const) {
        const bytes = encodeRows(vectors, 8, quantization)
        expect(bytes).toHaveLength(16 * width[quantization])
        for (const [i, value] of decodeRows(bytes, 8, width[quantization]).entries())
          expect(Math.abs(value - vectors[i]!)).toBeLessThan(precision[quantization])
      }
    }),
  )
})

test("cosines of stored rows are those of the vectors", () => {
  fc.assert(
    fc.property(numbers, numbers, (a, b) => {
      const vectors = unitRows([a, b])
      const query = vectors.slice(0, 8)
      const exact = query.reduce((sum, value, i) => sum + value * vectors[8 + i]!, 0)
      const halves = new Uint16Array(new Float16Array(vectors).buffer)
      for (const rows of [vectors, halves, toScanRows(vectors, 8)]) {
        expect(Math.abs(cosine(query, rows, 8) - exact)).toBeLessThan(0.02)
        expect(Math.abs(cosine(query, readRow(rows, 8, 8), 0) - exact)).toBeLessThan(0.02)
      }
    }),
  )
})

/** With length 1; numbers too small for that become a fixed direction. */
function unitRows(rows: readonly (readonly number[])[]): Float32Array {
  return Float32Array.from(
    rows.flatMap((row) => {
      const length = Math.hypot(...row)
      return length < 1e-3 ? [1, 0, 0, 0, 0, 0, 0, 0] : row.map((value) => value / length)
    }),
  )
}
