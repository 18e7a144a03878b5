import { expect, test } from "bun:test"
import fc from "fast-check"
import { type LineOptions, matchingLines } from "./matching-lines.ts"
import { textPattern } from "./text-pattern.ts"

const OPTIONS: LineOptions = {
  invert: false,
  maxCount: 1000,
  before: 0,
  after: 0,
  withSpans: false,
  isOver: () => false,
}
const exact = (pattern: string) =>
  textPattern({ pattern, mode: "exact", ignoreCase: false, wholeWord: false })

async function numbers(text: string, pattern: string, options: Partial<LineOptions> = {}): Promise<string> {
  const found = matchingLines(text, await exact(pattern), { ...OPTIONS, ...options })
  return found
    .lines()
    .map(({ line, match }) => (match ? `${line}` : `(${line})`))
    .join(" ")
}

const TEXT = "x\na\nx\nx\na\nx\na\nx\nx\nx"

test("returns matches with their context, and no line twice", async () => {
  expect(await numbers(TEXT, "a")).toBe("2 5 7")
  expect(await numbers(TEXT, "a", { before: 1 })).toBe("(1) 2 (4) 5 (6) 7")
  expect(await numbers(TEXT, "a", { after: 2 })).toBe("2 (3) (4) 5 (6) 7 (8) (9)")
  expect(await numbers(TEXT, "a", { before: 9, after: 9 })).toBe("(1) 2 (3) (4) 5 (6) 7 (8) (9) (10)")
  expect(await numbers(TEXT, "a", { maxCount: 1, after: 1 })).toBe("2 (3)")
  expect(await numbers(TEXT, "a", { invert: true })).toBe("1 3 4 6 8 9 10")
})

test("the last line counts with and without a line end, and no empty line follows it", async () => {
  expect(await numbers("a\na", "a")).toBe("1 2")
  expect(await numbers("a\na\n", "a")).toBe("1 2")
  expect(await numbers("a\n\n", "", {})).toBe("1 2")
  expect(await numbers("", "")).toBe("")
})

test("lines that would take too long are counted and not searched", async () => {
  const pattern = await textPattern({
    pattern: "x|a{1000}b{1000}",
    mode: "regex",
    ignoreCase: false,
    wholeWord: false,
  })
  const text = `x\n${"a".repeat(pattern.longestLine + 1)}\nx`
  expect(matchingLines(text, pattern, OPTIONS)).toMatchObject({ count: 2, tooLong: 1, isWhole: true })
})

test("returns the lines found so far when time is up", async () => {
  const text = "a\n".repeat(100_000)
  let looks = 0
  const found = matchingLines(text, await exact("a"), {
    ...OPTIONS,
    maxCount: 1e6,
    isOver: () => ++looks > 200,
  })
  expect(found.isWhole).toBe(false)
  expect(found.count).toBeGreaterThan(1000)
  expect(found.count).toBeLessThan(100_000)
})

test("finds the same lines as line by line, wherever the blocks end", async () => {
  const line = fc.oneof(
    fc.constantFrom("needle", "a needle b", ""),
    fc.string(),
    fc.constant("x".repeat(9000)),
  )
  const pattern = await exact("needle")
  fc.assert(
    fc.property(
      fc.array(
        line.map((each) => each.replaceAll("\n", "")),
        { maxLength: 40 },
      ),
      (lines) => {
        const found = matchingLines(`${lines.join("\n")}\n`, pattern, OPTIONS).lines()
        const expected = lines.flatMap((text, at) =>
          text.includes("needle") ? [{ line: at + 1, text, match: true }] : [],
        )
        expect(found).toEqual(expected)
      },
    ),
  )
})
