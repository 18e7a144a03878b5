import { expect, test } from "bun:test"
import { sentenceSpans } from "../text/terms/sentences.ts"
import { relativeDates } from "./conflicts/relative-dates.ts"
import { codeNames } from "./entities/code-links.ts"
import { type EditableFields, formHash } from "./formats/markdown.ts"
import { passagesOf } from "./recall/index/analyse.ts"
import { analyseTerms } from "./recall/question.ts"

// These functions process untrusted text. With quadratic time these texts would take hours, not seconds.
const LENGTH = 1_000_000
const FORM: Omit<EditableFields, "text"> = {
  ...{ topic: "t", kind: "semantic", tags: [], entities: [] },
  ...{ key: null, source: null, author: null, validFrom: null, validUntil: null },
}
const PARTS = ["x", "7", ".", " ", "-", "aB", "1a", ".-", "a-", "A", "\t", "Ä", "!?", "_", "@"]

test.each(PARTS)("a long repetition of %j is processed in linear time", async (part) => {
  const text = `${part.repeat(LENGTH / part.length)}! today`
  expect(passagesOf(text).at(-1)!.end).toBe(text.length)
  expect(sentenceSpans(text).at(-1)!.end).toBe(text.length)
  expect(analyseTerms(text).inOrder).toContain("todai")
  expect(await relativeDates(text, "2026-11-21")).toHaveLength(1)
  expect(codeNames(text).length).toBeLessThan(101)
  expect(formHash({ ...FORM, text })).toHaveLength(8)
})
