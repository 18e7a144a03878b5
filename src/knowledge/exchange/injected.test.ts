import { expect, test } from "bun:test"
import { withoutContext } from "./injected.ts"

test("what aman put before the agent is taken out, also with attributes and several times", () => {
  const text =
    'Why?\n<aman-context version="1">\nold memory\n</aman-context>\nBecause.\n<aman-context>x</aman-context>'
  expect(withoutContext(text)).toBe("Why?\nBecause.\n")
  expect(withoutContext("a <aman-context>x</aman-context> b")).toBe("a b")
})

test("a context that was cut goes to the end", () => {
  expect(withoutContext("Why?\n<aman-context>\nold mem")).toBe("Why?")
})

test("a tag that someone speaks of stays", () => {
  const text = "Hooks write <aman-context> before what they found."
  expect(withoutContext(text)).toBe(text)
})

// Quadratic time would be minutes, far beyond what a test may take.
test("a text made to take long does not", () => {
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
