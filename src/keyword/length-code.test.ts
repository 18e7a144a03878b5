import { expect, test } from "bun:test"
import { decodeLength, encodeLength } from "./length-code.ts"

test("short lengths are exact, longer ones at most six percent low", () => {
  for (let words = 0; words < 524_288; words += words < 4096 ? 1 : 61) {
    const length = decodeLength(encodeLength(words))
    expect(length <= words && length >= words * 0.94).toBe(true)
    if (words < 64 && words % 2 === 0) expect(length).toBe(words)
  }
})

test("codes rise with lengths and end at 255", () => {
  for (let code = 1; code < 256; code++) {
    expect(decodeLength(code)).toBeGreaterThan(decodeLength(code - 1))
    expect(encodeLength(decodeLength(code))).toBe(code)
  }
  expect(encodeLength(4_000_000_000)).toBe(255)
})
