import { expect, test } from "bun:test"
import { type Example, fitListwise } from "./listwise.ts"

/** Queries whose right candidate, the first, has the higher second feature; the first feature points the other way. */
const examples: Example[] = Array.from({ length: 20 }, (_, i) => ({
  rows: [Float64Array.of(0, 1 + (i % 3)), Float64Array.of(1, 0)],
  target: Float64Array.of(1, 0),
  weight: 1,
}))
const options = { l2: 1, use: [true, true], prior: Float64Array.of(0.5, 0) }

test("a held feature keeps its prior weight, and the others are fitted beside it", () => {
  const [held, free] = fitListwise(examples, { ...options, held: [true, false] })
  expect(held).toBe(0.5)
  expect(free!).toBeGreaterThan(0.5)
  expect(fitListwise(examples, options)[0]!).toBeLessThan(0.5)
})

test("what held features explain already is not fitted again", () => {
  const helped = { ...options, prior: Float64Array.of(-3, 0), held: [true, false] }
  const hindered = { ...options, prior: Float64Array.of(3, 0), held: [true, false] }
  expect(fitListwise(examples, helped)[1]!).toBeLessThan(fitListwise(examples, hindered)[1]!)
})
