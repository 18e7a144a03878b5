import { join } from "node:path"
import { compareTexts, type SearchMode } from "../../../src/base/index.ts"
import type { StaticModel } from "../../../src/index/embed/static.ts"
import { createStaticEmbedder, openProject, type Project } from "../../../src/index/index.ts"
import { searchProject } from "../../../src/search/answer/search-project.ts"
import { type LabelledRepository, mean, ndcgOfResults } from "./labels.ts"
import { runColdIndex } from "./processes.ts"
import { type Bench, lacksCorpus, type Section } from "./section.ts"
import { judge, limitText, type Table } from "./table.ts"
import { type Alone, meansAlone, scoreAlone } from "./table-alone.ts"

export const ASK_ALL = {
  limit: 10,
  content: "all",
  paths: [],
  languages: [],
  kinds: [],
  explain: false,
} as const

type Score = {
  readonly repository: string
  readonly language: string
  readonly category: string
  readonly ndcg: Readonly<Record<SearchMode, number>>
}

const MODES = ["hybrid", "keyword", "semantic"] as const
const MIN_NDCG = { min: 0.88 }
const MODELS = ["aman512", "aman256"] as const satisfies readonly StaticModel[]
const MIN_ALONE = { min: 0.76 }
const MIN_OF_CATEGORY: Readonly<Record<string, { readonly min: number }>> = {
  symbol: { min: 0.95 },
  semantic: { min: 0.87 },
  architecture: { min: 0.84 },
}

/**
 * Measures NDCG@10 on labelled queries: of the whole search, of each channel alone, and of the vectors alone.
 */
export const qualitySection: Section = {
  name: "quality",
  lacks: lacksCorpus,
  async run(bench) {
    const scores: Score[] = []
    const alone = new Map<StaticModel, (readonly Alone[])[]>(MODELS.map((model) => [model, []]))
    for (const repository of bench.labels) {
      const own = await scoreRepository(bench, repository)
      scores.push(...own)
      for (const [model, list] of alone)
        list.push(await scoreAlone(repository, indexOf(bench, repository), createStaticEmbedder(model)))
      bench.note(`${repository.name}: ${mean(own.map((score) => score.ndcg.hybrid)).toFixed(3)}`)
    }
    return [byRepository(scores), byLanguage(scores), byCategory(scores), vectorsAlone(alone)]
  },
}

async function scoreRepository(bench: Bench, repository: LabelledRepository): Promise<Score[]> {
  const indexDir = indexOf(bench, repository)
  runColdIndex(bench.binary, repository.root, indexDir)
  using project = openProject({ root: repository.root, cwd: repository.root, "index.dir": indexDir })
  const scores: Score[] = []
  for (const { query, category, targets } of repository.queries) {
    const asked = async (mode: SearchMode) => ndcgOfResults(await ask(project, query, mode), targets)
    const ndcg = {
      hybrid: await asked("hybrid"),
      keyword: await asked("keyword"),
      semantic: await asked("semantic"),
    }
    scores.push({ repository: repository.name, language: repository.language, category, ndcg })
  }
  return scores
}

async function ask(project: Project, query: string, mode: SearchMode) {
  const { results } = await searchProject(project, { ...ASK_ALL, query, mode }, { refresh: false })
  return results
}

const COLUMNS = [
  { name: "queries", digits: 0 },
  ...MODES.map((name) => ({ name, digits: 3 })),
  { name: "target of hybrid" },
]

function byRepository(scores: readonly Score[]): Table {
  const groups = [...Map.groupBy(scores, (score) => score.repository)]
  const means = MODES.map((mode) => meanOfRepositories(scores, mode))
  return {
    title: "NDCG@10 by repository, with the weights as they are",
    columns: [{ name: "" }, { name: "language" }, ...COLUMNS],
    rows: [
      ...groups.map(([name, list]) => [name, list[0]!.language, list.length, ...meansOf(list), ""]),
      ["mean", "", scores.length, judge(means[0]!, MIN_NDCG), means[1]!, means[2]!, limitText(MIN_NDCG)],
    ],
    notes: [
      "keyword, semantic: that channel alone, the former with the weights fitted for it",
      "cross-validated by repository, and what each feature is worth: bun packages/lab/fit.ts --corpus DIR --ablate",
    ],
  }
}

function byLanguage(scores: readonly Score[]): Table {
  const groups = [...Map.groupBy(scores, (score) => score.language)].sort(([a], [b]) => compareTexts(a, b))
  return {
    title: "NDCG@10 by language",
    columns: [{ name: "" }, ...COLUMNS.slice(0, -1)],
    rows: groups.map(([name, list]) => [name, list.length, ...meansOf(list)]),
  }
}

function byCategory(scores: readonly Score[]): Table {
  const groups = [...Map.groupBy(scores, (score) => score.category)]
  return {
    title: "NDCG@10 by category, mean over queries",
    columns: [{ name: "" }, ...COLUMNS],
    rows: groups.map(([name, list]) => {
      const [hybrid, ...others] = meansOf(list)
      const limit = MIN_OF_CATEGORY[name]
      return [name, list.length, judge(hybrid!, limit), ...others, limitText(limit)]
    }),
  }
}

function vectorsAlone(scores: ReadonlyMap<StaticModel, readonly (readonly Alone[])[]>): Table {
  const categories = [...new Set([...scores.values()].flat(2).map(({ category }) => category))]
  return {
    title: "NDCG@10 of the built-in vectors alone: files of code by raw cosine",
    columns: [
      { name: "" },
      ...["all", ...categories].map((name) => ({ name, digits: 3 })),
      { name: "target" },
    ],
    rows: Array.from(scores).flatMap(([model, list]) => [
      rowOf(`${model}, best chunk`, list, "chunk", categories, model === "aman256" ? MIN_ALONE : null),
      rowOf(`${model}, best three (1, .6, .4)`, list, "three", categories, null),
    ]),
  }
}

function rowOf(
  title: string,
  scores: readonly (readonly Alone[])[],
  by: "chunk" | "three",
  categories: readonly string[],
  limit: typeof MIN_ALONE | null,
) {
  const { all, ...means } = meansAlone(scores, by)
  const first = limit === null ? all : judge(all, limit)
  return [title, first, ...categories.map((name) => means[name] ?? null), limitText(limit)]
}

function indexOf(bench: Bench, { name }: LabelledRepository): string {
  return join(bench.scratch, "labelled", name)
}

function meansOf(scores: readonly Score[]): number[] {
  return MODES.map((mode) => mean(scores.map((score) => score.ndcg[mode])))
}

function meanOfRepositories(scores: readonly Score[], mode: SearchMode): number {
  const groups = Map.groupBy(scores, (score) => score.repository)
  return mean(Array.from(groups.values(), (list) => mean(list.map((score) => score.ndcg[mode]))))
}
