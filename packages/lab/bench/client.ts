import { openProject } from "../../../src/index/index.ts"
import { memoryOf, processorMsOf, run, runIndex } from "./processes.ts"
import { type Tree, treesOf } from "./scale.ts"
import type { Bench, Section } from "./section.ts"
import { Server } from "./server.ts"
import { percentile, sample } from "./stats.ts"
import { judge, type Limit, limitText, type Table } from "./table.ts"

const SUBJECTS = 40
const ROUNDS = 4
const REST_MS = 10_000
const CONTEXT_TOKENS = 2_000
const MB = 1e6

type Call = {
  readonly name: string
  readonly tool: string
  readonly args: (subject: Subject) => object
  readonly limit: Limit
}

const CALLS: readonly Call[] = [
  { name: "search", tool: "search", args: ({ words }) => ({ query: words }), limit: { max: 8 } },
  {
    name: "search, a question",
    tool: "search",
    args: ({ words }) => ({ query: `how are ${words} handled and where is that decided?` }),
    limit: { max: 8 },
  },
  { name: "search, exact", tool: "search", args: ({ name }) => exactly(`${name}(`), limit: { max: 30 } },
  {
    name: "search, exact, found nowhere",
    tool: "search",
    args: ({ name }) => exactly(`${name}#?`),
    limit: { max: 30 },
  },
  {
    name: `context, ${CONTEXT_TOKENS} tokens`,
    tool: "context",
    args: ({ words }) => ({ query: `change how ${words} work`, max_tokens: CONTEXT_TOKENS }),
    limit: { max: 25 },
  },
  { name: "symbol", tool: "symbol", args: ({ name }) => ({ name }), limit: { max: 2 } },
]

function exactly(query: string): object {
  return { query, mode: "exact" }
}

/** What calls are about: the words of a file's path, and the name of one of its definitions. */
type Subject = { readonly words: string; readonly name: string }

type Times = { readonly wall: number[]; cpuMs: number }

/** Measures what a client of the compiled program waits for, and what the program takes for it, on trees as they are. */
export const clientSection: Section = {
  name: "client",
  lacks: () => null,
  async run(bench) {
    const tables: Table[] = []
    const trees = treesOf(bench.trees.length > 0 ? { ...bench, scales: [] } : bench)
    for (const tree of trees) tables.push(await measureTree(bench, tree))
    return tables
  },
}

async function measureTree(bench: Bench, { name, root, indexDir }: Tree): Promise<Table> {
  bench.note(`${name} …`)
  const { report } = runIndex(bench.binary, root, indexDir)
  const subjects = subjectsOf(root, indexDir)
  const rows: Table["rows"][number][] = []
  const server = new Server(bench.binary, root, indexDir)
  try {
    await server.initialize()
    for (const call of CALLS) {
      const { wall, cpuMs } = await timeCalls(server, call, subjects)
      rows.push([
        call.name,
        judge(percentile(wall, 0.5), call.limit),
        percentile(wall, 0.95),
        cpuMs,
        limitText(call.limit),
      ])
    }
    rows.push(memoryRow(server, "private memory under load, MB", { max: 150 }))
    await Bun.sleep(REST_MS)
    rows.push(memoryRow(server, `private memory ${REST_MS / 1000} s later, MB`, { max: 80 }))
  } finally {
    await server.kill()
  }
  rows.push(...(await timeCommands(bench, root, indexDir, subjects)))
  return {
    title: `What a client gets over stdio: ${name}, ${report.files.toLocaleString("en")} files`,
    columns: [
      { name: "ms" },
      { name: "p50", digits: 1 },
      { name: "p95", digits: 1 },
      { name: "processor time, mean", digits: 1 },
      { name: "target of p50" },
    ],
    rows,
  }
}

/** Times calls of one kind after one round to warm up. */
async function timeCalls(server: Server, { tool, args }: Call, subjects: readonly Subject[]): Promise<Times> {
  const wall: number[] = []
  let used = 0
  for (let round = 0; round <= ROUNDS; round++) {
    const before = processorMsOf(server.pid) ?? Number.NaN
    for (const subject of subjects) {
      const started = performance.now()
      await server.call(tool, args(subject))
      if (round > 0) wall.push(performance.now() - started)
    }
    if (round > 0) used += (processorMsOf(server.pid) ?? Number.NaN) - before
  }
  return { wall, cpuMs: used / wall.length }
}

function memoryRow(server: Server, name: string, limit: Limit): Table["rows"][number] {
  const memory = memoryOf(server.pid)
  return [name, judge(memory && memory.anonymousBytes / MB, limit), null, null, limitText(limit)]
}

async function timeCommands(
  { binary }: Bench,
  root: string,
  indexDir: string,
  subjects: readonly Subject[],
): Promise<Table["rows"][number][]> {
  const limit = { max: 60 }
  const ran = subjects.map(({ words }) =>
    run([binary, "search", "--quiet", "--root", root, "--", words], { env: { AMAN_INDEX_DIR: indexDir } }),
  )
  const wall = ran.map(({ wallMs }) => wallMs)
  const cpuMs = ran.reduce((sum, { cpuMs }) => sum + cpuMs, 0) / ran.length
  return [
    [
      "aman search, whole process",
      judge(percentile(wall, 0.5), limit),
      percentile(wall, 0.95),
      cpuMs,
      limitText(limit),
    ],
  ]
}

/** Subjects from files that are spread evenly over the project. */
function subjectsOf(root: string, indexDir: string): Subject[] {
  using project = openProject({ root, cwd: root, "index.dir": indexDir })
  const store = project.reader()?.store
  const files = store?.files.known() ?? []
  const subjects = files.flatMap(([path, id]) => {
    const symbol = store!.symbols.ofFile(id).find(({ kind }) => NAMED.has(kind))
    return symbol === undefined ? [] : [{ words: wordsOf(path), name: symbol.name }]
  })
  return sample(subjects, SUBJECTS)
}

const NAMED: ReadonlySet<string> = new Set(["function", "class", "method", "interface", "struct"])

/** The words of the last parts of a path. */
function wordsOf(path: string): string {
  const parts = path.replace(/\.\w+$/u, "").split(/[/_.-]+/u)
  return parts.slice(-4).join(" ")
}
