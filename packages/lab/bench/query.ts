import { join } from "node:path"
import { openProject } from "../../../src/index/index.ts"
import { runIndex } from "./processes.ts"
import { generatedTree, type Tree, treesOf } from "./scale.ts"
import { type Bench, lacksCorpus, type Section } from "./section.ts"
import { emptySamples, type Samples, STAGES, type Stage, timeStages } from "./stages.ts"
import { percentile, sample } from "./stats.ts"
import { judge, type Limit, limitText, type Table } from "./table.ts"
import { throughputTable } from "./throughput.ts"

const ROUNDS = 5
const MAX_TREE_QUERIES = 150
const THROUGHPUT_FILES = 2_000

// Targets in ms for the median of each stage, for any number of chunks.
const TARGET_MS: Readonly<Record<Stage, number>> = {
  classify: 2,
  parse: 1,
  "query embedding": 30,
  "keyword channel": 5,
  "vector channel": 10,
  "fusion, ranking, places": 1,
  "search, keyword only": 20,
  "search, hybrid": 20,
  "answer with its text": 20,
  "answer as JSON": 1,
}

type Measured = { readonly name: string; readonly chunks: number; readonly samples: Samples }

/** Measures the time of each stage of a warm query, and of each step of a first index. */
export const querySection: Section = {
  name: "query",
  lacks: lacksCorpus,
  async run(bench) {
    const measured = [await measureLabelled(bench)]
    for (const tree of treesOf(bench)) measured.push(await measureTree(bench, tree))
    return [
      ...measured.map(latencyTable),
      await throughputTable(generatedTree(bench, Math.min(THROUGHPUT_FILES, ...bench.scales)).root),
    ]
  },
}

async function measureLabelled(bench: Bench): Promise<Measured> {
  const samples = emptySamples()
  let chunks = 0
  for (const { name, root, queries } of bench.labels) {
    const indexDir = join(bench.scratch, "labelled", name)
    chunks += runIndex(bench.binary, root, indexDir).report.chunks
    using project = openProject({ root, cwd: root, "index.dir": indexDir })
    const own = await timeStages(
      project,
      queries.map(({ query }) => query),
      ROUNDS,
    )
    for (const stage of STAGES) samples[stage].push(...own[stage])
  }
  return { name: "the labelled repositories", chunks: Math.round(chunks / bench.labels.length), samples }
}

async function measureTree(bench: Bench, { name, root, indexDir }: Tree): Promise<Measured> {
  bench.note(`${name} …`)
  const { chunks } = runIndex(bench.binary, root, indexDir).report
  const queries = bench.labels.flatMap((repository) => repository.queries.map(({ query }) => query))
  using project = openProject({ root, cwd: root, "index.dir": indexDir })
  const samples = await timeStages(project, sample(queries, MAX_TREE_QUERIES), ROUNDS)
  return { name, chunks, samples }
}

function latencyTable({ name, chunks, samples }: Measured): Table {
  return {
    title: `Warm queries in the process: ${name}, ${chunks.toLocaleString("en")} chunks`,
    columns: [
      { name: "ms" },
      { name: "p50", digits: 3 },
      { name: "p99", digits: 3 },
      { name: "target p50" },
      { name: "target p99" },
    ],
    rows: STAGES.map((stage) => {
      const { p50, p99 } = limitsOf(stage, chunks)
      return [
        stage,
        judge(percentile(samples[stage], 0.5), p50),
        judge(percentile(samples[stage], 0.99), p99),
        limitText(p50),
        limitText(p99),
      ]
    }),
  }
}

// Up to this number of chunks the stricter limits apply. Labelled repositories have hundreds of chunks, the
// largest tree 300,000.
const SMALL_CHUNKS = 10_000

/** Limits for this number of chunks; a stage without any has its target in TARGET_MS. */
function limitsOf(stage: Stage, chunks: number): { readonly p50: Limit; readonly p99: Limit | null } {
  const isSmall = chunks <= SMALL_CHUNKS
  switch (stage) {
    case "keyword channel":
      return isSmall ? { p50: { max: 0.3 }, p99: null } : { p50: { max: 2 }, p99: { max: 6 } }
    case "search, hybrid":
      return { p50: { max: isSmall ? 2 : 10 }, p99: null }
    default:
      return { p50: { max: TARGET_MS[stage] }, p99: null }
  }
}
