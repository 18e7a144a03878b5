import { expect, test } from "bun:test"
import { editDistance, nearest } from "./nearest.ts"

const COMMANDS = ["index", "search", "read", "status", "serve", "version"]

test.each([
  ["serach", "search"],
  ["idnex", "index"],
  ["stat", "status"],
  ["server", "serve"],
  ["raed", "read"],
  ["versoin", "version"],
])("%s means %s", (typed, meant) => {
  expect(nearest(typed, COMMANDS)).toBe(meant)
})

test.each(["useEffect", "x", "configuration", ""])("finds no similar choice for %p", (typed) => {
  expect(nearest(typed, COMMANDS)).toBeUndefined()
})

test("counts two swapped neighbours as one edit", () => {
  expect(editDistance("abcd", "abdc")).toBe(1)
  expect(editDistance("kitten", "sitting")).toBe(3)
  expect(editDistance("", "abc")).toBe(3)
})
