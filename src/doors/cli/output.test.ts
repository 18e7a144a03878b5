import { expect, test } from "bun:test"
import fc from "fast-check"
import { jsonText, wantsColor } from "./output.ts"

test("colours the output on a terminal, unless a flag or variable says otherwise", () => {
  expect(wantsColor({}, true)).toBe(true)
  expect(wantsColor({}, false)).toBe(false)
  expect(wantsColor({ TERM: "dumb" }, true)).toBe(false)
  expect(wantsColor({ NO_COLOR: "1" }, true)).toBe(false)
  expect(wantsColor({ NO_COLOR: "" }, true)).toBe(true)
  expect(wantsColor({ FORCE_COLOR: "1" }, false)).toBe(true)
  expect(wantsColor({ FORCE_COLOR: "0" }, true)).toBe(false)
  expect(wantsColor({ FORCE_COLOR: "1", NO_COLOR: "1" }, true)).toBe(false)
  expect(wantsColor({ CLICOLOR_FORCE: "1" }, false)).toBe(true)
  expect(wantsColor({ CLICOLOR_FORCE: "0" }, false)).toBe(false)
  expect(wantsColor({ CLICOLOR_FORCE: "1", FORCE_COLOR: "0" }, true)).toBe(false)
  expect(wantsColor({ CLICOLOR_FORCE: "1", NO_COLOR: "1" }, true)).toBe(false)
  expect(wantsColor({ CLICOLOR: "0" }, true)).toBe(false)
})

test("escapes control characters of JSON on a terminal without changing its value", () => {
  fc.assert(
    fc.property(fc.record({ text: fc.string({ unit: "binary" }) }), (value) => {
      const shown = jsonText(value, true)
      expect(shown).not.toMatch(/(?!\n)\p{Cc}|[\u061c\u200e\u200f\u2028-\u202e\u2066-\u2069]/u)
      expect(JSON.parse(shown)).toEqual(value)
      expect(jsonText(value, false)).toBe(`${JSON.stringify(value)}\n`)
    }),
  )
  expect(jsonText("\u009b2J\u202e", true)).toBe('"\\u009b2J\\u202e"\n')
})
