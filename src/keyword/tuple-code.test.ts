import { expect, test } from "bun:test"
import { ESCAPE, encodeTuple, FIELD_BITS, FIRST, FIRST_ONLY, fieldBits, SECOND, THIRD } from "./tuple-code.ts"

test("each code stands for one tuple, and the tables give it back", () => {
  const seen = new Set<number>()
  for (let first = 0; first < 100; first++) {
    for (let second = 0; second < 50; second++) {
      for (let third = 0; third < 20; third++) {
        if (first + second + third === 0) continue
        const code = encodeTuple(first, second, third)
        if (code === ESCAPE) continue
        expect(seen.has(code)).toBe(false)
        seen.add(code)
        expect([FIRST[code], SECOND[code], THIRD[code]]).toEqual([first, second, third])
        expect(FIELD_BITS[code]).toBe(fieldBits(first, second, third))
        expect(code < FIRST_ONLY).toBe(second + third === 0)
      }
    }
  }
  expect(seen.size).toBe(255)
})

test("what is rare is escaped", () => {
  expect(encodeTuple(81, 0, 0)).toBe(ESCAPE)
  expect(encodeTuple(9, 9, 0)).toBe(ESCAPE)
  expect(encodeTuple(1, 1, 2)).toBe(ESCAPE)
})
