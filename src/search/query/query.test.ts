import { expect, test } from "bun:test"
import fc from "fast-check"
import { compoundOf } from "../../text/terms/abbreviations.ts"
import { hashTerm } from "../../text/terms/hash.ts"
import { parseQuery } from "./query.ts"

test("a question is reduced to its words that are no stop words, once each", () => {
  const query = parseQuery("How does the parser parse a Query, and where are queries parsed?")
  expect(query.words).toEqual(["parser", "query"])
  expect(query.scored).toBe(2)
  expect(query.classification.class).toBe("natural")
})

test("names follow the scoring words and have no weight; they only mark where they occur", () => {
  const query = parseQuery("where does useEffect call load_user")
  expect(query.names.map(({ last, folded }) => [last, folded])).toEqual([
    ["useEffect", "useeffect"],
    ["load_user", "loaduser"],
  ])
  expect(query.terms).toHaveLength(query.scored + 2)
  expect(query.terms.slice(query.scored)).toEqual(
    ["useEffect", "load_user"].map((name) => ({
      variants: [{ hash: hashTerm(compoundOf(name)), weight: 0 }],
    })),
  )
})

test("a qualified name is looked up by its last part and keeps its owner", () => {
  for (const text of ["User::greet", "User.greet", "User->greet", "User\\greet", "User#greet"]) {
    const { names, looksLikeSymbol } = parseQuery(text)
    expect(names).toEqual([{ name: text, owner: "User", last: "greet", folded: "greet" }])
    expect(looksLikeSymbol).toBe(true)
  }
})

test("the words of paths are compared with stems and with compounds of neighbouring words", () => {
  const { forms } = parseQuery("web socket upgrades")
  for (const form of ["web", "socket", "websocket", "upgrad"]) expect(forms).toContain(form)
})

test("a query of stop words alone is searched for them", () => {
  expect(parseQuery("how is it").words).toEqual(["how", "is", "it"])
})

test("term masks of a query of any length fit into 31 bits", () => {
  const words = Array.from(
    { length: 200 },
    (_, i) => `someName${String.fromCharCode(97 + (i % 26)).repeat(i)}`,
  )
  const query = parseQuery(words.join(" "))
  expect(query.scored).toBe(24)
  expect(query.terms).toHaveLength(31)
})

test("any text is parsed into at most 31 terms, each with a variant", () => {
  const word = fc.oneof(
    fc.string({ unit: "binary", maxLength: 12 }),
    fc.string({ unit: "grapheme", maxLength: 12 }),
    fc.constantFrom(
      "useEffect",
      "a::b",
      "load_user",
      "HTTPServer",
      "the",
      "Größe",
      "検索",
      "x",
      "\0",
      "\ud800",
    ),
  )
  fc.assert(
    fc.property(
      fc.array(word, { maxLength: 80 }).map((words) => words.join(" ")),
      (text) => {
        const query = parseQuery(text)
        expect(query.terms.length).toBeLessThanOrEqual(31)
        expect(query.terms.length).toBe(query.scored + query.names.length)
        expect(query.words.length).toBe(query.scored)
        expect(query.stems.length).toBe(query.scored)
        for (const term of query.terms) expect(term.variants.length).toBeGreaterThan(0)
      },
    ),
    { numRuns: 500 },
  )
})
