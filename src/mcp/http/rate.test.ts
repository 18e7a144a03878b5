import { expect, test } from "bun:test"
import { Rate } from "./rate.ts"

test("four times as many at once, then so many a second, each name by itself", () => {
  const rate = new Rate(2)
  const taken = (name: string, now: number) => {
    let count = 0
    while (count < 100 && rate.takes(name, now)) count++
    return count
  }
  expect(taken("a", 0)).toBe(8)
  expect(taken("b", 0)).toBe(8)
  expect(taken("a", 500)).toBe(1)
  expect(taken("a", 1500)).toBe(2)
  expect(taken("a", 3_600_000)).toBe(8)
  expect(Array.from({ length: 1000 }, () => new Rate(0).takes("a", 0))).not.toContain(false)
})
