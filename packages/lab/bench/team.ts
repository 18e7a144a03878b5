import { createHmac } from "node:crypto"
import { cpSync, readFileSync, rmSync } from "node:fs"
import { join } from "node:path"
import { TeamSpace } from "../../../test/e2e/team-space.ts"
import { commit, git, write } from "../../../test/git-repository.ts"
import { hasPostgres } from "../../../test/postgres.ts"
import { addRepository, Catalogue, grant } from "../../team/index.ts"
import { childEnv, run } from "./processes.ts"
import type { Bench, Section } from "./section.ts"
import { median, percentile } from "./stats.ts"
import { judge, type Table } from "./table.ts"
import { ensureTree, repositoriesIn } from "./tree.ts"

/** Files of each small repository. */
const FILES_EACH = 20
/** Small repositories that 1, 2 and 4 workers index. */
const INDEXED = 24
const WORKERS = [1, 2, 4]
const USUAL_REPOSITORIES = 100
const PUSHES = 5
const ROUNDS = 3
const HOOK_SECRET = "bench"
const QUESTIONS = [
  "parse arguments of a command",
  "open the database",
  "retry after a failure",
  "createIndex",
  "token budget",
  "where is the lock file written",
  "render a table",
  "hash of a file",
  "ignore rules",
  "worker thread",
]

/** Measures a team's workers and node; PostgreSQL, workers, node and client share this machine. */
export const teamSection: Section = {
  name: "team",
  lacks: () => (hasPostgres ? null : "PostgreSQL, as for the tests"),
  async run(bench) {
    const all = bench.repositories ?? USUAL_REPOSITORIES
    const small = smallRepositories(bench, Math.max(all, INDEXED))
    const throughput = []
    for (const workers of WORKERS) throughput.push(await indexWith(bench, small.slice(0, INDEXED), workers))
    return [throughputTable(throughput), await questions(bench, small.slice(0, all)), await handDown(bench)]
  },
}

type Small = { readonly folder: string; readonly lines: number }

/** Trees of FILES_EACH real files; the names in them differ from tree to tree. */
function smallRepositories(bench: Bench, count: number): Small[] {
  const root = join(bench.scratch, "team-tree")
  bench.note(`${count} repositories of ${FILES_EACH} files …`)
  ensureTree(sourcesOf(bench), root, count * FILES_EACH)
  const files = [...new Bun.Glob("**/*").scanSync(root)].sort()
  return Array.from({ length: count }, (_, at) => {
    const folder = join(bench.scratch, "team-repositories", `r${at}`)
    rmSync(folder, { recursive: true, force: true })
    let lines = 0
    for (const path of files.slice(at * FILES_EACH, (at + 1) * FILES_EACH)) {
      cpSync(join(root, path), join(folder, path))
      lines += Number(
        Bun.spawnSync(["wc", "-l", join(folder, path)])
          .stdout.toString()
          .split(" ")[0],
      )
    }
    git(folder, "init", "-q", "--template=", "-b", "main")
    commit(folder, "first")
    return { folder, lines }
  })
}

/** The corpus, else this repository itself. */
function sourcesOf({ corpus }: Bench): string[] {
  return corpus === null ? [join(import.meta.dir, "../../..")] : repositoriesIn([corpus])
}

/** `cpuMs`: processor time of all workers together. */
type Throughput = Work & { readonly workers: number; readonly lines: number }

type Work = { readonly ms: number; readonly cpuMs: number }

async function indexWith(bench: Bench, small: readonly Small[], workers: number): Promise<Throughput> {
  bench.note(`${small.length} repositories, workers: ${workers} …`)
  await using team = await TeamSpace.start()
  return { workers, ...(await indexAll(team, small, workers)), lines: linesOf(small) }
}

/** Adds the repositories, lets the team "all" read them, and indexes them; returns the times that indexing took. */
async function indexAll(team: TeamSpace, small: readonly Small[], workers: number): Promise<Work> {
  await using catalogue = await Catalogue.open(team.postgres.url)
  for (const { folder } of small) await addRepository(catalogue, "bench", { name: folder, url: folder })
  const repositories = small.map(({ folder }) => folder)
  await grant(catalogue, "bench", { team: "all", repositories, isWithdrawal: false })
  const started = performance.now()
  const running = Array.from({ length: workers }, (_, at) => startWorker(team, `w${at}`, "--once"))
  await Promise.all(running.map((worker) => worker.exited))
  const ms = performance.now() - started
  return { ms, cpuMs: running.reduce((sum, worker) => sum + cpuMsOf(worker), 0) }
}

