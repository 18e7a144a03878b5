import { expect, test } from "bun:test"
import fc from "fast-check"
import { countTokens } from "gpt-tokenizer/encoding/o200k_base"
import { loadTokenizer } from "./tokenizer.ts"

test("counts like the library and treats control tokens as text", async () => {
  const count = await loadTokenizer()
  expect(count("")).toBe(0)
  expect(count("hello world")).toBe(2)
  expect(count("<|endoftext|>")).toBeGreaterThan(1)
  const words = fc.constantFrom(
    "function",
    " retryLater(",
    "\n\n  ",
    "カート",
    "🛒",
    '\\"',
    "}}",
    "\u0000",
    "naïve ",
  )
  const text = fc.oneof(
    fc.string({ unit: "binary" }),
    fc.array(words).map((parts) => parts.join("")),
  )
  fc.assert(fc.property(text, (each) => count(each) === countTokens(each)))
})
