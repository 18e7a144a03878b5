import { expect, test } from "bun:test"
import { sentenceSpans } from "../text/sentences.ts"
import { type Editable, formHash } from "./exchange/editable.ts"
import { codeNames } from "./graph/code-names.ts"
import { passagesOf } from "./recall/passages.ts"
import { termsOf } from "./recall/terms.ts"
import { relativeDates } from "./truth/relative-dates.ts"

// Anybody's text gets here. What takes the square of these takes hours and not seconds.
const LENGTH = 1_000_000
const FORM: Omit<Editable, "text"> = {
  ...{ topic: "t", kind: "semantic", tags: [], entities: [] },
  ...{ key: null, source: null, author: null, validFrom: null, validUntil: null },
}
const PARTS = ["x", "7", ".", " ", "-", "aB", "1a", ".-", "a-", "A", "\t", "Ä", "!?", "_", "@"]

test.each(PARTS)("a long row of %j is read in one pass", async (part) => {
  const text = `${part.repeat(LENGTH / part.length)}! today`
  expect(passagesOf(text).at(-1)!.end).toBe(text.length)
  expect(sentenceSpans(text).at(-1)!.end).toBe(text.length)
  expect(termsOf(text).inOrder).toContain("todai")
  expect(await relativeDates(text, "2026-11-21")).toHaveLength(1)
  expect(codeNames(text).length).toBeLessThan(101)
  expect(formHash({ ...FORM, text })).toHaveLength(8)
})
