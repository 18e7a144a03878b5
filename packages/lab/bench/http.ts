import { join } from "node:path"
import { HttpServer } from "./http-server.ts"
import { memoryOf, runIndex } from "./processes.ts"
import type { Bench, Section } from "./section.ts"
import { Server } from "./server.ts"
import { percentile } from "./stats.ts"
import type { Table } from "./table.ts"

const ROUNDS = 6
const SESSIONS = 20
const STARTS = 40
/** Queries for this project's own sources, which are used because they are always available. */
const QUERIES = [
  "where are results ranked",
  "openProject",
  "how does the watcher decide what changed",
  "IndexReader",
  "postings of a segment",
  "limits of a request body",
  "which files are left out",
  "parse duration setting",
  "SymbolGraph",
  "what is remembered about a topic",
  "class:IndexUpdater",
  "token of the server",
  "merge two topics",
  "hnsw graph",
  "fold deltas into a segment",
  "read a file with line numbers",
]

type Times = number[]

/** Compares the time of queries over HTTP and over stdio, and measures many clients at once. */
export const httpSection: Section = {
  name: "http",
  lacks: () => null,
  async run(bench) {
    const root = join(import.meta.dir, "../../..")
    const indexDir = join(bench.scratch, "http")
    runIndex(bench.binary, root, indexDir)
    const stdio = await measureStdio(bench, root, indexDir)
    const http = await measureHttp(bench, root, indexDir)
    return [latencies(stdio, http), memory(stdio.rss, http)]
  },
}

async function measureStdio({ binary }: Bench, root: string, indexDir: string) {
  const initialize: Times = []
  for (let start = 0; start < STARTS / 4; start++) {
    const begun = performance.now()
    const server = new Server(binary, root, indexDir)
    await server.initialize()
    initialize.push(performance.now() - begun)
    await server.kill()
  }
  const server = new Server(binary, root, indexDir)
  await server.initialize()
  const search = await timed((query) => server.search(query))
  const rss = memoryOf(server.pid)?.residentBytes ?? null
  await server.kill()
  return { initialize, search, rss }
}

async function measureHttp({ binary }: Bench, root: string, indexDir: string) {
  await using server = await HttpServer.start(binary, root, indexDir)
  const first = await server.open()
  const search = await timed((query) => first.search(query))
  const one = memoryOf(server.pid)?.residentBytes ?? null
  const initialize: Times = []
  for (let start = 0; start < STARTS; start++) {
    const begun = performance.now()
    const session = await server.open()
    initialize.push(performance.now() - begun)
    await session.close()
  }
  const sessions = await Promise.all(Array.from({ length: SESSIONS }, () => server.open()))
  const begun = performance.now()
  const together = (
    await Promise.all(sessions.map((session) => timed((query) => session.search(query))))
  ).flat()
  const perSecond = together.length / ((performance.now() - begun) / 1000)
  const many = memoryOf(server.pid)?.residentBytes ?? null
  await Promise.all(sessions.map((session) => session.close()))
  const after = memoryOf(server.pid)?.residentBytes ?? null
  return { initialize, search, together, perSecond, one, many, after }
}

/** Milliseconds of each query after a first round to warm up. */
async function timed(search: (query: string) => Promise<void>): Promise<Times> {
  const times: Times = []
  for (let round = 0; round < ROUNDS; round++) {
    for (const query of QUERIES) {
      const begun = performance.now()
      await search(query)
      if (round > 0) times.push(performance.now() - begun)
    }
  }
  return times
}

type Stdio = Awaited<ReturnType<typeof measureStdio>>
type Http = Awaited<ReturnType<typeof measureHttp>>

function latencies(stdio: Stdio, http: Http): Table {
  const row = (name: string, times: Times) => [name, percentile(times, 0.5), percentile(times, 0.99)]
  return {
    title: "Serving over HTTP and stdio: this project",
    columns: [{ name: "ms" }, { name: "p50" }, { name: "p99" }],
    rows: [
      row("initialize, stdio, with the process's start", stdio.initialize),
      row("initialize, HTTP, a session of a running server", http.initialize),
      row("search, stdio", stdio.search),
      row("search, HTTP", http.search),
      row(`search, HTTP, ${SESSIONS} sessions at once`, http.together),
    ],
    notes: [`${SESSIONS} sessions at once: ${Math.round(http.perSecond)} searches a second`],
  }
}

function memory(stdio: number | null, { one, many, after }: Http): Table {
  const mib = (bytes: number | null) => (bytes === null ? null : bytes / 1024 ** 2)
  return {
    title: "Memory of a server",
    columns: [{ name: "MiB" }, { name: "resident", digits: 0 }],
    rows: [
      ["stdio", mib(stdio)],
      ["HTTP, 1 session", mib(one)],
      [`HTTP, ${SESSIONS} sessions`, mib(many)],
      ["HTTP, when they are closed", mib(after)],
    ],
  }
}