function startWorker({ space, env }: TeamSpace, name: string, ...args: readonly string[]): Bun.Subprocess {
  return Bun.spawn([binaryOf(), "team", "worker", "--name", name, "--quiet", ...args], {
    ...{ cwd: space.project, env: childEnv({ ...space.env, ...env }) },
    ...{ stdin: "ignore", stdout: "ignore", stderr: "inherit" },
  })
}

/** Processor time in ms of a process that has ended, and of its children. */
function cpuMsOf(ended: Bun.Subprocess): number {
  return Number(ended.resourceUsage()?.cpuTime.total ?? 0) / 1000
}

/** The tests' program, which TeamSpace runs as well. */
function binaryOf(): string {
  return process.env["AMAN_BINARY"] ?? join(import.meta.dir, "../../../dist/aman")
}

function linesOf(small: readonly Small[]): number {
  return small.reduce((sum, { lines }) => sum + lines, 0)
}

function throughputTable(rows: readonly Throughput[]): Table {
  return {
    title: `Workers: ${INDEXED} repositories of ${FILES_EACH} files, from the queue to published revisions`,
    columns: [
      ...[{ name: "workers" }, { name: "seconds" }, { name: "lines a second", digits: 0 }],
      { name: "processor seconds" },
    ],
    rows: rows.map(({ workers, ms, cpuMs, lines }) => [
      ...[`${workers}`, ms / 1000, lines / (ms / 1000), cpuMs / 1000],
    ]),
  }
}

async function questions(bench: Bench, small: readonly Small[]): Promise<Table> {
  await using team = await TeamSpace.start()
  bench.note(`${small.length} repositories on a node …`)
  await indexAll(team, small, 2)
  const [{ bytes }] = (await team.postgres.query("SELECT sum(size) AS bytes FROM aman.blobs")) as [
    { bytes: string },
  ]
  const token = await team.token("ada", "all")
  const node = await team.serve([], { AMAN_TEAM_WEBHOOK_SECRET: HOOK_SECRET })
  const rows: Table["rows"][number][] = []
  for (const count of [...new Set([1, Math.min(100, small.length), small.length])]) {
    const reader = count === small.length ? token : await readerOf(team, small.slice(0, count))
    const times = await timesOf(team, reader, node.process.pid)
    const limit = count === 1 ? { max: 15 } : count === 1000 ? { max: 300 } : null
    rows.push([`question over ${count}, p50, ms`, judge(median(times.warm), limit, 1)])
    rows.push([`… p95, ms`, judge(percentile(times.warm, 0.95), null, 1)])
    rows.push([`… the first one, ms`, judge(times.first, null, 0)])
    if (times.cpuMs !== null)
      rows.push(["… processor time of the node, mean, ms", judge(times.cpuMs, null, 1)])
  }
  const pushes = await pushTimes(bench, team, small[0]!.folder, token)
  rows.push(["push to searchable, median, ms", judge(median(pushes), { max: 5000 }, 0)])
  rows.push(["… slowest, ms", judge(Math.max(...pushes), null, 0)])
  rows.push(["MB of blobs per million lines", judge(Number(bytes) / linesOf(small), null, 1)])
  return { title: "A node and its store", columns: [{ name: "" }, { name: "value" }], rows }
}

async function readerOf(team: TeamSpace, small: readonly Small[]): Promise<string> {
  const name = `first-${small.length}`
  await team.admin("grant", name, ...small.map(({ folder }) => folder))
  return team.token(name, name)
}

/** `first`: the first question; `warm`: those after each was asked once, with the node's mean processor time in ms. */
type QuestionTimes = {
  readonly first: number
  readonly warm: readonly number[]
  readonly cpuMs: number | null
}

