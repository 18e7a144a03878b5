import { afterAll, beforeAll, test } from "bun:test"
import { mkdtempSync, rmSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import type { SearchAnswer, SearchResult } from "../src/base/answers.ts"
import { openProject, type Project } from "../src/index/open/open-project.ts"
import { indexProject } from "../src/index/update/index-project.ts"
import { searchProject } from "../src/search/answer/search-project.ts"
import { GoldenRankings } from "./golden-rankings.ts"
import { QUERIES } from "./ranking-queries.ts"
import { REQUEST } from "./temp-project.ts"

const SHOWN = 5

const golden = new GoldenRankings("ranking")
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
})
afterAll(() => {
  project.close()
  rmSync(indexDir, { recursive: true })
})

test.each(QUERIES.map(({ query, expected }) => [query, expected] as const))("%s", (query, expected) => {
  const { results, class: kind } = answers.get(query)!
  const places = results.slice(0, SHOWN).map((result, i) => `${i + 1}. ${show(result)}\n`)
  golden.expect(query, `query: ${query}\nclass: ${kind}\nexpected: ${expected}\n\n${places.join("")}`)
})

test("records the share of questions answered", () => {
  const places = QUERIES.map(({ query, expected }) =>
    answers.get(query)!.results.findIndex((result) => result.path === expected),
  )
  golden.expectShares(places)
})

test("every recorded ranking belongs to a question", () => {
  golden.expectOnly(QUERIES.map(({ query }) => query))
})

function show({ path, start_line, end_line, symbol }: SearchResult): string {
  return `${path}:${start_line}-${end_line}${symbol === null ? "" : ` ${symbol}`}`
}
