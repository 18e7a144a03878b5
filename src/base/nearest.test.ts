import { expect, test } from "bun:test"
import { nearest } from "./nearest.ts"

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
