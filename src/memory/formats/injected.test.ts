import { expect, test } from "bun:test"
import { withoutContext } from "./injected.ts"

test("inserted context is removed, also with attributes and several times", () => {
  const text =
    'Why?\n<aman-context version="1">\nold memory\n</aman-context>\nBecause.\n<aman-context>x</aman-context>'
  expect(withoutContext(text)).toBe("Why?\nBecause.\n")
  expect(withoutContext("a <aman-context>x</aman-context> b")).toBe("a b")
})

test("an unclosed context element reaches to the end", () => {
  expect(withoutContext("Why?\n<aman-context>\nold mem")).toBe("Why?")
})

test("a tag mentioned in a sentence stays", () => {
  const text = "Hooks write <aman-context> before what they found."
  expect(withoutContext(text)).toBe(text)
})

// Quadratic time would be minutes, far beyond what a test may take.
test("an adversarial text is processed in linear time", () => {
  for (const piece of [
    "<aman-context>",
    "<aman-context ",
    "\n<aman-context",
    " ",
    "<aman-context></aman-context>",
    "</aman-context>",
  ])
    expect(withoutContext(`<aman-context>${piece.repeat((1 << 20) / piece.length)}`).length).toBeLessThan(
      1 << 20,
    )
})
