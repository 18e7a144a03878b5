import { expect, test } from "bun:test"
import fc from "fast-check"
import { sentenceSpans } from "./sentences.ts"

const sentences = (text: string) => sentenceSpans(text).map(({ start, end }) => text.slice(start, end))

test.each([
  ["One. Two! Three? Four", ["One.", "Two!", "Three?", "Four"]],
  ["Use v1.2.3 of app.ts at 3.5 s. Then stop.", ["Use v1.2.3 of app.ts at 3.5 s.", "Then stop."]],
  ["Caches, e.g. Redis, are off. Ask Dr. J. Smith.", ["Caches, e.g. Redis, are off.", "Ask Dr. J. Smith."]],
  ["He said “stop.” Then he left.", ["He said “stop.”", "Then he left."]],
  ["A line\nthat goes on\n\nA new block", ["A line\nthat goes on", "A new block"]],
  ["Steps:\n- first\n- second\n1. third", ["Steps:", "- first", "- second", "1. third"]],
  ["今日は寒い。明日は暖かい。", ["今日は寒い。", "明日は暖かい。"]],
  ["Logs, metrics, etc. are kept. No. 5 is not.", ["Logs, metrics, etc. are kept.", "No. 5 is not."]],
  ["It is so. I. too. Yes, I.", ["It is so.", "I.", "too.", "Yes, I."]],
  ["   \n\n ", []],
])("%j", (text, expected) => {
  expect(sentences(text)).toEqual(expected)
})

test("puts every word into exactly one sentence, in order", () => {
  fc.assert(
    fc.property(
      fc.array(fc.oneof(fc.constantFrom(". ", "\n\n", "! ", " ", "\n- "), fc.string())),
      (parts) => {
        const text = parts.join("")
        const joined = sentences(text).join("").replace(/\s/gu, "")
        expect(joined.replace(/\p{Z}/gu, "")).toBe(text.replace(/[\0- \s]/gu, "").replace(/\p{Z}/gu, ""))
      },
    ),
  )
})
