import { expect, test } from "bun:test"
import fc from "fast-check"
import { sideBySide } from "./side-by-side.ts"

test("puts equal lines into one row and pairs the changed ones between them", () => {
  expect(sideBySide("a\nold\nz", "a\nnew\nmore\nz")).toEqual([
    { left: "a", right: "a" },
    { left: "old", right: "new" },
    { left: null, right: "more" },
    { left: "z", right: "z" },
  ])
})

test("each side has all of its lines in order, for any two texts", () => {
  const text = fc.array(fc.constantFrom("a", "b", "c", ""), { minLength: 1, maxLength: 30 })
  fc.assert(
    fc.property(text, text, (a, b) => {
      const rows = sideBySide(a.join("\n"), b.join("\n"))
      expect(rows.flatMap(({ left }) => (left === null ? [] : [left]))).toEqual(a)
      expect(rows.flatMap(({ right }) => (right === null ? [] : [right]))).toEqual(b)
    }),
  )
})
