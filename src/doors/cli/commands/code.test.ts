import { expect, test } from "bun:test"
import { parseRange } from "./code.ts"

test("parses a range of lines", () => {
  expect(parseRange("10-40")).toEqual({ startLine: 10, endLine: 40 })
  expect(parseRange("10-")).toEqual({ startLine: 10 })
  expect(parseRange("10")).toEqual({ startLine: 10, endLine: 10 })
})

test.each(["0", "0-5", "9-3", "-5", "a-b", "", "1-2-3"])("%p is none", (text) => {
  expect(() => parseRange(text)).toThrow("invalid line range")
})
