import { expect, test } from "bun:test"
import { median, percentile, sample } from "./stats.ts"

test("percentiles are values of the sample", () => {
  const hundred = Array.from({ length: 100 }, (_, i) => 100 - i)
  expect(percentile(hundred, 0.5)).toBe(50)
  expect(percentile(hundred, 0.99)).toBe(99)
  expect(percentile(hundred, 1)).toBe(100)
  expect(percentile([7], 0.01)).toBe(7)
  expect(percentile([], 0.5)).toBeNaN()
})

test("a median is independent of order and compares numbers, not text", () => {
  expect(median([10, 9, 100])).toBe(10)
})

test("a sample is spread evenly over the list and keeps its order", () => {
  expect(sample([0, 1, 2, 3, 4, 5, 6, 7, 8, 9], 5)).toEqual([0, 2, 4, 6, 8])
  expect(sample([1, 2], 5)).toEqual([1, 2])
})
