import { afterAll, beforeAll, describe, expect, test } from "bun:test"
import { readFileSync, writeFileSync } from "node:fs"
import { join } from "node:path"
import { noteFigures } from "../figures.ts"
import { git } from "../git-repository.ts"
import { hasPostgres } from "../postgres.ts"
import { randomFrom } from "../random.ts"
import { binary, Workspace } from "./harness.ts"
import { type Answer, TeamSpace } from "./team-space.ts"

/** Entries of each machine. */
const ENTRIES = Number(process.env["AMAN_TEST_TEAM_ENTRIES"] ?? 40)
const isLong = ENTRIES >= 200
const CLIENTS = isLong ? 8 : 3
const SEED = Number(process.env["AMAN_TEST_SEED"] ?? 20_261_128)
const HOUR_MS = 3_600_000

/** Sets the clock of a program that Bun runs or that was compiled by it, in milliseconds from the real time. */
const CLOCK = `
  const Real = Date
  const now = () => Real.now() + Number(process.env.CLOCK_OFFSET_MS)
  globalThis.Date = class extends Real {
    constructor(...parts) {
      parts.length === 0 ? super(now()) : super(...parts)
    }
    static now() {
      return now()
    }
  }
`

/** A machine with a clock of its own, whose connection to the team's server can be cut. */
class Machine implements AsyncDisposable {
  readonly space = new Workspace()
  isOffline = false
  /** The values of `after` of all requests for events, and how many of them are answered. */
  readonly pulls: string[] = []
  maxPulls = Number.POSITIVE_INFINITY
  readonly #proxy: Bun.Server<undefined>
  readonly #env: Record<string, string>

