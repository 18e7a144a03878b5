import { expect, test } from "bun:test"
import { confidenceWord } from "./entry-output.ts"

test.each([
  [0, "low"],
  [0.19, "low"],
  [0.2, "medium"],
  [0.4, "high"],
  [1, "high"],
] as const)("a chance of %d is %s", (chance, word) => {
  expect(confidenceWord(chance)).toBe(word)
})
