import { expect, test } from "bun:test"
import { termOf } from "./abbreviations.ts"
import { hashTerm } from "./hash.ts"
import { MAX_QUERY_TERMS, queryTerms } from "./query-terms.ts"

const stemsOf = (text: string) => queryTerms(text).map((term) => term.stem)

function weightOf(text: string, word: string, variant: string): number | undefined {
  const term = queryTerms(text).find((candidate) => candidate.word === word)
  return term?.variants.find(({ hash }) => hash === hashTerm(termOf(variant)))?.weight
}

test("drops stop words and repeated stems", () => {
  expect(stemsOf("how does the parser parse a query")).toEqual(["pars", "queri"])
})

test("keeps stop words when the question has nothing else", () => {
  expect(stemsOf("what is this")).toEqual(["what", "is", "this"])
  expect(stemsOf("")).toEqual([])
})

test("adds compounds of neighbouring words with a lower weight", () => {
  expect(weightOf("open web socket server", "socket", "socket")).toBe(1)
  expect(weightOf("open web socket server", "socket", "websocket")).toBe(0.7)
  expect(weightOf("open web socket server", "web", "websocket")).toBe(0.7)
  expect(weightOf("open web socket server", "server", "websocketserver")).toBe(0.7)
  expect(weightOf("open web socket server", "open", "socketserver")).toBeUndefined()
})

test("adds the compound of an identifier, stop words included", () => {
  expect(weightOf("getUserById", "user", "getuserbyid")).toBe(0.7)
})

test("adds the form of a word without accents", () => {
  expect(weightOf("café", "café", "cafe")).toBe(0.7)
})

test("cuts a long question to MAX_QUERY_TERMS", () => {
  const text = Array.from({ length: 60 }, (_, i) => `word${String.fromCharCode(97 + (i % 26))}x${i}`).join(
    " ",
  )
  expect(queryTerms(text).length).toBe(MAX_QUERY_TERMS)
})

test("searches a number, or a letter beside one, alone only if it occurs alone, otherwise with its word", () => {
  expect(weightOf("sha256", "256", "256")).toBeUndefined()
  expect(weightOf("sha256", "256", "sha256")).toBe(0.7)
  expect(weightOf("sha256", "sha", "sha")).toBe(1)
  expect(weightOf("OAuth2Bearer", "2", "2")).toBeUndefined()
  expect(weightOf("port 8080", "8080", "8080")).toBe(1)
  expect(weightOf("sha256 of 256 bytes", "256", "256")).toBe(1)
  expect(weightOf("i18n loader", "i", "i")).toBeUndefined()
  expect(weightOf("i18n loader", "n", "i18n")).toBe(0.7)
  expect(weightOf("i18n of n", "n", "n")).toBe(1)
  expect(weightOf("x_axis", "x", "x")).toBe(1)
  // The tokenizer does not join "utf-8" to one name, so its number is searched alone.
  expect(weightOf("utf-8", "8", "8")).toBe(1)
})

test("searches a long text for its words of high weight and its rare words", () => {
  const common = Array.from(
    { length: 40 },
    (_, i) => `filler${String.fromCharCode(97 + (i % 26))}${i > 25 ? "b" : ""}`,
  )
  const passages = [
    { text: "upload fails", weight: 1 },
    { text: common.join(" "), weight: 0.4 },
    { text: "consumed_body", weight: 0.7 },
  ]
  const rare = new Set([termOf("consumed"), termOf("body"), termOf("fillerab")].map(hashTerm))
  const terms = queryTerms(passages, { rarity: (hash) => (rare.has(hash) ? 9 : 1) })
  expect(terms).toHaveLength(MAX_QUERY_TERMS)
  const weights = Object.fromEntries(terms.map(({ word, weight }) => [word, weight]))
  expect(weights).toMatchObject({ upload: 1, fails: 1, consumed: 0.7, body: 0.7, fillerab: 0.4 })
})
