import { expect, test } from "bun:test"
import fc from "fast-check"
import { cutAt, oneLine } from "./one-line.ts"

test("white space becomes a space, and what moves a cursor or hides text a sign for it", () => {
  expect(oneLine("a\n\tb \u2028 c")).toBe("a b c")
  expect(oneLine("\u001b[31mred\u202e")).toBe("\ufffd[31mred\ufffd")
})

test("what is too long ends in a sign for it, never within a letter", () => {
  expect(oneLine("abcdef", 4)).toBe("abc…")
  expect(cutAt("a🛒b", 2)).toBe("a")
  fc.assert(
    fc.property(fc.string({ unit: "binary" }), fc.integer({ min: 1, max: 40 }), (text, most) => {
      const line = oneLine(text, most)
      expect(line.length).toBeLessThanOrEqual(most)
      expect(line.isWellFormed()).toBe(true)
    }),
  )
})
