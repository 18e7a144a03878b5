import { beforeAll, expect, test } from "bun:test"
import { mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs"
import { join } from "node:path"
import type { RecallDocument } from "../src/knowledge/recall/document.ts"
import { type RecallAnswer, RecallIndex } from "../src/knowledge/recall/recall-index.ts"
import { MEMORY_QUESTIONS } from "./memory-questions.ts"
import { PLAIN_DOCUMENT } from "./recall-document.ts"

// Every change of recall's ranking shows here as a diff to be read; UPDATE_GOLDEN=1 writes the new rankings.
const GOLDEN = join(import.meta.dir, "golden/recall")
const UPDATE = Boolean(process.env["UPDATE_GOLDEN"])
const SHOWN = 5

const answers = new Map<string, RecallAnswer>()

beforeAll(async () => {
  const lines = readFileSync(join(import.meta.dir, "fixtures/memories.jsonl"), "utf8")
    .trim()
    .split("\n")
  const index = new RecallIndex()
  await index.upsert(lines.map((line): RecallDocument => ({ ...NOTE, ...JSON.parse(line) })))
  for (const { question } of MEMORY_QUESTIONS)
    answers.set(question, await index.search(question, { limit: 10 }))
  if (UPDATE) rmSync(GOLDEN, { recursive: true, force: true })
  mkdirSync(GOLDEN, { recursive: true })
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
    expectGolden(nameOf(question), `${head}${lines.join("")}`)
  },
)

test("the share of questions answered", () => {
  const ranks = MEMORY_QUESTIONS.map(({ question, expected }) => {
    const at = answers.get(question)!.hits.findIndex(({ document }) => document.id === expected)
    return at < 0 ? Number.POSITIVE_INFINITY : at + 1
  })
  const share = (within: number) => ranks.filter((rank) => rank <= within).length / ranks.length
  const mrr = ranks.reduce((sum, rank) => sum + 1 / rank, 0) / ranks.length
  const lines = [
    `recall@1 ${share(1).toFixed(2)}`,
    `recall@5 ${share(5).toFixed(2)}`,
    `MRR ${mrr.toFixed(2)}`,
  ]
  expectGolden("stats.txt", `${lines.join("\n")}\n`)
})

test("no ranking is kept of a question that nobody asks", () => {
  const names = [...MEMORY_QUESTIONS.map(({ question }) => nameOf(question)), "stats.txt"]
  expect(readdirSync(GOLDEN).sort()).toEqual(names.sort())
})

const NOTE = { ...PLAIN_DOCUMENT, recordedAt: "2024-01-01" }

function nameOf(question: string): string {
  return `${question
    .toLowerCase()
    .replaceAll(/[^a-z0-9]+/g, "-")
    .replaceAll(/^-|-$/g, "")}.txt`
}

function expectGolden(name: string, found: string): void {
  const path = join(GOLDEN, name)
  if (UPDATE) writeFileSync(path, found)
  expect(found).toBe(readFileSync(path, "utf8"))
}
