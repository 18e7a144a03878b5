import { beforeAll, test } from "bun:test"
import { readFileSync } from "node:fs"
import { join } from "node:path"
import type { RecallDocument } from "../src/memory/recall/index/analyse.ts"
import { type RecallAnswer, RecallIndex } from "../src/memory/recall/index/recall-index.ts"
import { GoldenRankings } from "./golden-rankings.ts"
import { MEMORY_QUESTIONS } from "./memory-questions.ts"
import { PLAIN_DOCUMENT } from "./recall-document.ts"

const SHOWN = 5
const NOTE = { ...PLAIN_DOCUMENT, recordedAt: "2024-01-01" }

const golden = new GoldenRankings("recall")
const answers = new Map<string, RecallAnswer>()

beforeAll(async () => {
  const lines = readFileSync(join(import.meta.dir, "fixtures/memories.jsonl"), "utf8")
    .trim()
    .split("\n")
  const index = new RecallIndex()
  await index.upsert(lines.map((line): RecallDocument => ({ ...NOTE, ...JSON.parse(line) })))
  for (const { question } of MEMORY_QUESTIONS)
    answers.set(question, await index.search(question, { limit: 10 }))
})

test.each(MEMORY_QUESTIONS.map(({ question, expected }) => [question, expected] as const))(
  "%s",
  (question, expected) => {
    const { hits, confidence } = answers.get(question)!
    const lines = hits
      .slice(0, SHOWN)
      .map(
        ({ document, score, window }, i) =>
          `${i + 1}. ${document.id} ${score.toFixed(2)} ${document.text.slice(window.start, window.end).slice(0, 70)}\n`,
      )
    const head = `question: ${question}\nexpected: ${expected}\nconfidence: ${confidence.toFixed(2)}\n\n`
    golden.expect(question, `${head}${lines.join("")}`)
  },
)

test("records the share of questions answered", () => {
  const places = MEMORY_QUESTIONS.map(({ question, expected }) =>
    answers.get(question)!.hits.findIndex(({ document }) => document.id === expected),
  )
  golden.expectShares(places)
})

test("every recorded ranking belongs to a question", () => {
  golden.expectOnly(MEMORY_QUESTIONS.map(({ question }) => question))
})
