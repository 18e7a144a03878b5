import { join } from "node:path"
import { contextOf } from "../../../src/context/context-project.ts"
import type { ContextRequest } from "../../../src/context/index.ts"
import { openProject, type Project } from "../../../src/index/index.ts"
import { type LabelledQuery, type LabelledRepository, mean, samePath } from "./labels.ts"
import { runIndex } from "./processes.ts"
import { generatedTree } from "./scale.ts"
import { type Bench, lacksCorpus, type Section } from "./section.ts"
import { percentile, sample } from "./stats.ts"
import { judge, limitText, type Table } from "./table.ts"

/** Targets: share of the labelled files that must be named within each number of tokens. */
const MIN_NAMED: Readonly<Record<number, number>> = { 500: 0.86, 1000: 0.94, 2000: 0.975 }
const BUDGETS = [500, 1000, 2000, 3000, 4000, 8000]
const MAX_MS = { max: 50 }
const SPEED_FILES = 5000
const SPEED_QUERIES = 100
const SPEED_ROUNDS = 3

type Scored = {
  readonly category: string
  readonly budget: number
  readonly recall: number
  readonly files: number
  readonly tokens: number
}

/** Measures how many of the labelled files `context` names within a number of tokens, and how long it takes. */
export const contextSection: Section = {
  name: "context",
  lacks: lacksCorpus,
  async run(bench) {
    const scores: Scored[] = []
    for (const repository of bench.labels) {
      const own = await scoreRepository(bench, repository)
      scores.push(...own)
      const at = (budget: number) =>
        mean(own.filter((each) => each.budget === budget).map(({ recall }) => recall))
      bench.note(`${repository.name}: ${BUDGETS.map((budget) => at(budget).toFixed(3)).join(" / ")}`)
    }
    return [recallTable(scores), await speedTable(bench)]
  },
}

async function scoreRepository(bench: Bench, { name, root, queries }: LabelledRepository): Promise<Scored[]> {
  const indexDir = join(bench.scratch, "labelled", name)
  runIndex(bench.binary, root, indexDir)
  using project = openProject({ root, cwd: root, "index.dir": indexDir })
  const scores: Scored[] = []
  for (const query of queries)
    for (const budget of BUDGETS) scores.push(await scoreQuery(project, query, budget))
  return scores
}

async function scoreQuery(
  project: Project,
  { query, category, targets }: LabelledQuery,
  budget: number,
): Promise<Scored> {
  const { files, tokens } = await ask(project, query, budget)
  if (tokens > budget) throw new Error(`${tokens} tokens of ${budget} for ${query}`)
  const named = targets.filter(({ path }) => files.some((file) => samePath(file.path, path)))
  return { category, budget, recall: named.length / targets.length, files: files.length, tokens }
}

function ask(project: Project, query: string, maxTokens: number) {
  const request: ContextRequest = { query, maxTokens, paths: [], related: true, tests: true, memories: false }
  return contextOf(project, request, { refresh: false, memories: null })
}

function recallTable(scores: readonly Scored[]): Table {
  const categories = [...new Set(scores.map(({ category }) => category))].sort()
  return {
    title: "Context within its tokens: share of the labelled files that are named",
    columns: [
      { name: "tokens", digits: 0 },
      { name: "all", digits: 3 },
      { name: "target" },
      ...categories.map((name) => ({ name, digits: 3 })),
      { name: "files", digits: 1 },
      { name: "tokens used", digits: 0 },
    ],
    rows: BUDGETS.map((budget) => {
      const own = scores.filter((each) => each.budget === budget)
      const all = mean(own.map(({ recall }) => recall))
      const limit = MIN_NAMED[budget] === undefined ? null : { min: MIN_NAMED[budget] }
      return [
        budget,
        judge(all, limit),
        limitText(limit),
        ...categories.map((name) =>
          mean(own.filter(({ category }) => category === name).map(({ recall }) => recall)),
        ),
        mean(own.map(({ files }) => files)),
        mean(own.map(({ tokens }) => tokens)),
      ]
    }),
    notes: ["tokens are counted over the whole answer as text, by o200k_base"],
  }
}

async function speedTable(bench: Bench): Promise<Table> {
  const { root, indexDir } = generatedTree(bench, SPEED_FILES)
  runIndex(bench.binary, root, indexDir)
  using project = openProject({ root, cwd: root, "index.dir": indexDir })
  const queries = sample(
    bench.labels.flatMap((repository) => repository.queries.map(({ query }) => query)),
    SPEED_QUERIES,
  )
  const rows: Table["rows"][number][] = []
  for (const budget of BUDGETS) {
    const times: number[] = []
    for (let round = 0; round < SPEED_ROUNDS; round++) {
      for (const query of queries) {
        const started = performance.now()
        await ask(project, query, budget)
        if (round > 0) times.push(performance.now() - started)
      }
    }
    rows.push([budget, judge(percentile(times, 0.5), MAX_MS), percentile(times, 0.95), limitText(MAX_MS)])
  }
  return {
    title: `Context of a project of ${SPEED_FILES} files, warm`,
    columns: [
      { name: "tokens", digits: 0 },
      { name: "p50 ms", digits: 1 },
      { name: "p95 ms", digits: 1 },
      { name: "target of p50" },
    ],
    rows,
  }
}