  constructor(team: TeamSpace, clockHours = 0) {
    const clock = join(this.space.dir, "clock.js")
    writeFileSync(clock, CLOCK)
    const offset = `${clockHours * HOUR_MS}`
    this.#env = clockHours === 0 ? {} : { BUN_OPTIONS: `--preload ${clock}`, CLOCK_OFFSET_MS: offset }
    this.#proxy = Bun.serve({
      hostname: "127.0.0.1",
      port: 0,
      fetch: async (request) => {
        if (this.isOffline) return new Response("", { status: 503 })
        const { pathname, search } = new URL(request.url)
        const { method, headers } = request
        const body = method === "GET" ? {} : { body: await request.text() }
        if (pathname === "/v1/memory/pull") this.pulls.push(JSON.parse(body.body!).after)
        if (this.pulls.length > this.maxPulls) return new Response("", { status: 503 })
        return fetch(`${team.url}${pathname}${search}`, { method, headers, ...body })
      },
    })
  }

  async join(repository: string, token: string): Promise<void> {
    git(this.space.project, "clone", "-q", repository, ".")
    const login = ["team", "login", `http://127.0.0.1:${this.#proxy.port}`]
    expect((await this.space.run(login, { stdin: token, env: this.#env })).code).toBe(0)
  }

  json(...args: [string, ...string[]]): Promise<Answer> {
    return this.space.json(args, { env: this.#env })
  }

  async remember(entries: readonly object[]): Promise<string[]> {
    const stdin = entries.map((entry) => JSON.stringify(entry)).join("\n")
    const { code, stdout, stderr } = await this.space.run(["remember", "--json", "--batch", "-"], {
      ...{ stdin, env: this.#env },
    })
    expect([code, stderr.replaceAll(/^note: .*\n/gm, "")]).toEqual([0, ""])
    return JSON.parse(stdout).ids
  }

  /** Starts a command and kills it once `isEnough` returns true. */
  async kill(isEnough: () => Promise<boolean>, ...args: readonly string[]): Promise<void> {
    const child = Bun.spawn([binary, ...args], {
      ...{ cwd: this.space.project, env: { ...this.space.env, ...this.#env }, stdin: "ignore" },
      ...{ stdout: "ignore", stderr: "ignore" },
    })
    while (!(await isEnough()) && child.exitCode === null) await Bun.sleep(5)
    child.kill("SIGKILL")
    await child.exited
  }

  /** The team's entries as this machine shows them, sorted by id. */
  async shared(): Promise<Answer[]> {
    const { results, total } = await this.json(
      "recall",
      "--outdated",
      "--team",
      "*",
      "--limit",
      "1000",
      "fact",
    )
    expect(results.length).toBe(Math.min(total, 1000))
    return results
      .map(({ id, text, author, recorded_at, revision, invalid_reason, superseded_by }: Answer) => ({
        ...{ id, text, author, recorded_at, revision, invalid_reason, superseded_by },
      }))
      .sort((a: Answer, b: Answer) => (a.id < b.id ? -1 : 1))
  }

  /** True if a file of the machine's copy of the team's memory contains the text. */
  copyContains(text: string): boolean {
    const files = [...new Bun.Glob("**/copy-*").scanSync({ cwd: this.space.home, absolute: true, dot: true })]
    expect(files.length).toBeGreaterThan(0)
    return files.some((file) => readFileSync(file).includes(text))
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.#proxy.stop(true)
    this.space[Symbol.dispose]()
  }
}

describe.skipIf(!hasPostgres)("memories of a team's machines", () => {
  let team: TeamSpace
  let repository: string

  beforeAll(async () => {
    team = await TeamSpace.start()
    repository = (await team.add({ open: { "a.ts": "export const a = 1\n" } })).open
    await team.serve()
  }, 60_000)
  afterAll(() => team?.[Symbol.asyncDispose]())

  test(
    "are equal in the end if clocks differ and one machine was offline while others changed and purged",
    async () => {
      const ada = await team.token("ada", "open")
      await using laptop = new Machine(team, -3)
      await using ahead = new Machine(team, 20)
      await using behind = new Machine(team, -7 * 24)
      await using reader = new Machine(team)
      for (const machine of [laptop, ahead, behind]) await machine.join(repository, ada)
      await reader.join(repository, await team.token("bob", "open"))

      const keyed = (from: number, to: number, who: string) =>
        Array.from({ length: to - from }, (_, at) => ({
          ...{ key: `clock:${from + at}`, topic: "clock", text: `fact ${from + at} by ${who}` },
        }))
      const tenth = ENTRIES / 10
      const ids = await laptop.remember(keyed(0, ENTRIES, "first"))
      await laptop.json("memory", "share", "on", "--team", "readers")
      const file = join(laptop.space.dir, "export.jsonl")
      await laptop.json("memory", "export", file)
      for (const machine of [ahead, behind]) {
        await machine.json("memory", "import", file)
        const { projects } = await machine.json("memory", "projects")
        await machine.json("memory", "link", projects[0].id)
        await machine.json("memory", "share", "on", "--team", "readers")
      }
      expect(await reader.shared()).toHaveLength(ENTRIES)

      // The two others are offline. Tenths of the entries: 0 to 4 changed here, 2 to 6 by the machine whose clock is ahead,
      // 1 and 2 by the one whose clock is behind; 8 and 9 purged here, 7 there.
      ahead.isOffline = true
      behind.isOffline = true
      await laptop.remember(keyed(0, 4 * tenth, "laptop"))
      await ahead.remember(keyed(2 * tenth, 6 * tenth, "ahead"))
      await behind.remember(keyed(tenth, 3 * tenth, "behind"))
      await laptop.json("memory", "purge", ...ids.slice(8 * tenth))
      await ahead.remember(keyed(8 * tenth, 9 * tenth, "ahead"))
      await ahead.json("memory", "purge", ...ids.slice(7 * tenth, 8 * tenth))
      const [replacing] = await laptop.remember([
        { text: "fact that replaces one", topic: "clock", replaces: [ids[6 * tenth]!] },
      ])
      ahead.isOffline = false
      behind.isOffline = false
      for (const machine of [behind, ahead, laptop]) await machine.json("memory", "sync")

      const expected = await reader.shared()
      for (const machine of [laptop, ahead, behind]) expect(await machine.shared()).toEqual(expected)
      const textOf = new Map(expected.map(({ id, text }) => [id, text]))
      const writer = (at: number) => / by (.*)/.exec(textOf.get(ids[at]!) ?? " by nobody")?.[1]
      const writers = Array.from({ length: 10 }, (_, at) => writer(at * tenth))
      expect(writers).toEqual([
        ...["laptop", "laptop", "ahead", "ahead", "ahead", "ahead", "first"],
        ...["nobody", "nobody", "nobody"],
      ])
      expect(expected).toHaveLength(7 * tenth + 1)
      expect(expected.find(({ id }) => id === ids[6 * tenth])).toMatchObject({ superseded_by: replacing })
      const purged = `fact ${8 * tenth} by`
      const stored = await team.postgres.query("SELECT body FROM aman.memory_events")
      expect(JSON.stringify(stored)).not.toContain(purged)
      for (const machine of [laptop, ahead, behind, reader]) expect(machine.copyContains(purged)).toBe(false)
    },
    isLong ? 600_000 : 120_000,
  )

  test(
    "are equal in the end although each machine is killed while it sends",
    async () => {
      const random = randomFrom(SEED)
      const machines = Array.from({ length: CLIENTS }, () => new Machine(team))
      const tally = { clients: CLIENTS, entries: 0, kills: 0, purges: 0 }
      try {
        await Promise.all(
          machines.map(async (machine, who) => {
            await machine.join(repository, await team.token(`killed-${who}`, "open"))
            const entries = Array.from({ length: ENTRIES }, (_, at) => ({
              ...{ text: `fact ${at} of ${who}`, topic: `killed-${who}` },
            }))
            const ids = await machine.remember(entries)
            for (const share of [random() / 2, 0.5 + random() / 2]) {
              const isEnough = async () => (await sentBy(who)) > share * ENTRIES
              await machine.kill(isEnough, "memory", "share", "on", "--team", "readers")
              tally.kills++
            }
            await machine.json("memory", "share", "on", "--team", "readers")
            await machine.json("memory", "purge", ...ids.slice(0, 3))
            tally.purges += 3
          }),
        )
        for (const machine of machines) await machine.json("memory", "sync")
        const first = await digestOf(machines[0]!)
        for (const machine of machines) expect(await digestOf(machine)).toEqual(first)
        tally.entries = first.entries
        expect(tally.entries).toBe(CLIENTS * (ENTRIES - 3))
        noteFigures("team memory", tally)
      } finally {
        for (const machine of machines) await machine[Symbol.asyncDispose]()
      }
    },
    isLong ? 1_200_000 : 120_000,
  )

  test("continue a first synchronisation where it was cut off", async () => {
    const { postgres } = team
    const [known] = await postgres.query("SELECT max(subject) AS subject FROM aman.memory_subjects")
    const copy = (column: string) => `left(${column}, 16) || lpad(n::text, 4, '0')`
    const copies = "CROSS JOIN generate_series(1, 600) AS n WHERE subject = "
    await postgres.query(`
      INSERT INTO aman.memory_subjects (subject, owner_id, visibility, repository_id, team_id)
      SELECT ${copy("subject")}, owner_id, visibility, repository_id, team_id
      FROM aman.memory_subjects ${copies} '${known!["subject"]}'`)
    await postgres.query(`
      INSERT INTO aman.memory_events (id, at, subject, body, owner_id)
      SELECT ${copy("id")}, at, ${copy("subject")}, body, owner_id FROM (
        SELECT * FROM aman.memory_events WHERE subject = '${known!["subject"]}' ORDER BY seq LIMIT 1) AS first
      ${copies} '${known!["subject"]}'`)
    const all = Number((await postgres.query("SELECT count(*) AS n FROM aman.memory_events"))[0]!["n"])
    await using machine = new Machine(team)
    await machine.join(repository, await team.token("late", "open"))
    machine.maxPulls = 1
    const question = ["recall", "--team", "*", "fact"] as const
    const cut = await machine.json(...question)
    expect([cut.results.length, cut.notices.join()]).toEqual([
      10,
      expect.stringContaining("were received before"),
    ])
    machine.maxPulls = Number.POSITIVE_INFINITY
    expect((await machine.json(...question)).notices).toEqual([])
    const [first, ...others] = machine.pulls
    expect([first, others.length, others.every((after) => after !== "")]).toEqual([
      "",
      Math.ceil(all / 500),
      true,
    ])
  })

  async function sentBy(who: number): Promise<number> {
    const [row] = await team.postgres.query(
      `SELECT count(*) AS n FROM aman.memory_events WHERE body LIKE '%"killed-${who}"%'`,
    )
    return Number(row!["n"])
  }

  /** The number and the hash of all entries that each topic of this test has on the machine. */
  async function digestOf(machine: Machine): Promise<{ entries: number; hash: string }> {
    const all: string[] = []
    for (let who = 0; who < CLIENTS; who++) {
      const { results } = await machine.json(
        "recall",
        "--team",
        "*",
        "--limit",
        "1000",
        "--topic",
        `killed-${who}`,
        "fact",
      )
      all.push(
        ...results.map(({ id, text, author, revision }: Answer) =>
          JSON.stringify([id, text, author, revision]),
        ),
      )
    }
    return { entries: all.length, hash: String(Bun.hash(all.sort().join("\n"))) }
  }
})
