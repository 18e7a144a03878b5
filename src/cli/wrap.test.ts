import { expect, test } from "bun:test"
import { wrap } from "./wrap.ts"

test("lines break between words and hang below the first", () => {
  expect(wrap("one two three four five six", 26, 4)).toBe("one two three four\n    five six")
  expect(wrap("short", 80, 4)).toBe("short")
})

test("a wide terminal does not make long lines", () => {
  for (const line of wrap("word ".repeat(100), 1000).split("\n")) expect(line.length).toBeLessThanOrEqual(100)
})
