import { expect, test } from "bun:test"
import { normalizedLines } from "./anchor.ts"
import { retainedWords } from "./retained-words.ts"

const there = (said: string, then: string, now: string) => retainedWords(said, then, [now])

test("a number or name of the entry that its lines no longer contain is lost", () => {
  const then = 'python_requires=">=3.7",'
  expect(there("Python 3.7 is the oldest version.", then, 'python_requires=">=3.8",')).toEqual({
    named: ["3.7"],
    lost: ["3.7"],
  })
  expect(
    there("SIZE_CAPTURES is a Lazy regex", "static SIZE_CAPTURES: Lazy<Regex>", "static SIZE_CAPTURES: X"),
  ).toEqual({ named: ["SIZE_CAPTURES", "Lazy"], lost: ["Lazy"] })
})

test("a word that the lines still contain, or never contained, is not lost", () => {
  const said = "It buffers up to 1000 results (MAX_BUFFER) for the pub"
  expect(there(said, "pub const MAX_BUFFER: usize = 1000", "const MAX_BUFFER: usize = 1000")).toEqual({
    named: ["1000", "MAX_BUFFER", "pub"],
    lost: ["pub"],
  })
  expect(there("Is it for the sea?", "for (it of the) { }", "").named).toEqual([])
})

test("also compares lines beyond the stored ones", () => {
  expect(retainedWords("parse", "fn parse()", ["// moved down", "fn parse()"]).lost).toEqual([])
})

test("a word that moved to a neighbouring line is not lost; one that was there before is", () => {
  const around = { before: ["const wait = 5"], now: ["const wait = 5", "retries: 3,"] }
  const lost = (said: string, then: string) => retainedWords(said, then, ["post({"], around).lost
  expect(lost("3 retries", "post({ retries: 3 })")).toEqual([])
  expect(lost("It sends 5 times; 5", "post({ times: 5 })")).toEqual(["times", "5"])
})

test("reports no lost words for a line longer than its stored part", () => {
  const then = `const table = { ${"a: 1, ".repeat(100)} retries: 30 }`
  const now = normalizedLines(`${then.slice(0, 20)} b: 2, ${then.slice(20)}`).texts
  expect(retainedWords("retries is 30", then, now)).toEqual({ named: [], lost: [] })
})

test.each([
  [
    "It takes 3 steps; 1. open, 2. read; 12) close",
    "steps(3); open(1); read(2, 12)",
    "steps(4); open(); read()",
  ],
  ["Up to 1000 rows", "limit(1000)", "limit(1_000)"],
  ["Up to 1,000 rows", "limit(1_000)", "limit(1000)"],
])("%s: a number that only lists or is written otherwise is not lost", (said, then, now) => {
  expect(there(said, then, now).lost).toEqual([])
})

test("reports a lost number that has a unit or counts nothing", () => {
  expect(there("A limit of 5", "limit = 5", "limit = 7").lost).toEqual(["5"])
  expect(there("It is 5. No more", "limit = 5", "limit = 7").lost).toEqual(["5"])
  expect(there("It waits 5 s", "wait(5)", "wait(8)").lost).toEqual(["5"])
  expect(there("Timeout: 30. It is long", "wait(30)", "wait(8)").lost).toEqual(["30"])
})
