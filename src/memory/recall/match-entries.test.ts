import { expect, test } from "bun:test"
import { strengthByHolders } from "./match-entries.ts"
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
