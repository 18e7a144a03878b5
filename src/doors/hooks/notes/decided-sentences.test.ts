import { expect, test } from "bun:test"
import { CONTEXT_TAG } from "../../../memory/formats/injected.ts"
import { decidedSentences } from "./decided-sentences.ts"

test.each([
  "We decided to keep the retries in the gateway.",
  "From now on the migrations run before the deploy.",
  "Never edit the generated client by hand.",
  "Use pnpm instead of npm in this repository.",
  "The root cause was a stale lock file.",
  "Decision: the search index is rebuilt every night.",
  "I've settled on one worker per queue.",
  "Remember that the staging database has no replicas.",
])("takes a decision, rule or cause: %s", (sentence) => {
  expect(decidedSentences(`Fix the test.\n- ${sentence} Thanks a lot!`)).toEqual([sentence])
})

test.each([
  "Should we always run the linter first?",
  "If we decided to use Kafka, the queue would go.",
  "Maybe use pnpm instead of npm for this one.",
  "We have not decided on the name of the table yet.",
  "Run the tests and fix what fails in the parser.",
  "> We decided to keep the retries in the gateway.",
  "Never mind.",
  "```\n// We decided to keep the retries in the gateway.\n```",
  `<${CONTEXT_TAG}>\nWe decided to keep the retries in the gateway.\n</${CONTEXT_TAG}>`,
  `Never ${"do this ".repeat(60)}.`,
])("leaves out a question, possibility, task, quote, code or inserted text: %s", (text) => {
  expect(decidedSentences(text)).toEqual([])
})

test("takes at most three sentences, and ends quickly for any long text", () => {
  const many = Array.from({ length: 9 }, (_, i) => `We decided to keep part ${i} of it.`).join(" ")
  expect(decidedSentences(many)).toHaveLength(3)
  for (const piece of ["we decided ", "```", "use a.a.a.a.", "- ", "x", "? ", "always never "])
    expect(decidedSentences(piece.repeat(50_000)).length).toBeLessThanOrEqual(3)
})
