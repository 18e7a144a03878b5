import { expect, test } from "bun:test"
import fc from "fast-check"
import { stem, stemCodes } from "./stem.ts"

// Stems of the stemmer that the ranker's weights were fitted with.
const EXPECTED: Record<string, string> = {
  id: "id",
  bus: "bus",
  cities: "citi",
  ties: "tie",
  classes: "class",
  class: "class",
  status: "status",
  analysis: "analysis",
  files: "fil",
  parsing: "pars",
  string: "str",
  ring: "ring",
  stopped: "stop",
  need: "need",
  speed: "speed",
  indexed: "index",
  validation: "validat",
  action: "action",
  iterator: "iterat",
  parser: "pars",
  order: "order",
  user: "user",
  color: "color",
  selection: "select",
  statement: "stat",
  comment: "com",
  readable: "read",
  visible: "visibl",
  awareness: "awar",
  quickly: "quick",
  calling: "call",
  passes: "pass",
  buzz: "buzz",
  cache: "cach",
  query: "queri",
  queries: "queri",
  use: "use",
  family: "fami",
  families: "fami",
  tokenizers: "tokeniz",
  editors: "edit",
  happy: "happi",
  adds: "add",
}

test("stems words as when the ranker was fitted", () => {
  const found = Object.fromEntries(Object.keys(EXPECTED).map((word) => [word, stem(word)]))
  expect(found).toEqual(EXPECTED)
})

test("gives inflections of a word the same stem", () => {
  for (const group of [
    ["parse", "parses", "parsed", "parsing", "parser"],
    ["query", "queries"],
  ]) {
    expect(new Set(group.map(stem)).size).toBe(1)
  }
})

test("keeps double digits of numbers", () => {
  expect(stem("8000")).toBe("8000")
  expect(stem("8000")).not.toBe(stem("800"))
})

test("stems a string and its codes alike", () => {
  const endings = fc.constantFrom(
    "",
    "s",
    "ies",
    "ied",
    "ying",
    "ings",
    "tion",
    "ers",
    "ably",
    "ees",
    "lly",
    "ness",
  )
  fc.assert(
    fc.property(fc.stringMatching(/^[a-eiostuy1]{1,9}$/), endings, (start, end) => {
      const codes = Uint16Array.from(start + end, (char) => char.charCodeAt(0))
      const length = stemCodes(codes, codes.length)
      expect(stem(start + end)).toBe(String.fromCharCode(...codes.subarray(0, length)))
    }),
    { numRuns: 2000 },
  )
})
