import type { Project, SearchSources } from "../../../src/index/index.ts"
import { searchProject } from "../../../src/search/answer/search-project.ts"
import type { SearchOptions } from "../../../src/search/options.ts"
import { createFilter } from "../../../src/search/query/filter.ts"
import { classify, parseQuery } from "../../../src/search/query/query.ts"
import { rankCandidates } from "../../../src/search/rank-candidates.ts"
import { ASK_ALL } from "./quality.ts"

export const STAGES = [
  "classify",
  "parse",
  "query embedding",
  "keyword channel",
  "vector channel",
  "fusion, ranking, places",
  "search, keyword only",
  "search, hybrid",
  "answer with its text",
  "answer as JSON",
] as const

export type Stage = (typeof STAGES)[number]
export type Samples = Readonly<Record<Stage, number[]>>

// The same number as in src/search/channels/candidates.ts.
const KEYWORD_FILES = 100
const WARM_UP_ROUNDS = 2

/** Milliseconds of each stage of each query, measured in `rounds` rounds after a warm-up. */
export async function timeStages(
  project: Project,
  queries: readonly string[],
  rounds: number,
): Promise<Samples> {
  const samples = emptySamples()
  for (let round = -WARM_UP_ROUNDS; round < rounds; round++) {
    const into = round < 0 ? emptySamples() : samples
    for (const query of queries) await timeQuery(project, query, into)
  }
  return samples
}

export function emptySamples(): Samples {
  return Object.fromEntries(STAGES.map((stage) => [stage, [] as number[]])) as unknown as Samples
}

async function timeQuery(project: Project, query: string, into: Samples): Promise<void> {
  const reader = project.reader()
  if (reader === null) throw new Error(`there is no index of ${project.root}`)
  const sources = reader.sources({ vectors: true })
  const filter = createFilter(reader.store, ASK_ALL)
  const options = { limit: ASK_ALL.limit, filter, folder: "", explain: false } as const
  time(into.classify, () => classify(query))
  const { terms } = time(into.parse, () => parseQuery(query))
  time(into["keyword channel"], () => sources.keyword.query({ terms, files: KEYWORD_FILES }))
  await timeAsync(into["search, keyword only"], () =>
    rankCandidates({ ...sources, vectors: null }, query, { ...options, mode: "keyword" }),
  )
  await timeAsync(into["search, hybrid"], () =>
    rankCandidates(sources, query, { ...options, mode: "hybrid" }),
  )
  await timeParts(sources, query, { ...options, mode: "hybrid" }, into)
  const answer = await timeAsync(into["answer with its text"], () =>
    searchProject(project, { ...ASK_ALL, query, mode: "hybrid" }, { refresh: false }),
  )
  time(into["answer as JSON"], () => JSON.stringify(answer))
}

/** Runs one search with a clock around each channel; the remaining time is fusion, ranking and places. */
async function timeParts(
  sources: SearchSources,
  query: string,
  options: SearchOptions,
  into: Samples,
): Promise<void> {
  const { keyword, vectors, embedder } = sources
  if (vectors === null) throw new Error("the index has no vectors")
  const spent = {
    keyword: [] as number[],
    embed: [] as number[],
    vector: [] as number[],
    all: [] as number[],
  }
  const timed: SearchSources = {
    ...sources,
    keyword: { ...keyword, query: (asked) => time(spent.keyword, () => keyword.query(asked)) },
    embedder: {
      ...embedder,
      embedQuery: (text) => timeAsync(spent.embed, () => embedder.embedQuery(text)),
    },
    vectors: {
      size: vectors.size,
      search: (...asked) => time(spent.vector, () => vectors.search(...asked)),
      get: (key) => vectors.get(key),
      scorer: (vector) => vectors.scorer(vector),
      [Symbol.dispose]() {},
    },
  }
  await timeAsync(spent.all, () => rankCandidates(timed, query, options))
  const embed = sum(spent.embed)
  const vector = sum(spent.vector)
  into["query embedding"].push(embed)
  into["vector channel"].push(vector)
  into["fusion, ranking, places"].push(
    sum(spent.all) - sum(spent.keyword) - embed - vector - into.parse.at(-1)!,
  )
}

function time<T>(into: number[], act: () => T): T {
  const started = performance.now()
  const result = act()
  into.push(performance.now() - started)
  return result
}

async function timeAsync<T>(into: number[], act: () => Promise<T>): Promise<T> {
  const started = performance.now()
  const result = await act()
  into.push(performance.now() - started)
  return result
}

function sum(values: readonly number[]): number {
  return values.reduce((total, value) => total + value, 0)
}
