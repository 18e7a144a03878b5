import { expect, test } from "bun:test"
import fc from "fast-check"
import { cpuTime } from "../../../test/cpu-time.ts"
import { findWord, strengthByHolders } from "./match-entries.ts"
import { analyseTerms } from "./question.ts"

const TEXTS = [
  "Retries of the webhook sender stop at five, else the queue backs up.",
  "Releases are cut on Tuesdays from the main branch.",
  "The parser keeps comments; optimizeDeps is translated by the plugin.",
  "Postgres runs in a container while tests run.",
  "日本語の検索は二文字ずつ。",
]
/** Strength of a text against those whose terms these are. */
const strengthIn = (texts: readonly string[], text: string) => {
  const held = texts.map((each) => analyseTerms(each).inOrder)
  const holders = (term: string) => held.flatMap((terms, at) => (terms.includes(term) ? [at] : []))
  return strengthByHolders(text, { entries: texts.length, holders })
}

test("a text is strong by significant words in any form", () => {
  for (const text of [
    "why does the webhook sender stop retrying after five attempts?",
    "when do we release, and from which branch is it cut?",
    "translate optimize deps in the plugin",
  ])
    expect(strengthIn(TEXTS, text)).toBeGreaterThan(1)
})

test("a single shared word, common words and small talk are weak", () => {
  expect(strengthIn(TEXTS, "please write a webhook for the new payment provider of the shop")).toBe(0)
  expect(strengthIn(TEXTS, "go on with the next one, that looks good")).toBe(0)
  expect(strengthIn(TEXTS, "")).toBe(0)
  expect(strengthIn([], "retries of the webhook")).toBe(0)
  expect(strengthIn([...TEXTS, "Thanks, looks good."], "thanks, looks good")).toBe(0)
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
