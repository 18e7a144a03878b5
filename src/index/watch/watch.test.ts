import { expect, test } from "bun:test"
import { Debounce } from "./watch.ts"

function after(...events: readonly number[]): number | null {
  const debounce = new Debounce(500)
  for (const at of events) debounce.note(at)
  return debounce.dueMs
}

test("is not due before any event or after a scan", () => {
  const debounce = new Debounce(500)
  expect(debounce.dueMs).toBeNull()
  debounce.note(1000)
  debounce.clear()
  expect(debounce.dueMs).toBeNull()
})

test("waits 50 ms for a single event, also if it comes as two", () => {
  expect(after(1000)).toBe(1050)
  expect(after(1000, 1002)).toBe(1052)
})

test("waits longer for a longer burst, at most 500 ms", () => {
  expect(after(1000, 1040, 1080, 1120)).toBe(1240)
  expect(after(1000, 1300)).toBe(1600)
  expect(after(1000, 1300, 1700, 2100, 2500)).toBe(3000)
})

test("is due every ten seconds during endless events", () => {
  const events = Array.from({ length: 1000 }, (_, i) => i * 100)
  expect(after(...events)).toBe(10_000)
})

test("is due immediately with a debounce of 0", () => {
  const debounce = new Debounce(0)
  debounce.note(1000)
  expect(debounce.dueMs).toBe(1000)
})
