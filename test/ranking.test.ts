import { afterAll, beforeAll, expect, test } from "bun:test"
import { existsSync, mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import type { SearchAnswer, SearchResult } from "../src/app/answers.ts"
import { indexProject } from "../src/app/index-project.ts"
import { openProject, type Project } from "../src/app/open-project.ts"
import { searchProject } from "../src/app/search-project.ts"
import { QUERIES } from "./ranking-queries.ts"
import { REQUEST } from "./temp-project.ts"

// Every change of ranking shows here as a diff to be read; UPDATE_GOLDEN=1 writes the new rankings.
const GOLDEN = join(import.meta.dir, "golden/ranking")
const UPDATE = Boolean(process.env["UPDATE_GOLDEN"])
const SHOWN = 5

let project: Project
let indexDir: string
const answers = new Map<string, SearchAnswer>()

beforeAll(async () => {
  indexDir = mkdtempSync(join(tmpdir(), "aman-ranking-"))
  const root = join(import.meta.dir, "fixtures/ranking")
  project = openProject({ root, cwd: root, "index.dir": indexDir })
  await indexProject(project)
  for (const { query } of QUERIES)
    answers.set(query, await searchProject(project, { ...REQUEST, query }, { refresh: false }))
  if (UPDATE) rmSync(GOLDEN, { recursive: true, force: true })
  mkdirSync(GOLDEN, { recursive: true })
})
afterAll(() => {
  project.close()
  rmSync(indexDir, { recursive: true })
})

test.each(QUERIES.map(({ query, expected }) => [query, expected] as const))("%s", (query, expected) => {
  const { results, class: kind } = answers.get(query)!
  const places = results.slice(0, SHOWN).map((result, i) => `${i + 1}. ${show(result)}\n`)
  expectGolden(nameOf(query), `query: ${query}\nclass: ${kind}\nexpected: ${expected}\n\n${places.join("")}`)
})

test("the share of questions answered", () => {
  const ranks = QUERIES.map(({ query, expected }) => {
    const at = answers.get(query)!.results.findIndex((result) => result.path === expected)
    return at < 0 ? Number.POSITIVE_INFINITY : at + 1
  })
  const share = (within: number) => ranks.filter((rank) => rank <= within).length / ranks.length
  const mrr = ranks.reduce((sum, rank) => sum + 1 / rank, 0) / ranks.length
  const lines = [
    `recall@1 ${share(1).toFixed(2)}`,
    `recall@5 ${share(5).toFixed(2)}`,
    `MRR ${mrr.toFixed(2)}`,
  ]
  expectGolden("rank-stats.txt", `${lines.join("\n")}\n`)
})

test("no ranking is kept of a question that nobody asks", () => {
  const names = [...QUERIES.map(({ query }) => nameOf(query)), "rank-stats.txt"]
  expect(readdirSync(GOLDEN).sort()).toEqual(names.sort())
})

function show({ path, start_line, end_line, symbol }: SearchResult): string {
  return `${path}:${start_line}-${end_line}${symbol === null ? "" : ` ${symbol}`}`
}

function nameOf(query: string): string {
  return `${query.replace(/\W+/g, "-").replace(/^-|-$/g, "").toLowerCase()}.txt`
}

function expectGolden(name: string, text: string): void {
  const path = join(GOLDEN, name)
  if (UPDATE) writeFileSync(path, text)
  expect(existsSync(path) ? readFileSync(path, "utf8") : "").toBe(text)
}
