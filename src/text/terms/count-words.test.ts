import { expect, test } from "bun:test"
import { BLOCK_LINES, WordCounter } from "./count-words.ts"

function counts(text: string, ...words: string[]): number[] {
  const { blocks } = new WordCounter(words).in(text, text.length)
  return words.map((_, word) =>
    blocks.filter((_, at) => at % words.length === word).reduce((a, b) => a + b, 0),
  )
}

test("counts words in any case, but not their other forms", () => {
  expect(counts("Copy copies COPY copying copy.", "copy", "copies")).toEqual([3, 1])
})

test("counts the parts of identifiers, and all parts together", () => {
  const text = "getUserName user_name HTTPServer sha256 username"
  expect(counts(text, "user", "name", "username", "http", "server", "sha", "256", "getusername")).toEqual([
    2, 2, 2, 1, 1, 1, 1, 1,
  ])
})

test("counts letters beyond ASCII as written", () => {
  expect(counts("größe Größe", "größe")).toEqual([2])
})

test("counts each block of lines apart, and no characters after the limit", () => {
  const lines = Array.from({ length: BLOCK_LINES * 2 }, (_, line) => (line < BLOCK_LINES ? "one two" : "two"))
  const text = lines.join("\n")
  const { blocks, lengths } = new WordCounter(["one", "two"]).in(text, text.length)
  expect([...blocks.slice(0, 4)]).toEqual([BLOCK_LINES, BLOCK_LINES, 0, BLOCK_LINES])
  expect([...lengths.slice(0, 2)]).toEqual([BLOCK_LINES * 2, BLOCK_LINES])
  expect([...new WordCounter(["one", "two"]).in(text, 7).blocks]).toEqual([1, 1])
})

test("counts nothing in an empty text and without words", () => {
  expect(counts("", "one")).toEqual([0])
  expect(new WordCounter([]).in("one two", 7).blocks).toHaveLength(0)
})
