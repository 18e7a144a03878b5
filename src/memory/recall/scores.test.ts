import { expect, test } from "bun:test"
import fc from "fast-check"
import { Dictionary } from "./index/dictionary.ts"
import { ScorePool } from "./scores.ts"

test("lists each slot with a value once, even when its values add up to 0", () => {
  const step = fc.record({
    act: fc.constantFrom("add" as const, "raise" as const),
    slot: fc.nat(3),
    value: fc.constantFrom(-1, 0, 0.5, 1),
  })
  fc.assert(
    fc.property(fc.array(step, { maxLength: 60 }), (steps) => {
      const pool = new ScorePool()
      const scores = pool.take(4)
      for (const { act, slot, value } of steps) scores[act](slot, value)
      const listed = [...scores.slots.subarray(0, scores.count)]
      expect(new Set(listed).size).toBe(listed.length)
      expect(scores.count).toBeLessThanOrEqual(4)
      pool.release()
      expect(pool.take(4)).toBe(scores)
      expect([...scores.values].every((value) => value === 0)).toBe(true)
    }),
  )
})

test("finds a word of one repeated letter once, with a similarity of at most 1", () => {
  const term = "a".repeat(64)
  const index = new Dictionary()
  for (const each of [term, "a".repeat(63), "b"]) index.add(each)
  expect(index.alike(term, 0)).toEqual([{ number: 1, similarity: 1 }])
})
