import { expect, test } from "bun:test"
import { Debounce } from "./watch.ts"

function after(...events: readonly number[]): number | null {
  const debounce = new Debounce(500)
  for (const at of events) debounce.note(at)
  return debounce.dueMs
}

test("nothing is due before anything happened, nor after it was looked at", () => {
  const debounce = new Debounce(500)
  expect(debounce.dueMs).toBeNull()
  debounce.note(1000)
  debounce.clear()
  expect(debounce.dueMs).toBeNull()
})

test("a lone event waits 50 ms, and so does one that comes as two", () => {
  expect(after(1000)).toBe(1050)
  expect(after(1000, 1002)).toBe(1052)
})

test("the longer a burst lasts the longer it has to rest, 500 ms at most", () => {
  expect(after(1000, 1040, 1080, 1120)).toBe(1240)
  expect(after(1000, 1300)).toBe(1600)
  expect(after(1000, 1300, 1700, 2100, 2500)).toBe(3000)
})

test("what never rests is looked at every ten seconds", () => {
  const events = Array.from({ length: 1000 }, (_, i) => i * 100)
  expect(after(...events)).toBe(10_000)
})

test("without any wait everything is due at once", () => {
  const debounce = new Debounce(0)
  debounce.note(1000)
  expect(debounce.dueMs).toBe(1000)
})
