import { expect, test } from "bun:test"
import { minimize } from "./minimize.ts"

test("finds the minimum of a badly scaled quadratic function", () => {
  const bottom = minimize(
    (p) => ({
      value: (p[0]! - 3) ** 2 + 100 * (p[1]! + 1) ** 2,
      gradient: Float64Array.of(2 * (p[0]! - 3), 200 * (p[1]! + 1)),
    }),
    new Float64Array(2),
  )
  expect(bottom[0]).toBeCloseTo(3, 3)
  expect(bottom[1]).toBeCloseTo(-1, 3)
})
