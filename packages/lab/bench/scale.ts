import { mkdirSync, rmSync } from "node:fs"
import { join } from "node:path"
import { LeaderLock } from "../../../src/store/index.ts"
import { bytesIn, memoryOf, type ProcessMemory, runColdIndex, runIndex, runSearch } from "./processes.ts"
import { scaleTable } from "./scale-table.ts"
import { type Bench, lacksCorpus, type Section } from "./section.ts"
import { Server } from "./server.ts"
import { median, sample } from "./stats.ts"
import { ensureTree, repositoriesIn } from "./tree.ts"

export type ScaleRun = {
  readonly name: string
  readonly files: number
  readonly chunks: number
  readonly initializeMs: number
  readonly coldS: number
  readonly cpuS: number
  readonly keywordReadyS: number
  readonly peakMb: number | null
  readonly indexBytes: number
  readonly keywordBytes: number
  readonly vectorBytes: number
  readonly unchangedMs: number
  readonly searchMs: number
  /** Memory of a server that is not the leader: right after many queries, and after REST_MS without any. */
  readonly busy: ProcessMemory | null
  readonly rested: ProcessMemory | null
}

export type Tree = { readonly name: string; readonly root: string; readonly indexDir: string }

const UNCHANGED_TRIES = 3
const QUERIES = 20
const REST_MS = 5_000

/** Measures time, memory and disk space for projects of increasing size. */
export const scaleSection: Section = {
  name: "scale",
  lacks: lacksCorpus,
  async run(bench) {
    const runs: ScaleRun[] = []
    for (const tree of treesOf(bench)) {
      bench.note(`${tree.name} …`)
      runs.push(await measure(bench, tree))
    }
    return [scaleTable(runs)]
  },
}

/** The generated trees, smallest first, then the real ones. Generates missing trees, but indexes none. */
export function treesOf(bench: Bench): Tree[] {
  const generated = [...bench.scales].sort((a, b) => a - b).map((files) => generatedTree(bench, files))
  const real = bench.trees.map((root) => ({
    name: root.slice(root.lastIndexOf("/") + 1),
    root,
    indexDir: join(bench.scratch, "trees", `index-${Bun.hash.xxHash3(root).toString(16)}`),
  }))
  return [...generated, ...real]
}

export function generatedTree(bench: Bench, files: number): Tree {
  const root = join(bench.scratch, "trees", `files-${files}`)
  mkdirSync(join(bench.scratch, "trees"), { recursive: true })
  ensureTree(repositoriesIn([bench.corpus, bench.judge]), root, files)
  return { name: `${files.toLocaleString("en")} files`, root, indexDir: `${root}.index` }
}

async function measure(bench: Bench, { name, root, indexDir }: Tree): Promise<ScaleRun> {
  const queries = sample(
    bench.labels.flatMap((repository) => repository.queries.map(({ query }) => query)),
    QUERIES,
  )
  const initializeMs = await initializeUnindexed(bench, root, indexDir)
  const cold = runColdIndex(bench.binary, root, indexDir)
  const unchanged = Array.from(
    { length: UNCHANGED_TRIES },
    () => runIndex(bench.binary, root, indexDir).wallMs,
  )
  const searches = queries.map((query) => runSearch(bench.binary, root, indexDir, query))
  const memory = await readerMemory(bench, root, indexDir, queries)
  return {
    name,
    files: cold.report.files,
    chunks: cold.report.chunks,
    initializeMs,
    coldS: cold.wallMs / 1000,
    cpuS: cold.cpuMs / 1000,
    keywordReadyS: cold.report.keyword_ready_ms / 1000,
    peakMb: cold.peakBytes === null ? null : cold.peakBytes / 1e6,
    indexBytes: bytesIn(indexDir),
    keywordBytes: bytesIn(indexDir, /^keyword-/u),
    vectorBytes: bytesIn(indexDir, /^vectors-/u),
    unchangedMs: Math.min(...unchanged),
    searchMs: median(searches),
    ...memory,
  }
}

/** Milliseconds from the start of a server for a project without an index to its answer to `initialize`. */
async function initializeUnindexed(bench: Bench, root: string, indexDir: string): Promise<number> {
  rmSync(indexDir, { recursive: true, force: true })
  const started = performance.now()
  const server = new Server(bench.binary, root, indexDir)
  await server.initialize()
  const took = performance.now() - started
  await server.kill()
  return took
}

/**
 * Memory of a server that has answered each query twice. It is not the leader, because this process holds the
 * lock.
 */
async function readerMemory(bench: Bench, root: string, indexDir: string, queries: readonly string[]) {
  const lead = LeaderLock.take(indexDir)
  if (lead === null) throw new Error(`another process writes ${indexDir}`)
  const server = new Server(bench.binary, root, indexDir)
  try {
    await server.initialize()
    for (const query of [...queries, ...queries]) await server.search(query)
    const busy = memoryOf(server.pid)
    // The server releases garbage when it gets no calls for a while.
    await Bun.sleep(REST_MS)
    return { busy, rested: memoryOf(server.pid) }
  } finally {
    await server.kill()
    lead.release()
  }
}
