import { join, relative } from "node:path"
import { openProject } from "../../../src/index/index.ts"
import { searchProject } from "../../../src/search/answer/search-project.ts"
import { chunksOf, fts5Engine, hasRipgrep, ripgrep } from "./engines.ts"
import { type LabelledRepository, mean, ndcg } from "./labels.ts"
import { runIndex } from "./processes.ts"
import { ASK_ALL } from "./quality.ts"
import type { Bench } from "./section.ts"

export const ENGINES = ["ripgrep", "fts5", "aman keyword", "aman hybrid"] as const
export type EngineName = (typeof ENGINES)[number]

/** NDCG@10 of each engine's ranking of files, the mean over the labelled repositories. */
export async function compareQuality(bench: Bench): Promise<ReadonlyMap<EngineName, number>> {
  const scores = new Map<EngineName, number[]>()
  for (const repository of bench.labels) {
    for (const [name, score] of await scoreEngines(bench, repository)) {
      scores.set(name, [...(scores.get(name) ?? []), score])
    }
    bench.note(`${repository.name}: quality of each engine`)
  }
  return new Map(Array.from(scores, ([name, values]) => [name, mean(values)]))
}

async function scoreEngines(
  bench: Bench,
  { name, root, queries }: LabelledRepository,
): Promise<Map<EngineName, number>> {
  const indexDir = join(bench.scratch, "labelled", name)
  runIndex(bench.binary, root, indexDir)
  using project = openProject({ root, cwd: root, "index.dir": indexDir })
  const chunks = [...chunksOf(project)]
  const fts5 = fts5Engine(":memory:")
  await fts5.build(chunks)
  const aman = (mode: "keyword" | "hybrid") => async (query: string) => {
    const { results } = await searchProject(project, { ...ASK_ALL, query, mode }, { refresh: false })
    return results.map(({ path }) => path)
  }
  const ways = new Map<EngineName, (query: string) => Promise<readonly string[]>>([
    ["fts5", async (query) => distinct(await fts5.query(query))],
    ["aman keyword", aman("keyword")],
    ["aman hybrid", aman("hybrid")],
  ])
  if (hasRipgrep()) {
    ways.set("ripgrep", async (query) => ripgrep(root, query).map((path) => relative(root, path)))
  }
  const scores = new Map<EngineName, number>()
  for (const [engine, ask] of ways) {
    const values: number[] = []
    for (const { query, targets } of queries) values.push(ndcg(await ask(query), targets))
    scores.set(engine, mean(values))
  }
  return scores
}

/** Files in the order of their best chunks, each once. */
function distinct(paths: readonly string[]): string[] {
  return [...new Set(paths)]
}
