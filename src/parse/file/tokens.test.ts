import { expect, test } from "bun:test"
import { classifyTokens, TOKEN_KINDS } from "./tokens.ts"

async function kinds(language: string, text: string): Promise<string[]> {
  const tokens = await classifyTokens(language, text)
  const found: string[] = []
  for (let at = 0; at < tokens.length; at += 3) {
    const [start, length, kind] = tokens.slice(at, at + 3) as [number, number, number]
    found.push(`${TOKEN_KINDS[kind]} ${text.slice(start, start + length)}`)
  }
  return found
}

test("classifies keywords, names of functions, types, numbers, strings and comments", async () => {
  const found = await kinds("typescript", 'function size(a: Box): number { return grow(a, 12, "x") } // é 👍')
  expect(found).toContain("keyword function")
  expect(found).toContain("function size")
  expect(found).toContain("type Box")
  expect(found).toContain("keyword return")
  expect(found).toContain("function grow")
  expect(found).toContain("number 12")
  expect(found.at(-1)).toBe("comment // é 👍")
})

test("code inside of a string template is code again", async () => {
  const found = await kinds("typescript", "const a = `x ${await f(1)} y`")
  expect(found).toContain("keyword await")
  expect(found).toContain("number 1")
  expect(found.filter((each) => each.startsWith("string")).length).toBeGreaterThan(1)
})

test("tokens are in order, do not overlap and stay inside of the text, also of a fragment", async () => {
  for (const [language, text] of [
    ["python", "    def a(self):\n        return 'x' # y\n  )))"],
    ["go", "x := 1\n}\nfunc (l *L) A() error {"],
    ["rust", 'fn a() -> u8 { println!("{}", 1); }'],
  ] as const) {
    const tokens = await classifyTokens(language, text)
    expect(tokens.length).toBeGreaterThan(0)
    let end = 0
    for (let at = 0; at < tokens.length; at += 3) {
      expect(tokens[at]!).toBeGreaterThanOrEqual(end)
      end = tokens[at]! + tokens[at + 1]!
    }
    expect(end).toBeLessThanOrEqual(text.length)
  }
})

test("classifies the last line of 2,000 lines, as many as a page shows at once", async () => {
  const found = await kinds("typescript", 'export const value = compute(1, "text") // note\n'.repeat(2_000))
  expect(found.at(-1)).toBe("comment // note")
})

test("is empty for a language without a grammar and for a text of 400,000 characters", async () => {
  expect(await classifyTokens("text", "a b")).toEqual([])
  expect(await classifyTokens("typescript", "x".repeat(400_000))).toEqual([])
})
