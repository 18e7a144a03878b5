import { expect, test } from "bun:test"
import fc from "fast-check"
import { lineRange } from "./line-range.ts"

test("the lines that splitting gives", () => {
  const text = fc.array(fc.constantFrom("a", "bc", "\n", "\r\n", "", "\n\n")).map((parts) => parts.join(""))
  const place = fc.integer({ min: 1, max: 12 })
  fc.assert(
    fc.property(text, place, place, (text, first, last) => {
      const lines = text.split("\n").slice(first - 1, last)
      expect(lineRange(text, first, last)).toBe(lines.join("\n"))
    }),
  )
})
