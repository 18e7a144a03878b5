import { mkdirSync, readFileSync, rmSync, writeFileSync } from "node:fs"
import { join } from "node:path"
import type { SearchAnswer, StatusAnswer } from "../../../src/base/index.ts"
import { processorMsOf, runColdIndex, runIndex, runSearch } from "./processes.ts"
import { generatedTree, type Tree } from "./scale.ts"
import { type Bench, lacksCorpus, type Section } from "./section.ts"
import { Server } from "./server.ts"
import { median, percentile } from "./stats.ts"
import { judge, type Limit, limitText, type Table } from "./table.ts"

type Row = readonly [name: string, value: number | null, limit: Limit | null]

const FILES = 5_000
const SAVES = 30
const STORM_FILES = 10_000
const STORM_FOLDERS = 200
const ALONE_TRIES = 5
const IDLE_MS = 60_000
// Time after the last edit for which a server keeps its threads, and some more.
const REST_MS = 25_000
const POLL_MS = 5

/** Measures how soon a change is found, and what watching a project costs. */
export const watchSection: Section = {
  name: "watch",
  lacks: lacksCorpus,
  async run(bench) {
    const tree = generatedTree(bench, FILES)
    const indexDir = `${tree.root}.watched`
    runColdIndex(bench.binary, tree.root, indexDir)
    return [
      tableOf([...alone(bench, { ...tree, indexDir }), ...(await served(bench, { ...tree, indexDir }))]),
    ]
  },
}

/** Measures commands without a server. */
function alone({ binary, note }: Bench, { root, indexDir }: Tree): Row[] {
  note("commands alone …")
  const tries = Array.from({ length: ALONE_TRIES }, (_, i) => wordOf("zebrafinch", i))
  const unchanged = tries.map(() => runIndex(binary, root, indexDir).wallMs)
  const asIs = tries.map((word) => runSearch(binary, root, indexDir, word))
  const file = new EditedFile(root, firstFile(binary, root, indexDir))
  const edited = tries.map((word) => {
    file.add(word)
    return runSearch(binary, root, indexDir, word)
  })
  file.restore()
  return [
    ["aman index, nothing changed, ms", median(unchanged), { max: 300 }],
    ["aman search, nothing changed, ms", median(asIs), null],
    ["… and what one edit adds, ms", median(edited) - median(asIs), { max: 100 }],
  ]
}

async function served(bench: Bench, { root, indexDir }: Tree): Promise<Row[]> {
  const file = new EditedFile(root, firstFile(bench.binary, root, indexDir))
  const storm = join(root, "storm")
  const server = new Server(bench.binary, root, indexDir)
  try {
    await server.initialize()
    await settled(server)
    bench.note("saves …")
    const saves: number[] = []
    for (let i = 0; i < SAVES; i++) saves.push(await saveToFound(server, file, wordOf("quetzal", i)))
    file.restore()
    bench.note("a storm …")
    const { answers, passes } = await searchDuringStorm(server, storm)
    rmSync(storm, { recursive: true })
    await settled(server)
    bench.note("a minute's rest …")
    await Bun.sleep(REST_MS)
    const idle = await idleMs(server.pid)
    return [
      ["save to found, p50 ms", median(saves), { max: 200 }],
      ["save to found, p95 ms", percentile(saves, 0.95), { max: 200 }],
      [
        `${STORM_FILES} files at once: slowest of ${answers.length} answers, ms`,
        Math.max(...answers),
        { max: 1000 },
      ],
      ["… generations of the index", passes, null],
      ["idle for a minute: processor ms", idle, { max: 180 }],
    ]
  } finally {
    file.restore()
    rmSync(storm, { recursive: true, force: true })
    await server.kill()
  }
}

async function saveToFound(server: Server, file: EditedFile, word: string): Promise<number> {
  await Bun.sleep(700)
  file.add(word)
  const started = performance.now()
  for (;;) {
    const request = { query: word, mode: "keyword", limit: 3 }
    const { results } = await server.call<SearchAnswer>("search", request)
    if (results.some(({ text }) => text.includes(word))) return performance.now() - started
    await Bun.sleep(POLL_MS)
  }
}

/**
 * Writes many files as fast as possible and sends queries meanwhile. Returns the milliseconds of the queries
 * and the number of index runs.
 */
async function searchDuringStorm(server: Server, folder: string) {
  const before = (await settled(server)).generation
  const answers: number[] = []
  const ask = async () => {
    const started = performance.now()
    await server.search("read the configuration")
    answers.push(performance.now() - started)
  }
  for (let i = 0; i < STORM_FOLDERS; i++) mkdirSync(join(folder, `d${i}`), { recursive: true })
  for (let i = 0; i < STORM_FILES; i++) {
    writeFileSync(
      join(folder, `d${i % STORM_FOLDERS}`, `f${i}.py`),
      `def ${wordOf("storm", i)}():\n    return ${i}\n`,
    )
    if (i % 500 === 0) await ask()
  }
  const wanted = wordOf("storm", STORM_FILES - 1)
  for (;;) {
    await ask()
    const { results } = await server.call<SearchAnswer>("search", {
      query: wanted,
      mode: "keyword",
      limit: 1,
    })
    if (results[0]?.text.includes(wanted)) break
    await Bun.sleep(100)
  }
  return { answers, passes: (await settled(server)).generation - before }
}

async function settled(server: Server): Promise<StatusAnswer> {
  for (;;) {
    const status = await server.call<StatusAnswer>("status")
    if (status.state === "ready" && status.pending === 0) return status
    await Bun.sleep(50)
  }
}

/** Processor time in ms that a process without calls uses in IDLE_MS; null on a system without /proc. */
async function idleMs(pid: number): Promise<number | null> {
  if (process.platform !== "linux") return null
  const before = processorMsOf(pid)!
  await Bun.sleep(IDLE_MS)
  return processorMsOf(pid)! - before
}

function firstFile(binary: string, root: string, indexDir: string): string {
  const argv = [binary, "search", "--json", "--quiet", "--root", root, "--lang", "java", "--", "function"]
  const { stdout } = Bun.spawnSync(argv, { env: { ...process.env, AMAN_INDEX_DIR: indexDir } })
  return (JSON.parse(stdout.toString()) as SearchAnswer).results[0]!.path
}

/** A unique word of letters only, because digits would be a word of their own and found everywhere. */
function wordOf(stem: string, i: number): string {
  const letters = [...i.toString(26)].map((digit) => String.fromCharCode(97 + Number.parseInt(digit, 26)))
  return `${stem}${letters.join("")}x`
}

/** A file of the tree that is edited by replacing a comment in it. */
class EditedFile {
  readonly #path: string
  readonly #original: string

  constructor(root: string, path: string) {
    this.#path = join(root, path)
    this.#original = readFileSync(this.#path, "latin1")
  }

  add(word: string): void {
    writeFileSync(this.#path, `${this.#original}\n// ${word}\n`, "latin1")
  }

  restore(): void {
    writeFileSync(this.#path, this.#original, "latin1")
  }
}

function tableOf(rows: readonly Row[]): Table {
  return {
    title: `Following ${FILES.toLocaleString("en")} files`,
    columns: [{ name: "" }, { name: "measured", digits: 0 }, { name: "target" }],
    rows: rows.map(([name, value, limit]) => [name, judge(value, limit), limitText(limit)]),
  }
}
