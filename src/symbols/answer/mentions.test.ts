import { expect, test } from "bun:test"
import fc from "fast-check"
import { TextPlaces } from "./mentions.ts"

/** The kind of each `x` of a text: s in a string, c in a comment, - elsewhere. */
function kindsIn(text: string, family: string): string {
  const places = new TextPlaces(text, family)
  return Array.from(text.matchAll(/x/g), ({ index }) => {
    if (places.isInString(index, index + 1)) return "s"
    return places.isInComment(index) ? "c" : "-"
  }).join("")
}

test.each([
  ["js", 'x // x\n/* x\n x */ x("x")\n * x\n\'x\' // "x"\n', "-ccc-scsc"],
  ["c", "x /* x", "-c"],
  ["python", "def f():\n  '''x\n  x\n  '''\n  y = \"\"\"x\nx\"\"\"\n  x # x\n", "cc---c"],
])("tells strings and comments from code of %s", (family, text, kinds) => {
  expect(kindsIn(text, family)).toBe(kinds)
})

test("lines are counted from 1", () => {
  const places = new TextPlaces("a\nb\n\nc", "js")
  expect([0, 1, 2, 4, 5].map((at) => places.lineAt(at))).toEqual([1, 1, 2, 3, 4])
})

test("a place is in a block comment if it was opened and not closed before it", () => {
  const parts = fc.array(fc.constantFrom("/*", "*/", "x", "\n", "y x", ";"), { maxLength: 40 })
  fc.assert(
    fc.property(parts, (all) => {
      // A space between the parts keeps a mark from being a part of two.
      const text = all.join("\n ")
      const places = new TextPlaces(text, "c")
      for (const { index } of text.matchAll(/x/g)) {
        const isOpen = text.lastIndexOf("/*", index) > text.lastIndexOf("*/", index)
        expect(places.isInComment(index)).toBe(isOpen)
      }
    }),
  )
})
