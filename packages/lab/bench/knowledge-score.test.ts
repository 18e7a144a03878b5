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
  more: { outdated?: string; denied?: string; confidence?: number } = {},
): Asked {
  return {
    question: { question: "?", kind: "updated", answers: [], ...question },
    answered: {
      refs: [...refs],
      outdated: new Set(more.outdated ?? ""),
      denied: new Map(more.denied === undefined ? [] : [[more.denied[0]!, [more.denied[1]!]]]),
      confidence: more.confidence ?? null,
      tookMs: 0,
    },
  }
}

test("counts answers among the first five, and the first of them by its rank", () => {
  const both = asked({ answers: ["b", "f"] }, "abcdef")
  expect(recallAt5([both])).toBe(0.5)
  expect(meanReciprocalRank([both, asked({ answers: ["z"] }, "abc")])).toBe(0.25)
})

test("requires the newer entry before each older one", () => {
  const question = { answers: ["n"], older: ["o", "p"] }
  expect(newestFirst([asked(question, "onp")])).toBe(0.5)
  expect(newestFirst([asked(question, "n")])).toBe(1)
  expect(newestFirst([asked(question, "x")])).toBe(0)
})

test("counts missing marks only on shown entries, and false ones on true entries", () => {
  const question = { answers: ["n"], older: ["o", "p"] }
  expect(marksMissed([asked(question, "nop", { outdated: "o" })])).toBe(0.5)
  expect(marksMissed([asked(question, "nop", { outdated: "o", denied: "pn" })])).toBe(0)
  expect(marksMissed([asked(question, "n")])).toBeNull()
  expect(
    falseMarks([asked(question, "no", { outdated: "o" }), asked(question, "no", { outdated: "n" })]),
  ).toBe(0.5)
  const different = { answers: ["a", "b"] }
  expect(
    falseMarks([asked(different, "ab", { denied: "ac" }), asked(different, "ab", { denied: "ab" })]),
  ).toBe(0.5)
})

test("confidence separates known from unknown questions", () => {
  const known = { answers: ["a"] }
  const sure = asked(known, "a", { confidence: 0.9 })
  const unsure = asked(known, "a", { confidence: 0.3 })
  const unknown = asked({}, "a", { confidence: 0.3 })
  expect(confidenceAuc([sure, unsure, unknown])).toBe(0.75)
  expect(confidenceAuc([sure])).toBeNull()
})
