import { expect, test } from "bun:test"
import { textLines } from "../text-lines.ts"
import { lineUnits } from "./line-units.ts"

function cut(text: string, maxChars: number): [number, number][] {
  const lines = textLines(text)
  const units = lineUnits(lines, { startRow: 0, endRow: lines.count - 1 }, null, maxChars)
  return units.map(({ startRow, endRow }) => [startRow, endRow])
}

test("makes each paragraph a unit that includes the blank lines below it", () => {
  expect(cut("one\none\n\n\ntwo\n\nthree", 1000)).toEqual([
    [0, 3],
    [4, 5],
    [6, 6],
  ])
})

test("cuts a long paragraph before its least indented line", () => {
  const text = "a:\n  b: 1\n  c: 2\nd:\n  e: 3\n  f: 4\n"
  expect(cut(text, 30)).toEqual([
    [0, 2],
    [3, 5],
  ])
})

test("makes a line longer than the limit a unit of its own", () => {
  expect(cut(`short\n${"x".repeat(50)}\nshort\n`, 20)).toEqual([
    [0, 0],
    [1, 1],
    [2, 2],
  ])
})
