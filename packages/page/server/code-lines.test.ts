import { expect, test } from "bun:test"
import { codeLines, splitIntoLines } from "./code-lines.ts"

test("splits a token over several lines and numbers them", () => {
  // "ab" is kind 0, the token from 3 to 10 covers two line ends.
  const lines = splitIntoLines("ab\nxx\nyy\nz = 1", [0, 2, 0, 3, 6, 2, 13, 1, 3], 7)
  expect(lines).toEqual([
    { line: 7, text: "ab", spans: [0, 2, 0] },
    { line: 8, text: "xx", spans: [0, 2, 2] },
    { line: 9, text: "yy", spans: [0, 2, 2] },
    { line: 10, text: "z = 1", spans: [4, 1, 3] },
  ])
})

test("cuts a line of 100,000 characters and says how much is left out", async () => {
  const [line, next] = await codeLines("typescript", `${"x".repeat(100_000)}\nreturn`, 1)
  expect(line!.text).toHaveLength(400)
  expect(line!.cut).toBe(99_600)
  expect(next!.text).toBe("return")
})
