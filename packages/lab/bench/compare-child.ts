/** One engine in a process of its own, so that its memory is its own: bun compare-child.ts JOB.json → JSON. */

import { readFileSync } from "node:fs"
import { openProject } from "../../../src/index/index.ts"
import { searchProject } from "../../../src/search/answer/search-project.ts"
import { chunksOf, fts5Engine } from "./engines.ts"
import { memoryOf } from "./processes.ts"
import { ASK_ALL } from "./quality.ts"

export type CompareJob = {
  readonly engine: "fts5" | "aman keyword" | "aman hybrid"
  readonly root: string
  /** Folder of aman's index, whose chunks all engines search. */
  readonly indexDir: string
  /** File of the FTS5 database. */
  readonly database: string
  readonly queries: readonly string[]
}

export type CompareResult = {
  readonly chunks: number
  readonly buildMs: number
  readonly diskBytes: number
  readonly privateBytes: number | null
  readonly queryMs: readonly number[]
}

if (import.meta.main) {
  const job = JSON.parse(readFileSync(process.argv[2]!, "utf8")) as CompareJob
  console.log(JSON.stringify(await measure(job)))
}

async function measure(job: CompareJob): Promise<CompareResult> {
  using project = openProject({ root: job.root, cwd: job.root, "index.dir": job.indexDir })
  if (job.engine === "aman keyword" || job.engine === "aman hybrid") {
    const mode = job.engine === "aman keyword" ? "keyword" : "hybrid"
    const queryMs = await timeQueries(job.queries, (query) =>
      searchProject(project, { ...ASK_ALL, query, mode }, { refresh: false }),
    )
    const privateBytes = memoryOf(process.pid)?.anonymousBytes ?? null
    return {
      chunks: project.reader()!.store.files.totals().chunks,
      buildMs: 0,
      diskBytes: 0,
      privateBytes,
      queryMs,
    }
  }
  const engine = fts5Engine(job.database)
  let chunks = 0
  const started = performance.now()
  await engine.build(counted(chunksOf(project), () => chunks++))
  const buildMs = performance.now() - started
  const queryMs = await timeQueries(job.queries, (query) => engine.query(query))
  const privateBytes = memoryOf(process.pid)?.anonymousBytes ?? null
  return { chunks, buildMs, diskBytes: engine.diskBytes(), privateBytes, queryMs }
}

/** Milliseconds of each query, measured in a second round after a first one to warm up. */
async function timeQueries(
  queries: readonly string[],
  ask: (query: string) => Promise<unknown>,
): Promise<number[]> {
  for (const query of queries) await ask(query)
  const times: number[] = []
  for (const query of queries) {
    const started = performance.now()
    await ask(query)
    times.push(performance.now() - started)
  }
  return times
}

function* counted<T>(items: Iterable<T>, count: () => void): Generator<T> {
  for (const item of items) {
    count()
    yield item
  }
}
