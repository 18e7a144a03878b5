import { expect, test } from "bun:test"
import { Bm25, codeWords, queryWords } from "./bm25.ts"

test("identifiers count as a whole and by their parts", () => {
  expect(codeWords("parseHTTPHeader max_size")).toEqual([
    "parsehttpheader",
    "parse",
    "http",
    "header",
    "max_size",
    "max",
    "size",
  ])
})

test("a query's words are distinct and without those that say nothing", () => {
  expect(queryWords("the size of the size")).toEqual(["size"])
})

test("the rarer word and the shorter text win; texts without any word are left out", () => {
  const texts = ["cart total", "cart item", "cart total of every item in the whole shop", "user"]
  const ranked = new Bm25(texts, (text) => text).rank("cart total")
  expect(ranked.map(({ item }) => item)).toEqual([texts[0]!, texts[2]!, texts[1]!])
})
