import { expect, test } from "bun:test"
import { confidenceWord } from "./entry-output.ts"

test.each([
  [0, "low"],
  [0.14, "low"],
  [0.15, "medium"],
  [0.5, "high"],
  [1, "high"],
] as const)("a share of %d is %s", (share, word) => {
  expect(confidenceWord(share)).toBe(word)
})
