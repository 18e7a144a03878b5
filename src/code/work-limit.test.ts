import { expect, test } from "bun:test"
import { workLimit } from "./work-limit.ts"

test("time in which nothing was done counts for nothing, work does", () => {
  const isOver = workLimit(50)
  Bun.sleepSync(200)
  expect(isOver()).toBeFalse()
  const start = performance.now()
  while (!isOver() && performance.now() - start < 10_000);
  expect(isOver()).toBeTrue()
})
