import { expect, test } from "bun:test"
import fc from "fast-check"
import { printable, printableLine, wrap } from "./printable.ts"

test("removes the escape character of escape sequences and keeps text and layout", () => {
  expect(printable("a\tb\r\nc\x1b[31md\x07\x9b2J")).toBe("a\tb\nc\u{fffd}[31md\u{fffd}\u{fffd}2J")
  expect(printable("ünï → 漢字 🙂")).toBe("ünï → 漢字 🙂")
})

test("removes bidirectional overrides, which could hide what code does", () => {
  expect(printable("if (x) \u202e⁦// check⁩")).not.toMatch(/[\u202a-\u202e\u2066-\u2069]/)
})

test("leaves no control sequence in any text", () => {
  fc.assert(
    fc.property(fc.string({ unit: "binary" }), (text) => {
      expect(printable(text)).not.toMatch(/(?![\n\t])\p{Cc}/u)
      expect(printableLine(text)).not.toMatch(/\p{Cc}|\p{Zl}|\p{Zp}/u)
    }),
  )
})

test("wraps between words and indents the following lines", () => {
  expect(wrap("one two three four five six", 26, 4)).toBe("one two three four\n    five six")
  expect(wrap("short", 80, 4)).toBe("short")
})

test("limits the line length on a wide terminal", () => {
  for (const line of wrap("word ".repeat(100), 1000).split("\n")) expect(line.length).toBeLessThanOrEqual(100)
})
