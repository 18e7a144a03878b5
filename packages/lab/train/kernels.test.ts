import { expect, test } from "bun:test"
import { Kernels, transpose } from "./kernels.ts"
import { randomFrom } from "./random.ts"

const kernels = new Kernels(10_000)
const random = randomFrom(7)

function fill(array: Float32Array): Float32Array {
  for (let i = 0; i < array.length; i++) array[i] = random() - 0.5
  return array
}

test("multiplies matrices by the definition", () => {
  const [rows, columns, inner] = [8, 6, 12] as const
  const a = fill(kernels.array(rows * inner))
  const b = fill(kernels.array(columns * inner))
  const out = kernels.array(rows * columns)
  kernels.timesTransposed(a, b, out, rows, columns, inner)
  for (let i = 0; i < rows; i++) {
    for (let j = 0; j < columns; j++) {
      let sum = 0
      for (let k = 0; k < inner; k++) sum += a[i * inner + k]! * b[j * inner + k]!
      expect(out[i * columns + j]).toBeCloseTo(sum, 5)
    }
  }
})

test("adds up rows and scatters them", () => {
  const to = fill(kernels.array(16))
  const from = fill(kernels.array(16))
  const before = to.slice()
  kernels.addTimes(to, 4, from, 8, 3, 8)
  for (let i = 0; i < 16; i++) {
    const added = i >= 4 && i < 12 ? 3 * from[i + 4]! : 0
    expect(to[i]).toBeCloseTo(before[i]! + added, 5)
  }
})

test("a step of Adagrad divides by the root of the sum of all squares so far", () => {
  const row = fill(kernels.array(8))
  const squares = kernels.array(8).fill(0.25)
  const gradients = fill(kernels.array(8))
  const before = row.slice()
  const g = gradients.slice()
  kernels.adagrad(row, squares, 4, gradients, 4, 0.1, 4)
  for (let i = 0; i < 8; i++) {
    const moved = i >= 4 ? (0.1 * g[i]!) / Math.sqrt(0.25 + g[i]! ** 2) : 0
    expect(row[i]).toBeCloseTo(before[i]! - moved, 6)
    expect(gradients[i]).toBe(i >= 4 ? 0 : g[i]!)
  }
})

test("transposes a matrix", () => {
  const to = new Float32Array(6)
  transpose(Float32Array.of(1, 2, 3, 4, 5, 6), to, 2, 3)
  expect([...to]).toEqual([1, 4, 2, 5, 3, 6])
})
