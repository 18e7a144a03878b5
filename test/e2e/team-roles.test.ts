import { afterAll, beforeAll, describe, expect, test } from "bun:test"
import { readdirSync } from "node:fs"
import { hostname } from "node:os"
import { join } from "node:path"
import { folderName } from "../../src/ask/index.ts"
import { stableId } from "../../src/memory/log/ids.ts"
import { commit, git, write } from "../git-repository.ts"
import { moduleOf } from "../modules.ts"
import { hasPostgres } from "../postgres.ts"
import { binary } from "./harness.ts"
import { type Answer, TeamSpace } from "./team-space.ts"

const AT = "2026-01-01T00:00:00.000Z"

describe.skipIf(!hasPostgres)("roles of the database", () => {
  let team: TeamSpace
  /** Addresses of the database for the role that owns it, which may not create roles, for workers and for nodes. */
  let urls: { readonly owner: string; readonly worker: string; readonly node: string }

  beforeAll(async () => {
    team = await TeamSpace.start()
    const suffix = crypto.randomUUID().slice(0, 8)
    const [owner, worker, node] = ["owner", "worker", "node"].map((kind) => `aman_${kind}_${suffix}`)
    for (const role of [owner, worker, node]) await team.postgres.query(`CREATE ROLE ${role} LOGIN`)
    await team.postgres.query(`CREATE DATABASE ${owner} OWNER ${owner}`)
    const urlOf = (role: string) => {
      const url = new URL(team.postgres.url)
      url.username = role
      url.pathname = `/${owner}`
      return url.href
    }
    urls = { owner: urlOf(owner!), worker: urlOf(worker!), node: urlOf(node!) }
    team.env["AMAN_TEAM_DATABASE"] = urls.owner
    await team.admin("people")
    await team.admin("permit", "worker", worker!)
    await team.admin("permit", "node", node!)
    const name = team.box.repository("open", { "door.ts": "export const door = 1\n" })
    await team.admin("add", name)
    await team.admin("grant", "open", name)
  }, 60_000)
  afterAll(() => team?.[Symbol.asyncDispose]())

  const at = (url: string) => ({ AMAN_TEAM_DATABASE: url })
  const run = (url: string, ...args: readonly string[]) =>
    team.space.run(["team", ...args], { env: { ...team.env, ...at(url) } })
  const id = (text: string) => stableId("test", text)
  const push = async (token: string, subject: string, visibleTo: string, event = subject) => {
    const change = { type: "stored", fields: { project: ".", text: `a note of ${token}` } }
    const entry = {
      subject,
      visible_to: visibleTo,
      repository: null,
      events: [{ id: event, at: AT, subject, change }],
    }
    return (await team.ask(token, "/v1/memory/push", { entries: [entry] })).answer
  }
  const pull = async (token: string, after = ""): Promise<Answer> =>
    (await team.ask(token, "/v1/memory/pull", { after })).answer

  test("a role that may create nothing is told the statement that lets it", async () => {
    const name = `aman_plain_${crypto.randomUUID().slice(0, 8)}`
    await team.postgres.query(`CREATE ROLE ${name} LOGIN`)
    await team.postgres.query(`CREATE DATABASE ${name}`)
    const url = new URL(team.postgres.url)
    url.username = name
    url.pathname = `/${name}`
    const refused = await run(url.href, "people")
    expect(refused.stderr).toContain(`the role "${name}" may not create tables in the database "${name}"`)
    await team.postgres.query(/GRANT CREATE ON DATABASE .+;/.exec(refused.stderr)![0])
    expect((await run(url.href, "people")).code).toBe(0)
  })

  test("a worker and a node work with their own roles, which can do nothing else", async () => {
    expect(await run(urls.worker, "worker", "--once", "--quiet")).toMatchObject({ code: 0 })
    await team.serve([], at(urls.node))
    const ada = await team.token("ada", "open")
    const { answer } = await team.ask(ada, "/v1/search", { query: "door" })
    expect(answer.results.map(({ path }: Answer) => path)).toEqual(["door.ts"])
    expect(await push(ada, id("shared"), "open")).toEqual({ stored: 1, refused: [] })
    for (const url of [urls.worker, urls.node]) {
      const refused = await run(url, "grant", "other", "open")
      expect([refused.code, refused.stderr]).toEqual([3, expect.stringContaining("refused this role")])
    }
    const refusal = (url: string, text: string) => team.postgres.refusal(url, text)
    for (const text of [
      "DROP TABLE aman.tokens",
      "ALTER TABLE aman.memory_events DISABLE ROW LEVEL SECURITY",
      "TRUNCATE aman.audit",
      "DELETE FROM aman.audit",
      "INSERT INTO aman.grants SELECT 1, 1",
      "UPDATE aman.tokens SET revoked_at = NULL",
      "INSERT INTO aman.permitted_roles VALUES ('x', 'node')",
      "CREATE TABLE aman.more (id int)",
    ])
      for (const url of [urls.worker, urls.node])
        expect([text, await refusal(url, text)]).toEqual([
          text,
          expect.stringMatching(/^(?:permission denied|must be owner)/),
        ])
    for (const table of ["tokens", "principals", "memory_events", "signing_key", "audit"])
      expect(await refusal(urls.worker, `SELECT 1 FROM aman.${table}`)).toStartWith("permission denied")
    for (const text of [
      "INSERT INTO aman.repositories (name, url) VALUES ('own', 'own')",
      "INSERT INTO aman.repositories (name, url, branch_patterns) VALUES ('own', 'own', '{x}')",
      "UPDATE aman.repositories SET url = 'own'",
      "UPDATE aman.revisions SET commit_id = ''",
      "UPDATE aman.blobs SET size = 0",
      "DELETE FROM aman.revision_blobs",
      "DELETE FROM aman.blob_parts",
      "UPDATE aman.schema SET version = 0",
    ])
      expect([text, await refusal(urls.worker, text)]).toEqual([
        text,
        expect.stringMatching(/^(?:permission denied|new row violates row-level security)/),
      ])
    // Only branches are rows that it may remove.
    expect(await refusal(urls.worker, "DELETE FROM aman.repositories")).toBeNull()
    expect((await team.admin("repos")).repositories).toHaveLength(1)
    expect(await refusal(urls.node, "UPDATE aman.jobs SET claim = NULL")).toStartWith("permission denied")
    expect(await refusal(urls.node, "INSERT INTO aman.revisions (repository_id) VALUES (1)")).toStartWith(
      "permission denied",
    )
  }, 60_000)

  test("branches of a pattern come and go, cost what they change, and are asked by their names", async () => {
    const modules = Object.fromEntries(Array.from({ length: 40 }, (_, at) => moduleOf(at, 0)))
    const name = team.box.repository("many", modules)
    git(name, "checkout", "-qb", "release/1")
    write(name, "first.ts", "export const walrus = 1\n")
    const first = commit(name, "first")
    git(name, "checkout", "-q", "main")
    git(name, "branch", "topic")
    const patterns = ["--branch", "main", "--branch", "release/*"]
    expect(await team.admin("add", name, ...patterns)).toMatchObject({
      branch: "main",
      branches: ["release/1"],
    })
    await team.admin("grant", "open", name)
    const work = async () => {
      const { stdout } = await run(urls.worker, "worker", "--once", "--json")
      const events = stdout
        .trim()
        .split("\n")
        .map((line) => JSON.parse(line) as Answer)
      return events.filter(({ outcome }: Answer) => outcome === "published")
    }
    const [whole, branch] = await work()
    expect([whole.repository, branch.repository, branch.commit]).toEqual([name, `${name}#release/1`, first])
    expect(branch.stored).toBeLessThan(whole.stored)
    const ada = await team.token("ada", "open")
    const search = async (query: string, repository: string) =>
      (await team.ask(ada, "/v1/search", { query, repository })).answer
    const all = await search("common_step", "*")
    expect(new Set(all.results.map(({ repository }: Answer) => repository))).toEqual(new Set([name]))
    expect(JSON.stringify(await search("walrus", name))).not.toContain("first.ts")
    const [found] = (await search("walrus", "many#release/1")).results
    expect(found).toMatchObject({ repository: `${name}#release/1`, path: "first.ts" })
    expect((await search("common_step", "many#release/1")).results.length).toBe(all.results.length)

    // The default branch gets another name, one release ends and another one begins.
    git(name, "branch", "-m", "main", "trunk")
    git(name, "branch", "-m", "release/1", "release/2")
    write(name, "second.ts", "export const otter = 2\n")
    const second = commit(name, "second")
    await team.admin("sync", name)
    expect((await work()).map(({ repository, commit }: Answer) => [repository, commit])).toEqual([
      [name, second],
      [`${name}#release/2`, first],
    ])
    const { repositories } = await team.admin("repos")
    const named = repositories.map(({ repository }: Answer) => repository)
    expect(named.filter((each: string) => each.startsWith(name))).toEqual([name, `${name}#release/2`])
    for (let at = 0; at <= 50; at++) git(name, "branch", `x/${at}`)
    const refused = await run(urls.owner, "add", name, "--branch", "x/*")
    expect([refused.code, refused.stderr]).toEqual([
      2,
      expect.stringContaining("51 branches match, and at most 50"),
    ])
    await team.admin("remove", name)
    expect((await team.admin("repos")).repositories.length).toBe(1)
    // An idle worker removes the clones and indexes of what the team no longer has.
    const base = join(team.space.home, ".local/share/aman/team/workers", folderName(hostname()))
    const folders = () => ["repos", "indexes"].map((folder) => readdirSync(join(base, folder)).length)
    expect(folders().every((count) => count > 1)).toBe(true)
    const env = { ...team.space.env, ...team.env, ...at(urls.worker) }
    const options = { cwd: team.space.project, env, stdout: "ignore", stderr: "ignore" } as const
    const idle = Bun.spawn([binary, "team", "worker"], options)
    while (folders().some((count) => count > 1)) await Bun.sleep(50)
    idle.kill("SIGTERM")
    await idle.exited
    expect(folders()).toEqual([1, 1])
  }, 60_000)

  test.each(["node", "owner"] as const)(
    "for the role of a %s, somebody's private id and an unknown one get the same answers",
    async (role) => {
      await team.serve(["--name", role], at(urls[role]))
      const [ada, bob] = [await team.token(`ada-${role}`, "open"), await team.token(`bob-${role}`, "open")]
      const [known, unknown, event] = ["known", "unknown", "event"].map((text) => id(`${role} ${text}`))
      expect(await push(ada, known!, "private", event)).toEqual({ stored: 1, refused: [] })
      const before = await pull(bob)
      for (const [subject, own] of [
        [known!, event!],
        [unknown!, id(`${role} other`)],
      ] as const)
        for (const visibleTo of ["private", "open"])
          expect(await push(bob, subject, visibleTo, own)).toEqual({ stored: 1, refused: [] })
      const subjects = (answer: Answer) => answer.events.map(({ subject }: Answer) => subject)
      expect(subjects(await pull(bob, before.next)).sort()).toEqual([known!, unknown!].sort())
      // Ada's own entry stays hers, although Bob shares another one of the same id with her team.
      const { events } = await pull(ada)
      const ofKnown = events.filter(({ subject }: Answer) => subject === known)
      expect(ofKnown.map(({ owner }: Answer) => owner)).toEqual([`ada-${role}`])
      expect((await push(ada, known!, "open", event)).refused[0].reason).toBe("another person has shared it")
      const refused = await push(ada, unknown!, "private", id(`${role} third`))
      expect(refused.refused[0].reason).toBe("another person has shared it")
    },
    60_000,
  )

  test("places in the team's memory show nothing about the events that a person cannot see", async () => {
    const [ada, bob] = [await team.token("eve", "open"), await team.token("mallory", "open")]
    const start = await pull(bob)
    const isPlain = (answer: Answer) => !/"seq"/.test(JSON.stringify(answer))
    expect(isPlain(start)).toBe(true)
    for (let at = 0; at < 3; at++) await push(ada, id(`hidden ${at}`), "private")
    expect(await pull(bob, start.next)).toEqual({ ...start, events: [] })
    await push(bob, id("own"), "private")
    const { next, events } = await pull(bob, start.next)
    expect(events).toHaveLength(1)
    expect(next).toMatch(/^[\w-]{22}$/)
    // Another person's place, or none of this server, is the beginning.
    const all = await pull(bob)
    for (const place of [(await pull(ada)).next, "x".repeat(22), "7"])
      expect(await pull(bob, place)).toEqual(all)
  }, 60_000)
})
