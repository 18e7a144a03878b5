import { mkdirSync, rmSync, writeFileSync } from "node:fs"
import { join } from "node:path"
import type { CompareJob, CompareResult } from "./compare-child.ts"
import { compareQuality, type EngineName } from "./compare-quality.ts"
import { hasRipgrep, ripgrep } from "./engines.ts"
import { bytesIn, type IndexRun, run, runColdIndex } from "./processes.ts"
import { lacksCorpus, type Section } from "./section.ts"
import { median, percentile, sample } from "./stats.ts"
import type { Cell, Table } from "./table.ts"

type Row = {
  readonly chunks: number | null
  readonly buildMs: number | null
  readonly diskBytes: number | null
  readonly peakBytes: number | null
  readonly privateBytes: number | null
  readonly queryMs: readonly number[]
}

const QUERIES = 100
const RIPGREP_QUERIES = 30

/** Compares aman with other engines on the same files, in one run. */
export const compareSection: Section = {
  name: "compare",
  lacks: lacksCorpus,
  async run(bench) {
    const folder = join(bench.scratch, "compare")
    rmSync(folder, { recursive: true, force: true })
    mkdirSync(folder, { recursive: true })
    const indexDir = join(folder, "index")
    const queries = bench.labels.flatMap((repository) => repository.queries.map(({ query }) => query))
    const index = runColdIndex(bench.binary, bench.corpus!, indexDir)
    const child = (engine: CompareJob["engine"]) => {
      bench.note(`${engine} …`)
      const job = { engine, root: bench.corpus!, indexDir, database: join(folder, "fts5.db") }
      return runChild(join(folder, "job.json"), { ...job, queries: sample(queries, QUERIES) })
    }
    const rows = new Map<EngineName, Row>([
      ...(hasRipgrep() ? [["ripgrep", timeRipgrep(bench.corpus!, queries)] as const] : []),
      ["fts5", child("fts5")],
      ["aman keyword", { ...child("aman keyword"), ...ofKeyword(index, indexDir) }],
      ["aman hybrid", { ...child("aman hybrid"), ...ofWhole(index, indexDir) }],
    ])
    return [tableOf(rows, await compareQuality(bench), index.report.files)]
  },
}

function timeRipgrep(root: string, queries: readonly string[]): Row {
  const queryMs = sample(queries, RIPGREP_QUERIES).map((query) => {
    const started = performance.now()
    ripgrep(root, query)
    return performance.now() - started
  })
  return { chunks: null, buildMs: null, diskBytes: null, peakBytes: null, privateBytes: null, queryMs }
}

function runChild(file: string, job: CompareJob): Row {
  writeFileSync(file, JSON.stringify(job))
  const script = join(import.meta.dir, "compare-child.ts")
  const ran = run([process.execPath, script, file], { measurePeak: true })
  if (ran.exitCode !== 0) throw new Error(`${job.engine} ended with ${ran.exitCode}: ${ran.stderr}`)
  return { ...(JSON.parse(ran.stdout) as CompareResult), peakBytes: ran.peakBytes }
}

function ofKeyword({ report }: IndexRun, indexDir: string) {
  const diskBytes = bytesIn(indexDir) - bytesIn(indexDir, /^vectors-/u)
  return { buildMs: report.keyword_ready_ms, diskBytes, peakBytes: null }
}

function ofWhole({ wallMs, peakBytes }: IndexRun, indexDir: string) {
  return { buildMs: wallMs, diskBytes: bytesIn(indexDir), peakBytes }
}

function tableOf(
  rows: ReadonlyMap<EngineName, Row>,
  quality: ReadonlyMap<EngineName, number>,
  files: number,
): Table {
  const mega = (bytes: number | null) => (bytes === null ? null : bytes / 1e6)
  return {
    title: `Side by side on the whole corpus: ${files.toLocaleString("en")} files`,
    columns: [
      { name: "" },
      { name: "chunks", digits: 0 },
      { name: "build s", digits: 1 },
      { name: "disk MB", digits: 0 },
      { name: "peak MB", digits: 0 },
      { name: "private MB", digits: 0 },
      { name: "query p50 ms" },
      { name: "p99 ms" },
      { name: "NDCG@10", digits: 3 },
    ],
    rows: Array.from(rows, ([name, row]): Cell[] => [
      name,
      row.chunks,
      row.buildMs === null ? null : row.buildMs / 1000,
      mega(row.diskBytes),
      mega(row.peakBytes),
      mega(row.privateBytes),
      median(row.queryMs),
      percentile(row.queryMs, 0.99),
      quality.get(name) ?? null,
    ]),
    notes: [
      "words OR-ed, without stop words; the same chunks for all but ripgrep, which is a whole process per query",
      "aman's queries include reading the text shown; keyword: ready for keywords, files without the vectors",
      "private: anonymous memory after the queries; peak: of the process that built (aman: aman index)",
      "NDCG@10: repository by repository, by the files' order alone",
    ],
  }
}
