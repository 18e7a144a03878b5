import { expect, test } from "bun:test"
import { namedThere } from "./named-there.ts"

const there = (said: string, then: string, now: string) => namedThere(said, then, [now])

test("a number or a name that the entry says and its lines have no more", () => {
  const then = 'python_requires=">=3.7",'
  expect(there("Python 3.7 is the oldest version.", then, 'python_requires=">=3.8",')).toEqual({
    named: ["3.7"],
    lost: ["3.7"],
  })
  expect(
    there("SIZE_CAPTURES is a Lazy regex", "static SIZE_CAPTURES: Lazy<Regex>", "static SIZE_CAPTURES: X"),
  ).toEqual({ named: ["SIZE_CAPTURES", "Lazy"], lost: ["Lazy"] })
})

test("what is still there, and what was never there, is not lost", () => {
  const said = "It buffers up to 1000 results (MAX_BUFFER) for the pub"
  expect(there(said, "pub const MAX_BUFFER: usize = 1000", "const MAX_BUFFER: usize = 1000")).toEqual({
    named: ["1000", "MAX_BUFFER", "pub"],
    lost: ["pub"],
  })
  expect(there("Is it for the sea?", "for (it of the) { }", "").named).toEqual([])
})

test("what stands beyond the lines that were kept is looked at, too", () => {
  expect(namedThere("parse", "fn parse()", ["// moved down", "fn parse()"]).lost).toEqual([])
})
