import { expect, test } from "bun:test"
import fc from "fast-check"
import { cutText } from "./cut-text.ts"

test("a short text stays, a long one is cut at the end of a line", () => {
  expect(cutText("a\nb", 1)).toBe("a\nb")
  const lines = "0123456789\n".repeat(100)
  expect(cutText(lines, 100)).toBe("0123456789\n".repeat(27).trimEnd())
})

test("one long line is cut where it must be", () => {
  expect(cutText("x".repeat(1000), 10)).toBe("x".repeat(30))
  expect(cutText("漢".repeat(1000), 10)).toBe("漢".repeat(10))
})

test("what is left is a beginning, fits, and never ends in half a character", () => {
  fc.assert(
    fc.property(
      fc.string({ unit: "binary", maxLength: 200 }),
      fc.integer({ min: 2, max: 50 }),
      (text, tokens) => {
        const cut = cutText(text, tokens)
        expect(text.startsWith(cut)).toBe(true)
        expect(Buffer.byteLength(cut)).toBeLessThanOrEqual(tokens * 3)
        expect(cut.isWellFormed()).toBe(true)
      },
    ),
  )
})
