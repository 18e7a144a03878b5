import { expect, test } from "bun:test"
import fc from "fast-check"
import { cpuTime } from "../../../test/cpu-time.ts"
import { findWord, matchByWords } from "./match-entries.ts"
import { analyseTerms } from "./question.ts"

const TEXTS = [
  "Retries of the webhook sender stop at five, else the queue backs up.",
  "Releases are cut on Tuesdays from the main branch.",
  "The parser keeps comments; optimizeDeps is translated by the plugin.",
  "Postgres runs in a container while tests run.",
  "日本語の検索は二文字ずつ。",
]
const entries = TEXTS.map((text, i) => ({ id: String(i), text, topic: "general", tags: ["note"] }))
const found = (text: string) =>
  matchByWords(text, entries)
    .filter(({ strength }) => strength >= 1)
    .map(({ entry }) => entry.id)

test("finds a text by its significant words in any form", () => {
  expect(found("why does the webhook sender stop retrying after five attempts?")).toEqual(["0"])
  expect(found("when do we release, and from which branch is it cut?")).toEqual(["1"])
  expect(found("translate optimize deps in the plugin")).toEqual(["2"])
})

test("finds nothing for a single shared word or for words common to all texts", () => {
  expect(found("please write a webhook for the new payment provider of the shop")).toEqual([])
  expect(found("go on with the next one, that looks good")).toEqual([])
  expect(found("")).toEqual([])
  expect(matchByWords("retries of the webhook", [])).toEqual([])
})

test("finds nothing for small talk, even when an entry has the same text", () => {
  const talk = [...entries, { id: "t", text: "Thanks, looks good.", topic: "general", tags: [] }]
  expect(matchByWords("thanks, looks good", talk)).toEqual([])
})

test("matches texts whose lower case is longer than the original", () => {
  const longer = entries.map((entry) => ({ ...entry, text: `İ ${entry.text}` }))
  const [first] = matchByWords("why does the webhook sender stop retrying after five attempts?", longer)
  expect(first!.entry.id).toBe("0")
  expect(first!.strength).toBeGreaterThan(1)
})

test("matches a word in any form, but not as part of another word", () => {
  const holds = (text: string, word: string) =>
    findWord(text, text.toLowerCase(), { term: analyseTerms(word).inOrder[0]!, isUnspaced: false }) >= 0
  expect(holds("the parsers", "parse")).toBe(true)
  expect(holds("sparse", "parse")).toBe(false)
  expect(holds("getParser()", "parsing")).toBe(true)
  expect(holds("port8000", "8000")).toBe(true)
  expect(holds("port80001", "8000")).toBe(false)
  expect(holds("retries", "retry")).toBe(true)
})

test("finds the same words as analysing the whole text", () => {
  const word = fc.constantFrom(
    "retry",
    "Retries",
    "parseConfig",
    "HTTP",
    "a",
    "stop",
    "stopped",
    "x9",
    "naïve",
    "_",
    "-",
    " ",
  )
  fc.assert(
    fc.property(
      fc.array(word, { maxLength: 20 }),
      fc.constantFrom("retry", "parse", "config", "stop", "http"),
      (parts, asked) => {
        const text = parts.join(" ")
        const [term] = analyseTerms(asked).inOrder
        const isRead = analyseTerms(text).inOrder.includes(term!)
        expect(findWord(text, text.toLowerCase(), { term: term!, isUnspaced: false }) >= 0).toBe(isRead)
      },
    ),
    { numRuns: 300 },
  )
})

test("searches a long row of capitals in time that grows with its length", () => {
  const text = "A".repeat(200_000)
  const started = cpuTime()
  expect(findWord(text, text.toLowerCase(), { term: "a", isUnspaced: false })).toBe(text.length - 1)
  expect(cpuTime() - started).toBeLessThan(2000)
})
