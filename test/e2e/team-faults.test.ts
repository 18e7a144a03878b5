import { describe, expect, test } from "bun:test"
import { Catalogue } from "../../packages/team/catalogue/catalogue.ts"
import { requestUpdates } from "../../packages/team/catalogue/repositories.ts"
import { noteFigures } from "../figures.ts"
import { commit, git, write } from "../git-repository.ts"
import { moduleOf } from "../modules.ts"
import { hasPostgres } from "../postgres.ts"
import { randomFrom } from "../random.ts"
import { binary } from "./harness.ts"
import { type Answer, TeamSpace } from "./team-space.ts"

const KILLS = Number(process.env["AMAN_TEST_TEAM_KILLS"] ?? 4)
const SEED = Number(process.env["AMAN_TEST_SEED"] ?? 20_261_127)
/**
 * True for a long run, which also measures how long it takes until another worker takes over the job of a killed one.
 */
const isLong = KILLS >= 50
const REPOSITORIES = isLong ? 20 : 4
const MAX_PAUSE_MS = 600
const TAKEOVER_MS = 5000
const ROLES = ["worker", "worker", "node", "node"] as const

type Process = { child: Bun.Subprocess; url: string | null }

/** Two workers and two nodes, which are started again whenever they have ended. */
class Company {
  readonly #team: TeamSpace
  readonly #processes: (Process | null)[] = ROLES.map(() => null)

  constructor(team: TeamSpace) {
    this.#team = team
  }

  /** Starts what is not running; nodes then listen. */
  async start(): Promise<void> {
    for (const [at, role] of ROLES.entries()) {
      const running = this.#processes[at]
      if (running != null && running.child.exitCode === null && running.child.signalCode === null) continue
      this.#processes[at] = await this.#spawn(role, nameOf(at))
    }
  }

  async #spawn(role: (typeof ROLES)[number], name: string): Promise<Process> {
    const { space, env } = this.#team
    const verb = role === "worker" ? ["worker"] : ["serve", "--port", "0"]
    const child = Bun.spawn([binary, "team", ...verb, "--name", name, "--json"], {
      ...{ cwd: space.project, env: { ...space.env, ...env }, stdin: "ignore", stderr: "ignore" },
      stdout: role === "worker" ? "ignore" : "pipe",
    })
    if (role === "worker") return { child, url: null }
    const { value } = await (child.stdout as ReadableStream<Uint8Array>).getReader().read()
    return { child, url: value === undefined ? null : JSON.parse(Buffer.from(value).toString()).url }
  }

  get urls(): string[] {
    return this.#processes.flatMap((each) => each?.url ?? [])
  }

  async kill(at: number): Promise<void> {
    const { child } = this.#processes[at]!
    child.kill("SIGKILL")
    await child.exited
  }

  async end(): Promise<void> {
    for (const at of ROLES.keys()) if (this.#processes[at] !== null) await this.kill(at)
  }
}

function nameOf(at: number): string {
  return `${ROLES[at]}-${at}`
}

/** A word of letters alone, because digits would split it. */
function wordOf(number: number): string {
  return `zq${[...number.toString(8)].map((digit) => "bcdfghjk"[Number(digit)]).join("")}`
}

type Word = { readonly word: string; readonly repository: string; readonly path: string }

/** A team of which random processes are killed while repositories are edited and asked about. */
class Drill implements AsyncDisposable {
  readonly team: TeamSpace
  readonly company: Company
  readonly #catalogue: Catalogue
  readonly #token: string
  readonly repositories: readonly string[]
  /** Each word that was committed, with its repository and its file. */
  readonly words: Word[] = []
  readonly tally = { kills: 0, restarts: 0, questions: 0, complete: 0 }
  /** Times in ms from the kill of a worker until the other one, which was idle, has its job. */
  readonly takeovers: number[] = []
  /** The same times if the other worker had a job of its own to finish. */
  readonly takeoversWhenBusy: number[] = []
  readonly #random = randomFrom(SEED)

  private constructor(team: TeamSpace, catalogue: Catalogue, token: string, repositories: readonly string[]) {
    this.team = team
    this.company = new Company(team)
    this.#catalogue = catalogue
    this.#token = token
    this.repositories = repositories
  }

  static async start(): Promise<Drill> {
    const team = await TeamSpace.start()
    const names = Array.from({ length: REPOSITORIES }, (_, at) => `r${at}`)
    const files = (at: number) => Object.fromEntries([moduleOf(at, 0), moduleOf(at + 100, 0)])
    const added = await team.add(Object.fromEntries(names.map((name, at) => [name, files(at)])))
    await team.add({ secret: { "vault.py": `def ${wordOf(0)}_vault(value):\n    return value\n` } })
    const token = await team.token("ada", ...names)
    return new Drill(team, await Catalogue.open(team.postgres.url), token, Object.values(added))
  }

