import { expect, test } from "bun:test"
import type { Question } from "./knowledge-data.ts"
import {
  type Asked,
  confidenceAuc,
  falseMarks,
  marksMissed,
  meanReciprocalRank,
  newestFirst,
  recallAt5,
} from "./knowledge-score.ts"

function asked(
  question: Partial<Question>,
  refs: string,
  more: { marked?: string; confidence?: number } = {},
): Asked {
  return {
    question: { question: "?", kind: "updated", answers: [], ...question },
    answered: {
      refs: [...refs],
      marked: new Set(more.marked ?? ""),
      confidence: more.confidence ?? null,
      tookMs: 0,
    },
  }
}

test("answers count among the first five, and the first of them by its place", () => {
  const both = asked({ answers: ["b", "f"] }, "abcdef")
  expect(recallAt5([both])).toBe(0.5)
  expect(meanReciprocalRank([both, asked({ answers: ["z"] }, "abc")])).toBe(0.25)
})

test("the newer has to be found, and before each of the older", () => {
  const question = { answers: ["n"], older: ["o", "p"] }
  expect(newestFirst([asked(question, "onp")])).toBe(0.5)
  expect(newestFirst([asked(question, "n")])).toBe(1)
  expect(newestFirst([asked(question, "x")])).toBe(0)
})

test("marks are missed on what is shown only, and false on what is true", () => {
  const question = { answers: ["n"], older: ["o", "p"] }
  expect(marksMissed([asked(question, "no", { marked: "o" })])).toBe(0)
  expect(marksMissed([asked(question, "nop", { marked: "o" })])).toBe(0.5)
  expect(marksMissed([asked(question, "n")])).toBeNull()
  expect(falseMarks([asked(question, "no", { marked: "o" }), asked(question, "no", { marked: "n" })])).toBe(
    0.5,
  )
})

test("confidence tells what is known from what is not", () => {
  const known = { answers: ["a"] }
  const sure = asked(known, "a", { confidence: 0.9 })
  const unsure = asked(known, "a", { confidence: 0.3 })
  const unknown = asked({}, "a", { confidence: 0.3 })
  expect(confidenceAuc([sure, unsure, unknown])).toBe(0.75)
  expect(confidenceAuc([sure])).toBeNull()
})
