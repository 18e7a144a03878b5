import { expect, test } from "bun:test"
import { progressText, Speed } from "./progress-text.ts"

test("reports share, speed and remaining time in one line", () => {
  expect(progressText({ phase: "parse", done: 1200, total: 5000 }, 400)).toBe(
    "Reading  1,200/5,000 files  24 %  400 files/s  9.5 s left",
  )
  expect(progressText({ phase: "scan", done: 70, total: 0 }, 0)).toBe("Scanning files  70 files")
  expect(progressText({ phase: "embed", done: 9, total: 9 }, 100)).toBe(
    "Embedding  9/9 files  100 %  100 files/s",
  )
})

test("computes the speed from the last seconds of the current phase", () => {
  const speed = new Speed()
  const measure = (done: number, seconds: number) =>
    speed.measure({ phase: "parse", done, total: 9000 }, seconds * 1000)
  expect(measure(0, 0)).toBe(0)
  for (let second = 1; second <= 10; second++) measure(100 * second, second)
  expect(measure(1000 + 700, 11)).toBeGreaterThan(150)
  expect(speed.measure({ phase: "embed", done: 0, total: 10 }, 12_000)).toBe(0)
})
