import { spawnSync } from "node:child_process"
import { cpSync, existsSync, rmSync } from "node:fs"
import { basename, join } from "node:path"
import { McpChild } from "./mcp-child.ts"
import { memoryOf, run } from "./processes.ts"
import { type Bench, lacksCorpus, type Section } from "./section.ts"
import type { Cell, Table } from "./table.ts"

const REPOSITORIES = 5
/** Max resident memory in MB. */
const MAX_RESIDENT = 100
const QUERIES = ["parse config", "how are options read", "retry", "where is the router", "middleware"]
const ROUNDS = 3
/** A server releases memory pages a second after its last call, and most other memory a minute after it. */
const PAUSE_MS = 2_000
const REST_MS = 65_000

/** Measures the memory of a server with five open repositories that another process syncs. */
export const followerSection: Section = {
  name: "follower",
  lacks: (bench) =>
    process.platform === "linux" ? lacksCorpus(bench) : "Linux, which tells what is resident",
  async run(bench) {
    const scratch = join(bench.scratch, "follower")
    rmSync(scratch, { recursive: true, force: true })
    const [own, ...others] = bench.labels.slice(0, REPOSITORIES + 1).map(({ name, root }) => {
      const copy = join(scratch, name)
      cpSync(root, copy, { recursive: true, filter: (path) => basename(path) !== ".aman" })
      return copy
    })
    others.forEach(commitAll)
    const env = { AMAN_DATA_DIR: join(scratch, "data"), AMAN_REPOS_URLS: others.join(",") }
    const synced = run([bench.binary, "repos", "sync", "--quiet"], { env })
    if (synced.exitCode !== 0)
      throw new Error(`aman repos sync ended with ${synced.exitCode}: ${synced.stderr}`)
    return [await measure(bench, own!, env)]
  },
}

async function measure(bench: Bench, root: string, env: Record<string, string>): Promise<Table> {
  const command = [bench.binary, "serve", "--structured", "--root", root] as const
  await using leader = await new McpChild(command, env).start()
  await leader.call("search", { query: QUERIES[0] })
  await using follower = await new McpChild(command, env).start()
  const rows: Cell[][] = []
  const note = (title: string) => {
    const { residentBytes, anonymousBytes } = memoryOf(follower.pid!)!
    const resident = { value: residentBytes / 1e6, limit: { max: MAX_RESIDENT }, digits: 0 }
    rows.push([title, resident, anonymousBytes / 1e6])
    bench.note(title)
  }
  await ask(follower, {})
  note("it has searched its own project")
  for (let round = 0; round < ROUNDS; round++) await ask(follower, { repository: "*" })
  note("and all of the others, at once")
  await Bun.sleep(PAUSE_MS)
  note(`${PAUSE_MS / 1000} s after`)
  await Bun.sleep(REST_MS)
  note(`${(PAUSE_MS + REST_MS) / 1000} s after`)
  return {
    title: `A follower with ${REPOSITORIES} repositories open (MB)`,
    columns: [{ name: "when" }, { name: "resident" }, { name: "of its own", digits: 0 }],
    rows,
  }
}

async function ask(server: McpChild, more: Record<string, unknown>): Promise<void> {
  for (const query of QUERIES) await server.call("search", { query, ...more })
}

function commitAll(folder: string): void {
  if (existsSync(join(folder, ".git"))) return
  const git = (...args: string[]) => {
    const who = ["-c", "user.name=bench", "-c", "user.email=bench@example.invalid"]
    const { status, stderr } = spawnSync("git", [...who, ...args], { cwd: folder, encoding: "utf8" })
    if (status !== 0) throw new Error(`git ${args[0]}: ${stderr}`)
  }
  git("init", "--quiet")
  git("add", "--all", "--force", ".")
  git("commit", "--quiet", "--message", "as it is")
}
