import { expect, test } from "bun:test"
import fc from "fast-check"
import { MAX_ROWS, RowProducts } from "./row-products.ts"

const row = (length: number) =>
  fc.array(fc.integer({ min: -127, max: 127 }), { minLength: length, maxLength: length })

test("computes cosines by their definition, with and without WebAssembly", () => {
  const cases = fc
    .integer({ min: 1, max: 70 })
    .chain((dimensions) =>
      fc.tuple(row(dimensions), fc.array(row(dimensions), { minLength: 1, maxLength: MAX_ROWS })),
    )
  fc.assert(
    fc.property(cases, ([query, rows]) => {
      const [quick, plain] = [false, true].map((isPlain) => likenesses(query, rows, isPlain))
      expect(quick).toEqual(plain!)
      const length = Math.hypot(...query)
      const max = Math.max(...query.map(Math.abs))
      for (const [i, own] of rows.entries()) {
        const product = own.reduce((sum, value, at) => sum + value * query[at]!, 0)
        const cosine = product === 0 ? 0 : product / length / Math.hypot(...own)
        expect(quick![i]! / ((32_767 / (max || 1)) * (length || 1))).toBeCloseTo(cosine, 3)
      }
    }),
  )
})

test("keeps sums within 32 bits for any number of dimensions", () => {
  const row = new Array<number>(4096).fill(127)
  expect(likenesses(row, [row], false)[0]).toBeGreaterThan(0)
  expect(likenesses(row, [row.map((value) => -value)], false)[0]).toBeLessThan(0)
})

function likenesses(
  query: readonly number[],
  rows: readonly (readonly number[])[],
  isPlain: boolean,
): number[] {
  const products = new RowProducts(query.length, isPlain)
  products.setQuery(Float32Array.from(query))
  const view = new DataView(products.room.bytes.buffer)
  for (const [place, values] of rows.entries()) {
    const at = products.rowAt(place)
    for (const [i, value] of values.entries()) view.setInt8(at + i, value)
    view.setFloat32(at + products.shape.stride - 4, 1 / (Math.hypot(...values) || 1), true)
  }
  products.compare(rows.length)
  return rows.map((_, place) => products.similarity(place))
}
