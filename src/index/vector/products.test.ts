import { expect, test } from "bun:test"
import fc from "fast-check"
import { MAX_COMPARED_ROWS, RowProducts, RowTable } from "./products.ts"

const row = (length: number) =>
  fc.array(fc.integer({ min: -127, max: 127 }), { minLength: length, maxLength: length })

test("computes cosines by their definition, with and without WebAssembly", () => {
  const cases = fc
    .integer({ min: 1, max: 70 })
    .chain((dimensions) =>
      fc.tuple(row(dimensions), fc.array(row(dimensions), { minLength: 1, maxLength: MAX_COMPARED_ROWS })),
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