async function timesOf(team: TeamSpace, token: string, pid: number): Promise<QuestionTimes> {
  const times: number[] = []
  let spent: number | null = null
  for (let round = 0; round <= ROUNDS; round++) {
    if (round === 1) spent = cpuMsSoFar(pid)
    for (const query of QUESTIONS) {
      const started = performance.now()
      const { status } = await team.ask(token, "/v1/search", { query, limit: 10 })
      if (status !== 200) throw new Error(`the node answered with ${status}`)
      times.push(performance.now() - started)
    }
  }
  const warm = times.slice(QUESTIONS.length)
  const cpuMs = spent === null ? null : (cpuMsSoFar(pid)! - spent) / warm.length
  return { first: times[0]!, warm, cpuMs }
}

/** Processor time in ms that a running process has used; null on systems other than Linux. */
function cpuMsSoFar(pid: number): number | null {
  if (process.platform !== "linux") return null
  const fields = readFileSync(`/proc/${pid}/stat`, "utf8").split(") ")[1]!.split(" ")
  return (Number(fields[11]) + Number(fields[12])) * CLOCK_TICK_MS
}

/** Unit of the times in /proc, in ms. */
const CLOCK_TICK_MS = 10

/** Times from the webhook of a small commit until a search finds it. */
async function pushTimes(bench: Bench, team: TeamSpace, folder: string, token: string): Promise<number[]> {
  bench.note("pushes …")
  const worker = startWorker(team, "pushed")
  const times: number[] = []
  for (let push = 0; push < PUSHES; push++) {
    const word = `pushed${"abcdefgh"[push]}word`
    write(folder, `${word}.py`, `def ${word}(value):\n    return value\n`)
    const after = commit(folder, word)
    const body = JSON.stringify({ repository: { clone_url: folder }, after })
    const signature = createHmac("sha256", HOOK_SECRET).update(body).digest("hex")
    const started = performance.now()
    const headers = { "x-gitea-signature": signature }
    await fetch(`${team.url}/v1/hooks/gitea`, { method: "POST", headers, body })
    for (;;) {
      const { answer } = await team.ask(token, "/v1/search", { query: word, limit: 1 })
      if (answer.results?.[0]?.path === `${word}.py`) break
      await Bun.sleep(20)
    }
    times.push(performance.now() - started)
  }
  worker.kill()
  await worker.exited
  return times
}

/** The first index of a large checkout, handed down and from scratch. */
async function handDown(bench: Bench): Promise<Table> {
  const files = Math.max(...bench.scales)
  const root = join(bench.scratch, `team-large-${files}`)
  bench.note(`${files} files, handed down and from scratch …`)
  ensureTree(sourcesOf(bench), root, files)
  rmSync(join(root, ".git"), { recursive: true, force: true })
  git(root, "init", "-q", "--template=", "-b", "main")
  commit(root, "first")
  await using team = await TeamSpace.start()
  const byWorker = await indexAll(team, [{ folder: root, lines: 0 }], 1)
  await team.serve()
  await team.space.run(["team", "login", team.url], { stdin: await team.token("ada", "all") })
  git(team.space.project, "clone", "-q", root, ".")
  const { project, env } = team.space
  const timed = (...args: readonly string[]) => {
    const {
      stdout,
      wallMs: ms,
      cpuMs,
    } = run([binaryOf(), "index", "--json", "--root", project, ...args], { env })
    return { ms, cpuMs, report: JSON.parse(stdout) }
  }
  const taken = timed()
  if (taken.report.handed_down === undefined) throw new Error(`not handed down: ${taken.report.notices}`)
  const made = timed("--force")
  return {
    title: `First index of ${taken.report.files} files`,
    columns: [{ name: "" }, { name: "seconds" }, { name: "processor seconds" }],
    rows: [
      ["by the worker", byWorker.ms / 1000, byWorker.cpuMs / 1000],
      ["handed down", taken.ms / 1000, taken.cpuMs / 1000],
      ["from scratch", made.ms / 1000, made.cpuMs / 1000],
      [
        "times faster",
        judge(made.ms / taken.ms, files >= 30_000 ? { min: 10 } : null, 1),
        judge(made.cpuMs / taken.cpuMs, null, 1),
      ],
    ],
  }
}
