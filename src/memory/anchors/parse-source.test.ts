import { expect, test } from "bun:test"
import fc from "fast-check"
import { isUrl, parseSource } from "./capture.ts"

/** "path start-end symbol" of each reading, in order. */
const readings = (text: string) =>
  parseSource(text).map(({ path, startLine, endLine, symbol }) =>
    [path, startLine === null ? "-" : `${startLine}-${endLine}`, symbol ?? "-"].join(" "),
  )

const FIRST: readonly (readonly [string, string])[] = [
  ["src/a.ts", "src/a.ts - -"],
  [" ./src/a.ts ", "./src/a.ts - -"],
  ["src/a.ts:12", "src/a.ts 12-12 -"],
  ["src/a.ts:10-20", "src/a.ts 10-20 -"],
  ["src/a.ts:20-10", "src/a.ts 10-20 -"],
  ["src/a.ts:0", "src/a.ts 1-1 -"],
  ["src/a.ts:12:5", "src/a.ts 12-12 -"],
  ["src/a.ts#L10-L20", "src/a.ts 10-20 -"],
  ["src/a.ts:L10", "src/a.ts 10-10 -"],
  ["src/a.ts#open", "src/a.ts - open"],
  ["src/a.ts#Store.open", "src/a.ts - Store.open"],
  ["src/a.ts:12#open", "src/a.ts 12-12 open"],
  ["my file.ts:3", "my file.ts 3-3 -"],
  ["C:\\x\\a.ts", "C:\\x\\a.ts - -"],
  ["C:\\x\\a.ts:7", "C:\\x\\a.ts 7-7 -"],
  ["c:/x/a.ts:7-9#open", "c:/x/a.ts 7-9 open"],
  ["C#/a.cs:3", "C#/a.cs 3-3 -"],
  ["/abs/a.ts:3", "/abs/a.ts 3-3 -"],
]
test.each(FIRST)("%s", (text, expected) => expect(readings(text)[0]).toBe(expected))

test("returns further readings when a name contains : or #", () => {
  expect(readings("a:12")).toEqual(["a 12-12 -", "a:12 - -"])
  expect(readings("a#b:3")).toContain("a#b 3-3 -")
  expect(readings("a#b")).toEqual(["a - b", "a#b - -"])
})

test("does not read a URL as a path", () => {
  expect(["https://a.org/x", "HTTP://a", "git+ssh://a"].filter(isUrl)).toHaveLength(3)
  expect(["src/a.ts", "C:\\x", "C:/x", "a:12", "//share/x"].filter(isUrl)).toEqual([])
})

test("reads any text, with line numbers from 1", () => {
  const wild = fc.oneof(fc.string(), fc.stringMatching(/^[ab./\\#:L0-9-]{1,20}$/))
  fc.assert(
    fc.property(wild, (text) => {
      for (const { startLine, endLine } of parseSource(text)) {
        if (startLine === null || endLine === null) continue
        expect(startLine).toBeGreaterThanOrEqual(1)
        expect(endLine).toBeGreaterThanOrEqual(startLine)
      }
      expect(parseSource(text).map(({ path }) => path)).toContain(text.trim())
    }),
  )
})
