import { expect, test } from "bun:test"
import fc from "fast-check"
import { batchesOf } from "./read-files.ts"

const KIB = 1024
const sizes = (...kib: number[]) => kib.map((size) => ({ size: size * KIB }))

test("returns no batches for no files", () => expect(batchesOf([], 4)).toEqual([]))

test("puts small files into one batch, so that no worker starts for one of them", () => {
  expect(batchesOf(sizes(...Array<number>(90).fill(1)), 2)).toHaveLength(1)
})

test("puts a file above the limit alone into a batch", () => {
  const batches = batchesOf(sizes(1, 5000, 1, 1), 2)
  expect(batches.map((batch) => batch.length)).toEqual([1, 1, 2])
})

test("makes batches smaller towards the end, so that no worker waits long for another", () => {
  const batches = batchesOf(sizes(...Array<number>(900).fill(2)), 2)
  const lengths = batches.slice(0, -1).map((batch) => batch.length)
  expect(lengths).toEqual(lengths.toSorted((one, other) => other - one))
  expect(lengths.at(-1)).toBe(12)
  expect(lengths[0]).toBe(75)
})

test("cuts a large project into several batches per worker", () => {
  const batches = batchesOf(sizes(...Array<number>(400).fill(30)), 2)
  expect(batches.length).toBeGreaterThanOrEqual(8)
})

test("limits the number of empty files per batch", () => {
  expect(batchesOf(sizes(...Array<number>(600).fill(0)), 1).map((batch) => batch.length)).toEqual([
    256, 256, 88,
  ])
})

test("puts every file into one batch, in order, with no empty batch and none above 2 MiB without need", () => {
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
