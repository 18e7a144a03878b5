import { expect, test } from "bun:test"
import fc from "fast-check"
import { createIds, isId, stableId } from "./ids.ts"

test("ids increase with time, within a millisecond, and when the clock is set back", () => {
  fc.assert(
    fc.property(fc.array(fc.integer({ min: -5, max: 5 }), { maxLength: 200 }), (steps) => {
      let time = Date.parse("2026-11-21")
      const nextId = createIds(() => time)
      const ids = steps.map((step) => {
        time += step
        return nextId()
      })
      expect(ids.every(isId)).toBe(true)
      expect([...ids].sort()).toEqual(ids)
      expect(new Set(ids).size).toBe(ids.length)
    }),
  )
})

test("a later id sorts after an earlier one up to the last possible date", () => {
  const at = (time: string) => createIds(() => Date.parse(time))()
  const ids = ["1970-01-01", "2026-11-21", "2026-11-21T00:00:00.001Z", "3000-01-01", "9999-12-31"].map(at)
  expect([...ids].sort()).toEqual(ids)
})

test("ids are valid and increase for any clock: before 1970, beyond all dates or NaN", () => {
  const clock = fc.oneof(
    fc.constantFrom(
      -1,
      -1e12,
      -8.64e15,
      8.64e15,
      2 ** 48,
      2 ** 50,
      1e300,
      Number.NaN,
      Number.NEGATIVE_INFINITY,
    ),
    fc.double(),
    fc.integer(),
  )
  fc.assert(
    fc.property(fc.array(clock, { minLength: 1, maxLength: 50 }), (times) => {
      let at = 0
      const nextId = createIds(() => times[at++]!)
      const ids = times.map(() => nextId())
      expect(ids.every(isId)).toBe(true)
      expect([...ids].sort()).toEqual(ids)
      expect(new Set(ids).size).toBe(ids.length)
    }),
  )
})

test("two generators at the same time share only the time digits", () => {
  const ids = Array.from({ length: 2000 }, () => createIds(() => 1)())
  expect(new Set(ids).size).toBe(2000)
  expect(new Set(ids.map((id) => id.slice(0, 10))).size).toBe(1)
})

test("idOf gives equal ids for equal parts and different ids for different parts", () => {
  expect(stableId("entity", null, "ann")).toBe(stableId("entity", null, "ann"))
  const ids = [
    stableId("entity", null, "ann"),
    stableId("entity", "p", "ann"),
    stableId("entity", "pann"),
    stableId("relation", null, "ann"),
  ]
  expect(new Set(ids).size).toBe(4)
  expect(ids.every(isId)).toBe(true)
})

test.each([
  "",
  "01m7zwva4m17se8gmw4",
  "01m7zwva4m17se8gmw4xx",
  "01M7ZWVA4M17SE8GMW4X",
  "01m7zwva4m17se8gmwil",
])("%p is no id", (text) => expect(isId(text)).toBe(false))
