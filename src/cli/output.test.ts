import { expect, test } from "bun:test"
import { wantsColor } from "./output.ts"

test("colour where a person looks, unless told otherwise", () => {
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
