import { expect, test } from "bun:test"
import fc from "fast-check"
import { NumberSet } from "./number-set.ts"

test("a number is new once, until all are forgotten", () => {
  const set = new NumberSet()
  const numbers = fc.array(fc.oneof(fc.nat(50), fc.nat(2 ** 32 - 2)), { maxLength: 200 })
  fc.assert(
    fc.property(numbers, (numbers) => {
      set.clear()
      const known = new Set<number>()
      for (const number of numbers) {
        expect(set.add(number)).toBe(!known.has(number))
        known.add(number)
      }
    }),
  )
})

test("it grows with what is added", () => {
  const set = new NumberSet()
  for (let round = 0; round < 2; round++) {
    for (let i = 0; i < 50_000; i++) expect(set.add(i * 4096)).toBe(true)
    for (let i = 0; i < 50_000; i++) expect(set.add(i * 4096)).toBe(false)
    set.clear()
  }
})
