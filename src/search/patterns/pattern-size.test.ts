import { expect, test } from "bun:test"
import fc from "fast-check"
import { RE2JS } from "re2js"
import { patternSize } from "./regex-pattern.ts"

test.each([
  ["abc", 3],
  ["[a-z]{1000}", 1000],
  ["(ab){3}", 9],
  ["((a{10}){10}){9}", 999],
  ["a{2,}", 3],
  ["\\pL{100}", 1000],
  ["\\w", 10],
  ["[^\\p{Lu}x]{0,50}", 500],
  ["\\Qa{1000}\\E", 7],
  ["(?:x{500}){10}", 5010],
  ["(?P<name>x){10}", 20],
  ["[a{9}]", 1],
  ["x{0}", 1],
  ["{5}", 0],
  [")", 1],
  ["(((", 0],
])("%s counts as %d instructions", (pattern, size) => expect(patternSize(pattern)).toBe(size))

test("a pattern of 20,000 characters is measured without following its repetitions", () => {
  expect(patternSize("(a{1000}){1000}".repeat(1000))).toBeGreaterThan(1e9)
  expect(patternSize("(".repeat(10_000) + ")".repeat(10_000))).toBe(10_001)
})

const pattern = fc.letrec<{ all: string; piece: string }>((tie) => ({
  piece: fc.oneof(
    { depthSize: "small" },
    fc.constantFrom("a", "[a-z]", "\\d", ".", "\\pL", "é", "^", "\\Qa+\\E"),
    tie("all").map((inner) => `(${inner})`),
    tie("all").map((inner) => `(?:${inner})`),
  ),
  all: fc
    .array(fc.tuple(tie("piece"), fc.constantFrom("", "*", "+?", "{3}", "{0,5}", "{2,}", "|")), {
      maxLength: 5,
    })
    .map((parts) => parts.flat().join("")),
}))

test("the estimate is never far below the number of compiled instructions", () => {
  fc.assert(
    fc.property(pattern.all, (text) => {
      let program: RE2JS
      try {
        program = RE2JS.compile(text)
      } catch {
        return
      }
      expect(program.programSize()).toBeLessThanOrEqual(3 * patternSize(text) + 3)
    }),
  )
})
