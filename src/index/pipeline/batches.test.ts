import { expect, test } from "bun:test"
import fc from "fast-check"
import { batchesOf } from "./batches.ts"

const KIB = 1024
const sizes = (...kib: number[]) => kib.map((size) => ({ size: size * KIB }))

test("no files, no batches", () => expect(batchesOf([], 4)).toEqual([]))

test("small files share a batch, so that no worker starts for one of them", () => {
  expect(batchesOf(sizes(...Array<number>(90).fill(1)), 2)).toHaveLength(1)
})

test("a file above the limit stands alone; what follows begins a batch of its own", () => {
  const batches = batchesOf(sizes(1, 5000, 1, 1), 2)
  expect(batches.map((batch) => batch.length)).toEqual([1, 1, 2])
})

test("batches grow smaller, so that no worker waits long for another at the end", () => {
  const batches = batchesOf(sizes(...Array<number>(900).fill(2)), 2)
  const lengths = batches.slice(0, -1).map((batch) => batch.length)
  expect(lengths).toEqual(lengths.toSorted((one, other) => other - one))
  expect(lengths.at(-1)).toBe(12)
  expect(lengths[0]).toBe(75)
})

test("a large project is cut into several batches per worker", () => {
  const batches = batchesOf(sizes(...Array<number>(400).fill(30)), 2)
  expect(batches.length).toBeGreaterThanOrEqual(8)
})

test("empty files are bounded by number", () => {
  expect(batchesOf(sizes(...Array<number>(600).fill(0)), 1).map((batch) => batch.length)).toEqual([
    256, 256, 88,
  ])
})

test("every file is in one batch, in order, and no batch is empty or larger than 2 MiB without need", () => {
  fc.assert(
    fc.property(
      fc.array(fc.nat(1_048_576), { maxLength: 300 }),
      fc.integer({ min: 1, max: 8 }),
      (all, workers) => {
        const files = all.map((size) => ({ size }))
        const batches = batchesOf(files, workers)
        expect(batches.flat()).toEqual(files)
        for (const batch of batches) {
          expect(batch.length).toBeGreaterThan(0)
          const bytes = batch.reduce((sum, file) => sum + file.size, 0)
          expect(batch.length === 1 || bytes <= 2 * KIB * KIB).toBe(true)
        }
      },
    ),
  )
})