  pick(below: number): number {
    return Math.floor(this.#random() * below)
  }

  async edit(): Promise<void> {
    const repository = this.repositories[this.pick(REPOSITORIES)]!
    const word = wordOf(this.words.length + 1)
    const path = `p${this.pick(5)}/${word}.py`
    write(repository, path, `def ${word}(value):\n    return common_step(value)\n`)
    commit(repository, word)
    this.words.push({ word, repository, path })
    await requestUpdates(this.#catalogue, [repository])
  }

  /** Null if the node does not answer now. */
  async ask(url: string, query: string): Promise<Answer | null> {
    this.team.url = url
    const { status, answer } = await this.team
      .ask(this.#token, "/v1/search", { query, limit: 5 })
      .catch(() => ({ status: 0, answer: null }))
    if (status !== 0 && status !== 503) expect([status, answer]).toEqual([200, answer])
    return status === 200 ? answer : null
  }

  /** Asks both nodes for a word; whoever answers has to find it if its commit was published before. */
  async expectWord(): Promise<void> {
    if (this.words.length === 0) return
    for (const url of this.company.urls) {
      const { word, repository, path } = this.words[this.pick(this.words.length)]!
      const wasPublished = await this.#isPublished(repository)
      const answer = await this.ask(url, word)
      this.tally.questions++
      expect(JSON.stringify(answer)).not.toContain("vault")
      if (answer === null || !wasPublished || answer.notices.length > 0) continue
      this.tally.complete++
      expect(answer.results[0]).toMatchObject({ repository, path })
    }
  }

  async killOne(): Promise<void> {
    const victim = this.pick(ROLES.length)
    await this.company.kill(victim)
    this.tally.kills++
    if (isLong && ROLES[victim] === "worker") await this.#measureTakeover(nameOf(victim))
  }

  /** Waits until another worker has the job that the victim was doing, if it was doing any. */
  async #measureTakeover(victim: string): Promise<void> {
    const { postgres } = this.team
    const [job] = await postgres.query(
      `SELECT claim FROM aman.jobs WHERE worker = '${victim}' AND lease_until > now()`,
    )
    if (job === undefined) return
    const busy = await postgres.query(
      `SELECT 1 FROM aman.jobs WHERE worker <> '${victim}' AND lease_until > now()`,
    )
    const started = performance.now()
    const isHeld = async () =>
      (await postgres.query(`SELECT 1 FROM aman.jobs WHERE claim = '${job["claim"]}'`)).length > 0
    while (await isHeld()) await Bun.sleep(20)
    const times = busy.length > 0 ? this.takeoversWhenBusy : this.takeovers
    times.push(Math.round(performance.now() - started))
  }

  get figures(): Readonly<Record<string, number | string>> {
    const summary = (times: readonly number[]) => {
      const sorted = times.toSorted((a, b) => a - b)
      return `${sorted.length}, median ${sorted[sorted.length >> 1]} ms, slowest ${sorted.at(-1)} ms`
    }
    return {
      ...{ ...this.tally, words: this.words.length },
      ...{
        takeovers: summary(this.takeovers),
        "takeovers by a busy worker": summary(this.takeoversWhenBusy),
      },
    }
  }

  async restartDatabase(): Promise<void> {
    await this.team.postgres.stop()
    await this.team.postgres.resume()
    this.tally.restarts++
  }

  /** True once the newest commit of each repository is published and no job is left. */
  async isDone(): Promise<boolean> {
    for (const each of this.repositories) if (!(await this.#isPublished(each))) return false
    return (await this.team.postgres.query("SELECT 1 FROM aman.jobs")).length === 0
  }

  async #isPublished(repository: string): Promise<boolean> {
    const rows = await this.team.postgres.query(
      `SELECT 1 FROM aman.repositories r JOIN aman.revisions v ON v.id = r.revision_id
       WHERE r.name = '${repository}' AND v.commit_id = '${git(repository, "rev-parse", "HEAD")}'`,
    )
    return rows.length > 0
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.company.end()
    await this.#catalogue[Symbol.asyncDispose]()
    await this.team[Symbol.asyncDispose]()
  }
}

describe.skipIf(!hasPostgres)("a team whose processes are killed", () => {
  test(
    "loses nothing, publishes nothing twice, and never answers from a repository that is not readable",
    async () => {
      await using drill = await Drill.start()
      const { company, tally, words } = drill
      await company.start()
      while (tally.kills < KILLS) {
        for (let edits = drill.pick(3); edits > 0; edits--) await drill.edit()
        await Bun.sleep(drill.pick(MAX_PAUSE_MS))
        await drill.expectWord()
        if (tally.kills === KILLS >> 1 || drill.pick(12) === 0) await drill.restartDatabase()
        await drill.killOne()
        await drill.expectWord()
        await company.start()
      }
      while (!(await drill.isDone())) {
        await Bun.sleep(100)
        await company.start()
      }
      const twice = await drill.team.postgres.query(
        "SELECT repository_id, commit_id FROM aman.revisions GROUP BY 1, 2 HAVING count(*) > 1",
      )
      expect(twice).toEqual([])
      const [one, other] = company.urls as [string, string]
      for (const { word, repository, path } of words) {
        const [answer, again] = [await drill.ask(one, word), await drill.ask(other, word)]
        expect([answer.notices, answer.results[0]]).toMatchObject([[], { repository, path }])
        expect(again.results).toEqual(answer.results)
      }
      noteFigures("team", { ...drill.figures, differences: 0 })
      if (isLong) expect(Math.max(0, ...drill.takeovers)).toBeLessThan(TAKEOVER_MS)
    },
    60_000 + 20_000 * KILLS,
  )
})
