import { expect, test } from "bun:test"
import fc from "fast-check"
import { RowTable } from "./row-table.ts"

const i8 = fc.integer({ min: -127, max: 127 })

test("compares all rows like their definition, with and without WebAssembly, also after the table has grown", () => {
  const cases = fc
    .integer({ min: 1, max: 70 })
    .chain((dimensions) =>
      fc.tuple(
        fc.array(i8, { minLength: dimensions, maxLength: dimensions }),
        fc.array(i8, { minLength: 300 * dimensions, maxLength: 300 * dimensions }),
        fc.constantFrom(0, 1, 299, 300),
      ),
    )
  fc.assert(
    fc.property(cases, ([numbers, rows, room]) => {
      const query = unit(numbers)
      const [simd, plain] = [false, true].map((isPlain) => productsOf(query, rows, room, isPlain))
      expect(simd!.products).toEqual(plain!.products)
      const { products, scale, maxError } = simd!
      for (const [row, product] of products.entries()) {
        const own = rows.slice(row * query.length, (row + 1) * query.length)
        const exact = own.reduce((sum, value, i) => sum + value * query[i]!, 0)
        expect(Math.abs(product * scale - exact)).toBeLessThanOrEqual(maxError * Math.hypot(...own) + 1e-4)
      }
    }),
    { numRuns: 20 },
  )
})

test("compares more rows than fit in one block", () => {
  const table = new RowTable(8, 5000)
  for (let row = 0; row < 5000; row++) table.rows[row * 8] = row % 100
  const { scale } = table.setQuery(Float32Array.of(1, 0, 0, 0, 0, 0, 0, 0))
  const found: number[] = []
  table.compare(5000, (products, first, length) => {
    for (let i = 0; i < length; i++) found[first + i] = Math.round(products[i]! * scale)
  })
  expect(found).toEqual(Array.from({ length: 5000 }, (_, row) => row % 100))
})

function productsOf(query: Float32Array, rows: readonly number[], room: number, isPlain: boolean) {
  const count = rows.length / query.length
  const table = new RowTable(query.length, room, isPlain)
  for (let row = 0; row < count; row++) {
    table.reserve(row + 1)
    table.rows.set(rows.slice(row * query.length, (row + 1) * query.length), row * query.length)
  }
  const scaled = table.setQuery(query)
  const products: number[] = []
  table.compare(count, (block, first, length) => {
    for (let i = 0; i < length; i++) products[first + i] = block[i]!
  })
  return { products, ...scaled }
}

function unit(numbers: readonly number[]): Float32Array {
  const length = Math.hypot(...numbers)
  return Float32Array.from(numbers, (value, i) => (length === 0 ? Number(i === 0) : value / length))
}
