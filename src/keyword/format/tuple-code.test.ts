import { expect, test } from "bun:test"
import {
  decodeLength,
  ESCAPE,
  encodeLength,
  encodeTuple,
  FIELD_BITS,
  FIRST,
  FIRST_ONLY,
  fieldBits,
  SECOND,
  THIRD,
} from "./tuple-code.ts"

test("maps each code to one tuple and back", () => {
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

test("escapes rare tuples", () => {
  expect(encodeTuple(81, 0, 0)).toBe(ESCAPE)
  expect(encodeTuple(9, 9, 0)).toBe(ESCAPE)
  expect(encodeTuple(1, 1, 2)).toBe(ESCAPE)
})

test("stores short lengths exactly and longer ones at most 6 % too low", () => {
  for (let words = 0; words < 524_288; words += words < 4096 ? 1 : 61) {
    const length = decodeLength(encodeLength(words))
    expect(length <= words && length >= words * 0.94).toBe(true)
    if (words < 64 && words % 2 === 0) expect(length).toBe(words)
  }
})

test("orders codes by length up to 255", () => {
  for (let code = 1; code < 256; code++) {
    expect(decodeLength(code)).toBeGreaterThan(decodeLength(code - 1))
    expect(encodeLength(decodeLength(code))).toBe(code)
  }
  expect(encodeLength(4_000_000_000)).toBe(255)
})
