import { expect, test } from "bun:test"
import fc from "fast-check"
import { DIGIT } from "./needed-trigrams.ts"
import { textPattern } from "./text-pattern.ts"

const compiled = (pattern: string, ignoreCase = false) =>
  textPattern({ pattern, mode: "regex", ignoreCase, wholeWord: false })

const isAscii = (text: string) => !/[^\0-\x7f]/.test(text)

/** What a memory of trigrams answers at best: whether the text contains another, in any case and with any digit for DIGIT. */
function partsOf(text: string): (part: string) => boolean {
  const lower = text.toLowerCase()
  return (part) => `${lower}\n${lower.replace(/[0-9]/g, DIGIT)}`.includes(part.toLowerCase())
}

async function mayBeIn(pattern: string, text: string): Promise<boolean> {
  return (await compiled(pattern)).mayBeIn(partsOf(text), isAscii(text))
}

test("needs the texts that alternatives and digits make with their neighbours", async () => {
  expect(await mayBeIn("\\bsha(1|256)\\b", "sha512 of 256 bits")).toBe(false)
  expect(await mayBeIn("\\bsha(1|256)\\b", "a sha256")).toBe(true)
  expect(await mayBeIn("v\\d+\\.\\d+\\.\\d+", "v 1.2.3")).toBe(false)
  expect(await mayBeIn("v\\d+\\.\\d+\\.\\d+", "v1 and 1.2")).toBe(false)
  expect(await mayBeIn("v\\d+\\.\\d+\\.\\d+", "v10.2.33")).toBe(true)
  expect(await mayBeIn("v\\d+\\.\\d+", "v٣.٤")).toBe(true)
})

const PIECES =
  "a b 1 . \\. \\d \\d+ \\d* a+ b? a{2} [ab] [^a] [0-9] [0-9]+ (a|b1) (?:1|ab)+ (a|1)? .* \\w+ \\b ^ $ ab1 | ( ) (?i) [] \\x41 é".split(
    " ",
  )
const LETTERS = "a b 1 2 . A é ٣".split(" ")

test("leaves out no text that matches", async () => {
  let matching = 0
  await fc.assert(
    fc.asyncProperty(
      fc.array(fc.constantFrom(...PIECES), { minLength: 1, maxLength: 6 }),
      fc.array(fc.constantFrom(...LETTERS), { minLength: 1, maxLength: 12 }),
      fc.boolean(),
      async (pieces, letters, ignoreCase) => {
        const text = letters.join("")
        const regex = await compiled(pieces.join(""), ignoreCase).catch(() => null)
        if (regex === null || !regex.matches(text)) return
        matching++
        const has = partsOf(text)
        expect(regex.mayBeIn((part) => (ignoreCase && !isAscii(text)) || has(part), isAscii(text))).toBe(true)
      },
    ),
    { numRuns: 2000, seed: 7 },
  )
  expect(matching).toBeGreaterThan(20)
})
