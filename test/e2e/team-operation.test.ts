import { afterAll, beforeAll, describe, expect, test } from "bun:test"
import { commit, write } from "../git-repository.ts"
import { hasPostgres } from "../postgres.ts"
import { binary } from "./harness.ts"
import { type Answer, TeamSpace } from "./team-space.ts"

const METRICS = "token-of-the-operators"

describe.skipIf(!hasPostgres)("operating a team's server", () => {
  let team: TeamSpace
  let names: Record<"open", string>
  let ada: string

  beforeAll(async () => {
    team = await TeamSpace.start()
    names = await team.add({ open: { "a.ts": "export function openDoor() {}\n" } })
    ada = await team.token("ada", "open")
  }, 60_000)
  afterAll(() => team?.[Symbol.asyncDispose]())

  const get = async (path: string, token?: string) => {
    const headers: Record<string, string> = token === undefined ? {} : { authorization: `Bearer ${token}` }
    const response = await fetch(`${team.url}${path}`, { headers })
    return { status: response.status, text: await response.text() }
  }

  test("shows metrics to operators only, and logs requests as JSON without their content", async () => {
    const node = await team.serve(["--log", "json"], { AMAN_TEAM_METRICS_TOKEN: METRICS })
    await team.ask(ada, "/v1/search", { query: "openDoor hidden words" })
    await team.ask(ada, "/v1/read", { repository: "nowhere", path: "a.ts" })
    const gone = team.box.folder("gone")
    await team.admin("add", "--unchecked", gone)
    for (const token of [undefined, ada, "wrong"]) expect((await get("/metrics", token)).status).toBe(401)
    const { status, text } = await get("/metrics", METRICS)
    expect(status).toBe(200)
    const value = (series: string) =>
      Number(
        text
          .split("\n")
          .find((line) => line.startsWith(`${series} `))
          ?.split(" ")
          .at(-1),
      )
    expect(value('aman_team_jobs{state="waiting"}')).toBe(1)
    expect(value(`aman_team_lag_seconds{repository="${names.open}"}`)).toBe(0)
    expect(value(`aman_team_lag_seconds{repository="${gone}"}`)).toBeGreaterThan(0)
    expect(value("aman_team_cache_revisions")).toBe(1)
    expect(value("aman_team_cache_bytes")).toBeGreaterThan(1000)
    expect(value("aman_team_denied")).toBe(4)
    expect(value('aman_team_request_seconds_count{route="/v1/search",status="200"}')).toBe(1)
    expect(value('aman_team_request_seconds_bucket{le="+Inf",route="/v1/read",status="404"}')).toBe(1)
    expect(value('aman_team_request_seconds_count{route="/metrics",status="401"}')).toBe(3)
    await team.admin("remove", gone)
    expect((await get("/metrics", METRICS)).text).not.toContain(gone)
    // As Prometheus reads it: every sample follows the type of its metric.
    for (const line of text.split("\n").filter(Boolean))
      expect(line).toMatch(/^(?:# (?:HELP|TYPE) [a-z_]+ .+|[a-z_]+(?:\{.*\})? [\d.e+-]+)$/)

    node.process.kill("SIGTERM")
    expect(await node.process.exited).toBe(143)
    const lines = (await node.process.stderr.text()).trim().split("\n")
    const events = lines.map((line) => JSON.parse(line) as Answer)
    expect(events).toContainEqual({
      ...{ time: expect.any(String), level: "info", event: "request", method: "POST" },
      ...{ route: "/v1/search", status: 200, ms: expect.any(Number) },
    })
    expect(events.at(-1)).toMatchObject({ event: "draining" })
    expect(lines.join()).not.toMatch(/hidden words|token-of/)
  })

  test("finishes what it answers and says that it is draining when it is asked to end", async () => {
    const node = await team.serve(["--drain", "1"])
    expect(await get("/health")).toEqual({ status: 200, text: '{"status":"ok"}' })
    // The database locks the table of tokens, so that the request is in progress when the signal comes.
    const release = await team.postgres.lock("aman.tokens")
    const running = team.ask(ada, "/v1/search", { query: "openDoor" })
    await Bun.sleep(100)
    node.process.kill("SIGTERM")
    while ((await get("/health")).status === 200) await Bun.sleep(10)
    expect(await get("/health")).toEqual({ status: 503, text: '{"status":"draining"}' })
    const late = team.ask(ada, "/v1/search", { query: "openDoor" })
    // Longer than the usual two seconds for ending.
    await Bun.sleep(2500)
    expect(node.process.exitCode).toBeNull()
    await release()
    for (const each of [await running, await late]) {
      expect(each.status).toBe(200)
      expect(each.answer.results[0].path).toBe("a.ts")
    }
    expect(await node.process.exited).toBe(143)
  })

  test.skipIf(process.env["AMAN_TEST_DATABASE_URL"] !== undefined)(
    "a worker waits while the database is away, says so once, and then goes on",
    async () => {
      await using own = await TeamSpace.start()
      const name = own.box.repository("kept", { "a.ts": "export const a = 1\n" })
      const worker = Bun.spawn([binary, "team", "worker", "--log", "json", "--log-level", "warn", "--json"], {
        ...{ cwd: own.space.project, env: { ...own.space.env, ...own.env }, stdout: "pipe", stderr: "pipe" },
      })
      const output = worker.stdout.pipeThrough(new TextDecoderStream()).getReader()
      const published = async () => {
        for (let text = ""; !text.includes('"published"'); text += (await output.read()).value);
      }
      const logged: string[] = []
      const ended = (async () => {
        for await (const chunk of worker.stderr) logged.push(Buffer.from(chunk).toString())
      })()
      await own.admin("add", name)
      await published()
      await own.postgres.stop()
      while (logged.length === 0) await Bun.sleep(20)
      // Longer than the first pause, so that a second try fails as well.
      await Bun.sleep(1500)
      await own.postgres.resume()
      write(name, "b.ts", "export const b = 2\n")
      commit(name, "b")
      await own.admin("sync", name)
      await published()
      worker.kill("SIGTERM")
      await ended
      const events = logged
        .join("")
        .trim()
        .split("\n")
        .map((line) => JSON.parse(line) as Answer)
      expect(events).toMatchObject([
        {
          event: "the worker waits and tries again",
          error: expect.stringContaining("the team's database cannot be reached"),
        },
        { event: "the worker goes on", failures: expect.any(Number) },
      ])
      expect(await worker.exited).toBe(143)
    },
    60_000,
  )

  test("a database that a newer aman has migrated is refused and left as it is", async () => {
    await team.postgres.query("UPDATE aman.schema SET version = version + 90")
    const before = await team.postgres.query("SELECT version FROM aman.schema")
    for (const args of [["repos"], ["worker", "--once"], ["serve", "--port", "0", "--name", "older"]]) {
      const { code, stderr } = await team.space.run(["team", ...args], { env: team.env })
      expect([code, stderr]).toEqual([3, expect.stringMatching(/migrated by a newer aman[\s\S]+update aman/)])
    }
    expect(await team.postgres.query("SELECT version FROM aman.schema")).toEqual(before)
    await team.postgres.query("UPDATE aman.schema SET version = version - 90")
  })

  test("a worker logs its jobs as JSON", async () => {
    await team.admin("sync")
    const worker = Bun.spawn([binary, "team", "worker", "--once", "--quiet", "--log", "json"], {
      ...{ cwd: team.space.project, env: { ...team.space.env, ...team.env }, stderr: "pipe" },
    })
    expect(await worker.exited).toBe(0)
    const events = (await worker.stderr.text())
      .trim()
      .split("\n")
      .map((line) => JSON.parse(line) as Answer)
    expect(events.map(({ event, outcome }) => [event, outcome])).toEqual([
      ["job", "started"],
      ["job", "unchanged"],
    ])
  })
})
