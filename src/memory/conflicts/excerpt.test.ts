import { expect, test } from "bun:test"
import fc from "fast-check"
import { excerpt } from "./excerpt.ts"

const TEXT = "One is first. Two comes next. Three is the third of them. Four ends it."

test("returns the whole text when it fits the budget", () => {
  expect(excerpt(TEXT, null, 200)).toEqual({ text: TEXT, start: 0, end: TEXT.length, isWhole: true })
})

test("returns whole sentences from the window on, then preceding ones", () => {
  const at = TEXT.indexOf("Three")
  const window = { start: at, end: at + 5 }
  expect(excerpt(TEXT, window, 34).text).toBe("…Three is the third of them.…")
  expect(excerpt(TEXT, window, 44).text).toBe("…Three is the third of them. Four ends it.")
  expect(excerpt(TEXT, window, 60).text).toBe("…Two comes next. Three is the third of them. Four ends it.")
  expect(excerpt(TEXT, null, 31).text).toBe("One is first. Two comes next.…")
})

test("cuts a sentence longer than the budget at the end of a word", () => {
  expect(excerpt("alpha beta gamma delta epsilon zeta", null, 18).text).toBe("alpha beta gamma…")
})

test("never exceeds the budget or the text and never splits a character", () => {
  fc.assert(
    fc.property(
      fc.string({ unit: "grapheme", maxLength: 300 }),
      fc.nat(300),
      fc.integer({ min: 8, max: 200 }),
      (text, at, budget) => {
        const found = excerpt(text, { start: Math.min(at, text.length), end: text.length }, budget)
        expect(found.text.length).toBeLessThanOrEqual(budget)
        expect(found.text.replace(/^…|…$/g, "")).toBe(
          text.slice(found.start, found.end).replace(/^…|…$/g, ""),
        )
        expect(found.text.isWellFormed()).toBe(text.isWellFormed())
      },
    ),
  )
})
