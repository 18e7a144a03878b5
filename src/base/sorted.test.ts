import { expect, test } from "bun:test"
import fc from "fast-check"
import { firstAtLeast, firstNot, lastAtMost } from "./sorted.ts"

const numbers = fc.array(fc.nat(20), { maxLength: 30 }).map((list) => Uint32Array.from(list).sort())

test("finds the same index as a walk over the whole array", () => {
  fc.assert(
    fc.property(numbers, fc.nat(21), (sorted, value) => {
      const walked = sorted.findIndex((each) => each >= value)
      expect(firstAtLeast(sorted, value)).toBe(walked < 0 ? sorted.length : walked)
      expect(firstNot(0, sorted.length, (i) => sorted[i]! < value)).toBe(firstAtLeast(sorted, value))
      expect(lastAtMost(sorted, value)).toBe(sorted.findLastIndex((each) => each <= value))
    }),
  )
})

test("searches only the given part", () => {
  const sorted = Uint32Array.of(1, 2, 3, 4, 5)
  expect(firstAtLeast(sorted, 1, 2, 4)).toBe(2)
  expect(firstAtLeast(sorted, 5, 2, 4)).toBe(4)
  expect(lastAtMost(sorted, 1, 2, 4)).toBe(1)
  expect(lastAtMost(sorted, 9, 2, 4)).toBe(3)
})
