import { expect, test } from "bun:test"
import { WordRuns } from "./word-runs.ts"

const wordsOf = (text: string) => text.split(" ")

test.each([
  ["a b c d e", "x a b c d e y", [[0, 5]]],
  [
    "a b c 1 d e f g",
    "a b c id d e f g",
    [
      [0, 3],
      [4, 8],
    ],
  ],
  [
    "a b c d e f",
    "d e f a b c",
    [
      [0, 3],
      [3, 6],
    ],
  ],
  ["a b c d", "a b x c d", []],
  ["a b", "a b", []],
  ["a a a a", "a a a", [[0, 4]]],
  ["a b c", "", []],
])("runs of %p in %p", (line, text, wanted) => {
  expect(new WordRuns([wordsOf(line)]).in(wordsOf(text))).toEqual([wanted as [number, number][]])
})

test("several lines are looked for at once", () => {
  const runs = new WordRuns([wordsOf("a b c"), wordsOf("c d e f"), wordsOf("b c d")])
  expect(runs.in(wordsOf("c d e f a b c"))).toEqual([[[0, 3]], [[0, 4]], []])
})
