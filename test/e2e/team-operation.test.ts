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
    const problems = async () => JSON.parse((await get("/health", METRICS)).text).problems
    expect((await get("/health", ada)).text).toBe('{"status":"ok"}')
    expect(await problems()).toEqual([])
    const { code } = await team.space.run(["team", "worker", "--once", "--quiet"], { env: team.env })
    expect(code).toBe(3)
    await team.postgres.query(
      `INSERT INTO aman.jobs (repository_id, wanted_at, due_at) SELECT id, now() - interval '1 h', now() - interval '1 h'
       FROM aman.repositories WHERE name = '${names.open}'`,
    )
    expect(await problems()).toEqual([
      {
        kind: "worker",
        message: expect.stringMatching(/^no worker takes jobs: 1 wait, for 36\d\d s$/),
        next: expect.stringContaining("aman team worker"),
      },
      {
        kind: "repository",
        message: expect.stringContaining(`not updated: ${gone} (`),
        next: expect.stringContaining("aman team sync"),
      },
    ])
    expect((await get("/metrics", METRICS)).text).toContain('aman_team_problem{kind="worker"} 1')
    await team.postgres.query("DELETE FROM aman.jobs WHERE wanted_at < now() - interval '59 min'")
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

  test("adds what a list and a forge name, except what is excluded, and tells nobody the token", async () => {
    const forges = {
      github: ["/api/v3/orgs/shop/repos", "clone_url", "authorization", "Bearer of-the-forge"],
      gitlab: ["/api/v4/users/shop/projects", "http_url_to_repo", "private-token", "of-the-forge"],
      gitea: ["/api/v1/orgs/shop/repos", "clone_url", "authorization", "token of-the-forge"],
    } as const
    const asked: string[] = []
    using forge = Bun.serve({
      port: 0,
      fetch(request) {
        const { pathname, searchParams } = new URL(request.url)
        if (pathname === "/api/v1/orgs/endless/repos") return Response.json([{ clone_url: "" }])
        const found = Object.values(forges).find(([path]) => path === pathname)
        if (found === undefined) return new Response("not found", { status: 404 })
        const [, field, header, value] = found
        if (request.headers.get(header) !== value) return new Response("unauthorized", { status: 401 })
        const page = searchParams.get("page")
        asked.push(`${pathname} ${page}`)
        const own = `${new URL(request.url).origin}/shop`
        const named = (name: string, more = {}) => ({
          id: 1,
          name,
          [field]: `${own}/${name}.git`,
          ...more,
        })
        const elsewhere = ["/srv/private", "file:///srv/private", "ssh://git@inside/x", "http://h.example/x"]
        const pages = [
          [named("web"), named("old", { archived: true })],
          [named("Api"), named("tool-fork"), ...elsewhere.map((url) => ({ [field]: url }))],
        ]
        return Response.json(pages[Number(page) - 1] ?? [])
      },
    })
    const env = { ...team.env, AMAN_TEAM_FORGE_TOKEN: "of-the-forge" }
    const add = async (...args: readonly string[]) => {
      const { code, stdout, stderr } = await team.space.run(["team", "add", "--json", ...args], { env })
      expect([code, stdout + stderr]).toEqual([0, expect.not.stringContaining("of-the-forge")])
      return JSON.parse(stdout)
    }
    const exclude = ["--exclude", "*-fork"]
    const [web, api, known] = ["web", "Api", "tool-fork"].map(
      (name) => `127.0.0.1:${forge.port}/shop/${name}`,
    )
    const added = [web, api]
    for (const [at, kind] of Object.keys(forges).entries())
      expect(await add("--from", `${kind}:http://127.0.0.1:${forge.port}/shop`, ...exclude)).toEqual({
        ...(at === 0 ? { added, known: [] } : { added: [], known: added }),
        ...{ excluded: [known], archived: 1, elsewhere: 4 },
      })
    expect(asked.slice(0, 3).map((each) => each.split(" ")[1])).toEqual(["1", "2", "3"])
    const list = `# ours\n\nhttp://${web}\nhttps://h.example/shop/docs\n`
    const listed = await team.space.run(["team", "add", "--from", "-"], { env, stdin: list })
    expect(listed.stdout).toContain("added 1; the team had 1; left out: 0\n  h.example/shop/docs")
    for (const [args, reason, token] of [
      [["--from", "github:http://127.0.0.1:1/shop"], "does not answer"],
      [["--from", `gitea:http://127.0.0.1:${forge.port}/nobody`], "no organisation or person"],
      [["--from", `gitea:http://127.0.0.1:${forge.port}/endless`], "more than 200 pages"],
      [["--from", "nowhere.txt"], "cannot be read"],
      [["--from", "gitlab:http://h.example/shop"], "in the clear"],
      [["--from", "gitlab:http://[h/shop"], "no address of a forge"],
      [["--from", "github:shop"], "is not installed\nhint: set AMAN_TEAM_FORGE_TOKEN", ""],
      [[], "one address, or a list"],
    ] as const) {
      const withoutGit = { ...env, AMAN_TEAM_FORGE_TOKEN: "", PATH: "/nowhere" }
      const { code, stderr } = await team.space.run(["team", "add", ...args], {
        env: token === undefined ? env : withoutGit,
      })
      expect([code > 0, stderr]).toEqual([true, expect.stringContaining(reason)])
      expect(stderr).not.toContain("of-the-forge")
    }
    for (const name of [web!, api!, "h.example/shop/docs"]) await team.admin("remove", name)
  }, 30_000)

  test("finishes what it answers and says that it is draining when it is asked to end", async () => {
    // So long that a busy machine sends the late request in time, too.
    const node = await team.serve(["--drain", "8"])
    expect(await get("/health")).toEqual({ status: 200, text: '{"status":"ok"}' })
    // The database locks the table of tokens, so that the request is in progress when the signal comes.
    const release = await team.postgres.lock("aman.tokens")
    const running = team.ask(ada, "/v1/search", { query: "openDoor" })
    await Bun.sleep(100)
    // Answered after the node has taken the request, which came first.
    await get("/health")
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
  }, 30_000)

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
