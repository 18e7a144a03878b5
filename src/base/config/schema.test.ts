import { expect, test } from "bun:test"
import { parseSize } from "./schema.ts"

test.each([
  ["0", 0],
  ["1048576", 1_048_576],
  ["512MB", 512_000_000],
  ["512 mb", 512_000_000],
  ["512M", 536_870_912],
  ["2GiB", 2_147_483_648],
  [" 1.5g ", 1_610_612_736],
  ["1.9b", 1],
])("parses the size %p", (text, bytes) => expect(parseSize(text)).toBe(bytes))

test.each(["", "MB", "-1", "1e3", "12 parsecs", "1,5GB", "0x10", "9999999999TB"])("refuses %p", (text) => {
  expect(() => parseSize(text, "--memory")).toThrow(/^--memory is not a size/)
})
