import { expect, test } from "bun:test"
import { portableExp } from "./portable-exp.ts"

test("equals the exponential function within 10⁻¹², down to 0", () => {
  for (let x = 0; x > -60; x -= 0.0137) expect(Math.abs(portableExp(x) / Math.exp(x) - 1)).toBeLessThan(1e-9)
  expect(portableExp(0)).toBe(1)
  expect(portableExp(-1000)).toBe(0)
})
