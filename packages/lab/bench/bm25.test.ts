import { expect, test } from "bun:test"
import { Bm25, codeWords, queryWords } from "./bm25.ts"

test("indexes identifiers as a whole and by their parts", () => {
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

test("uses distinct words of a query without stop words", () => {
  expect(queryWords("the size of the size")).toEqual(["size"])
})

test("ranks the rarer word and the shorter text first and leaves out texts without any word", () => {
  const texts = ["cart total", "cart item", "cart total of every item in the whole shop", "user"]
  const ranked = new Bm25(texts, (text) => text).rank("cart total")
  expect(ranked.map(({ item }) => item)).toEqual([texts[0]!, texts[2]!, texts[1]!])
})
