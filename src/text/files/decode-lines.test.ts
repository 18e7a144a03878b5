import { expect, test } from "bun:test"
import fc from "fast-check"
import { decodeLines, decodeText, lineRange } from "./read-source.ts"

const whole = (bytes: Uint8Array, first: number, last: number) => {
  const decoded = decodeText(bytes)
  return decoded === null ? null : lineRange(decoded.text, first, last)
}

test("returns the same lines as decoding the whole file, for random bytes", () => {
  const part = fc.constantFrom("a", "ä", "€", "😀", "\n", "\n", "\r\n", "\r", "\ufeff", "\0", " ")
  const texts = fc.array(part, { maxLength: 30 }).map((parts) => new TextEncoder().encode(parts.join("")))
  const pieces = fc.array(fc.oneof(fc.constant(10), fc.nat(255)), { maxLength: 30 })
  const bytes = fc.oneof(
    texts,
    pieces.map((all) => Uint8Array.from(all)),
  )
  fc.assert(
    fc.property(bytes, fc.integer({ min: 1, max: 8 }), fc.integer({ min: 0, max: 9 }), (of, first, last) => {
      expect(decodeLines(of, [{ first, last }])?.[0] ?? null).toBe(whole(of, first, last))
    }),
    { numRuns: 3_000 },
  )
})

test.each([
  ["UTF-8 with a mark", [0xef, 0xbb, 0xbf, 0x61, 10, 0x62], 1, 1, "a"],
  ["UTF-16", [0xff, 0xfe, 0x61, 0, 10, 0, 0x62, 0], 2, 2, "b"],
  ["Latin-1", [0x61, 10, 0xe4, 10], 2, 2, "ä"],
  ["two bytes at the end of a line", [0x61, 13, 10, 0x62], 1, 2, "a\nb"],
  ["the first of two such lines", [0x61, 13, 10, 0x62, 13, 10], 1, 1, "a"],
  ["the other byte alone", [0x61, 13, 0x62], 2, 2, "b"],
  ["binary", [0, 0, 0, 0, 1, 2, 10], 1, 1, null],
])("%s", (_, bytes, first, last, text) => {
  expect(decodeLines(Uint8Array.from(bytes), [{ first, last }])?.[0] ?? null).toBe(text)
})

test("returns the lines that splitting the text gives", () => {
  const text = fc.array(fc.constantFrom("a", "bc", "\n", "\r\n", "", "\n\n")).map((parts) => parts.join(""))
  const place = fc.integer({ min: 1, max: 12 })
  fc.assert(
    fc.property(text, place, place, (text, first, last) => {
      const lines = text.split("\n").slice(first - 1, last)
      expect(lineRange(text, first, last)).toBe(lines.join("\n"))
    }),
  )
})
