import { afterAll, beforeAll, describe, expect, test } from "bun:test"
import { rmSync } from "node:fs"
import { join } from "node:path"
import { commit, git, write } from "../git-repository.ts"
import { hasPostgres } from "../postgres.ts"
import { type Connection, connect } from "./connect.ts"
import { Workspace } from "./harness.ts"
import { type Answer, TeamSpace } from "./team-space.ts"

const FILES = {
  "src/define.ts": "export function retryTimes(): number {\n  return 1\n}\n",
  "src/same.ts": 'import { retryTimes } from "./define.ts"\nexport const same = retryTimes()\n',
  "src/edited.ts": 'import { retryTimes } from "./define.ts"\nexport const edited = retryTimes()\n',
  "src/deleted.ts": 'import { retryTimes } from "./define.ts"\nexport const deleted = retryTimes()\n',
  "src/newer.ts": "export const newer = 1\n",
  "gone/one.ts": "export function zebraCrossing(): number {\n  return 1\n}\n",
  "gone/two.ts": "export function crossingZebra(): number {\n  return 2\n}\n",
}
const OTHER = {
  "main.ts": 'import { retryTimes } from "library"\nexport const start = retryTimes()\n',
  "animals.ts": "// Here is a zebra, far from any crossing.\nexport const stripes = 1\n",
  "queue.ts": "export function drainQueue(): number {\n  return 3\n}\n",
}

describe.skipIf(!hasPostgres)("text searches and symbols of the team in a checkout", () => {
  let team: TeamSpace
  let names: Record<"library" | "other", string>
  let own: string
  let other: string
  const checkout = new Workspace()
  let client: Connection

  beforeAll(async () => {
    team = await TeamSpace.start()
    names = await team.add({ library: FILES, other: OTHER })
    ;[own, other] = [`team:${names.library}`, `team:${names.other}`]
    await team.serve()
    git(checkout.project, "clone", "-q", names.library, ".")
    // The team has a commit that the checkout lacks.
    write(names.library, "src/newer.ts", "export const newer = retryTimes()\n")
    write(
      names.library,
      "src/upstream.ts",
      'import { retryTimes } from "./define.ts"\nexport function onlyUpstream(): number {\n  return retryTimes()\n}\n',
    )
    commit(names.library, "later")
    await team.admin("sync", names.library)
    const worker = await team.space.run(["team", "worker", "--once", "--quiet"], { env: team.env })
    expect(worker.code).toBe(0)
    checkout.write(
      "src/edited.ts",
      'import { retryTimes } from "./define.ts"\n\nexport const b = retryTimes()\n',
    )
    checkout.write(
      "src/own.ts",
      'import { retryTimes } from "./define.ts"\nexport const own = retryTimes()\n',
    )
    rmSync(join(checkout.project, "src/deleted.ts"))
    rmSync(join(checkout.project, "gone"), { recursive: true })
    const login = await checkout.run(["team", "login", team.url], {
      stdin: await team.token("ada", "library", "other"),
    })
    expect(login.code).toBe(0)
    await checkout.json(["index"])
    client = await connect(checkout)
  }, 60_000)
  afterAll(async () => {
    await client?.[Symbol.asyncDispose]()
    checkout[Symbol.dispose]()
    await team?.[Symbol.asyncDispose]()
  })

  const grep = async (args: object): Promise<Answer> => {
    const question = { query: "retryTimes(", mode: "exact", repository: "team:*", ...args }
    const { structuredContent, content } = await client.call("search", question)
    if (structuredContent === undefined) throw new Error(content[0]!.text)
    return structuredContent
  }
  const placesOf = ({ results }: Answer) => results.map(({ repository, path }: Answer) => [repository, path])
  const EXPECTED = () => [
    [own, "src/define.ts"],
    [own, "src/edited.ts"],
    [own, "src/own.ts"],
    [own, "src/same.ts"],
    [own, "src/upstream.ts"],
    [other, "main.ts"],
  ]

  test("a text search shows edited and new files as they are here, no deleted ones, and files that only the team has", async () => {
    const found = await grep({})
    expect(placesOf(found)).toEqual(EXPECTED())
    expect(found).toMatchObject({ files: 6, matches: 6, complete: true, next_offset: null, notices: [] })
    expect(found.results[1].text).toContain("3:export const b")
    expect(found.commits).toEqual([
      { repository: own, commit: git(names.library, "rev-parse", "HEAD") },
      { repository: other, commit: git(names.other, "rev-parse", "HEAD") },
    ])
    const typed = await checkout.json(["grep", "-F", "--team", "*", "--json", "retryTimes("])
    expect(placesOf({ results: typed.files })).toEqual(EXPECTED())
    expect(typed.commits).toEqual(found.commits)
    const named = await checkout.run(["grep", "-l", "--team", "*", "retryTimes", "src/own.ts"])
    expect([named.code, named.stdout]).toEqual([0, `${own} src/own.ts\n`])
  })

  test("a ranked search shows a new file although the team's commit of the repository has none of its words", async () => {
    checkout.write("src/throttle.ts", "export function zymurgy(): number {\n  return 2\n}\n")
    await checkout.json(["index"])
    const { structuredContent } = await client.call("search", {
      query: "zymurgy",
      repository: "team:*",
    })
    const [first, ...rest] = placesOf(structuredContent!)
    expect(first).toEqual([own, "src/throttle.ts"])
    expect(rest.filter(([repository]: string[]) => repository === other)).toEqual([])
    rmSync(join(checkout.project, "src/throttle.ts"))
    await checkout.json(["index"])
  })

  test("a ranked search orders files of the checkout and of the team on one scale, page by page", async () => {
    checkout.write("src/weak.ts", "// Another job drains the queue: see drainQueue.\nexport const weak = 1\n")
    await checkout.json(["index"])
    const search = (...args: string[]) => checkout.json(["search", "--team", "*", ...args, "drainQueue"])
    const { results, notices, repositories } = await search("--limit", "6")
    expect(placesOf({ results }).slice(0, 2)).toEqual([
      [other, "queue.ts"],
      [own, "src/weak.ts"],
    ])
    expect(results[1].score).toBeLessThan(results[0].score)
    expect(notices).toEqual([expect.stringContaining("that differ here are shown as they are here: ")])
    expect(repositories.map(({ repository }: Answer) => repository).sort()).toEqual([own, other].sort())
    const second = await search("--limit", "2", "--offset", "2")
    expect(placesOf(second)).toEqual(placesOf({ results }).slice(2, 4))
    rmSync(join(checkout.project, "src/weak.ts"))
    await checkout.json(["index"])
  })

  test("a ranked search finds the team's files that follow those deleted here", async () => {
    const found = await checkout.json(["search", "--team", "*", "--limit", "1", "zebra crossing"])
    expect(placesOf(found)).toEqual([[other, "animals.ts"]])
    expect(found.nearest_only).toBeUndefined()
  })

  test("a ranked search keeps an operator that only the checkout or only the team can satisfy", async () => {
    const search = (query: string) => checkout.json(["search", "--team", "*", query])
    expect(placesOf(await search("file:main retryTimes"))).toEqual([[other, "main.ts"]])
    expect(placesOf(await search("file:own retryTimes"))).toEqual([[own, "src/own.ts"]])
    const dropped = await search("file:nowhere drainQueue")
    expect(placesOf(dropped)[0]).toEqual([other, "queue.ts"])
    expect(dropped.notices.join()).toContain("nothing found with file:nowhere; searched without it")
  })

  test("pages of a text search continue from the checkout to the team, without gap or repetition", async () => {
    const places: unknown[] = []
    for (let offset: number | null = 0; offset !== null; ) {
      const page = await grep({ limit: 2, offset })
      expect([page.files, page.matches]).toEqual([6, 6])
      expect(page.results.length).toBe(2)
      places.push(...placesOf(page))
      offset = page.next_offset
    }
    expect(places).toEqual(EXPECTED())
  })

  test("a question about one repository is shadowed, one about another is not", async () => {
    expect(placesOf(await grep({ repository: own }))).toEqual(EXPECTED().slice(0, 5))
    expect(placesOf(await grep({ repository: other }))).toEqual(EXPECTED().slice(5))
    expect(placesOf(await grep({ path: "src/own.ts" }))).toEqual([[own, "src/own.ts"]])
    expect((await grep({ query: "newer = retryTimes" })).files).toBe(0)
    const missing = await client.call("search", {
      query: "x",
      mode: "exact",
      repository: "team:*",
      path: "no.ts",
    })
    expect([missing.isError, missing.content[0]!.text]).toEqual([true, expect.stringContaining("no.ts")])
  })

  test("references of a symbol are those of the checkout, of the team's newer files and of other repositories", async () => {
    const found = await checkout.json(["symbol", "retryTimes", "--references", "--team", "*"])
    const lines = found.references.map(({ repository, path, line }: Answer) => [repository, path, line])
    const unique = [...new Set(lines.map(String))]
    expect(unique).toEqual([
      `${own},src/edited.ts,1`,
      `${own},src/edited.ts,3`,
      `${own},src/own.ts,1`,
      `${own},src/own.ts,2`,
      `${own},src/same.ts,1`,
      `${own},src/same.ts,2`,
      `${own},src/upstream.ts,1`,
      `${own},src/upstream.ts,3`,
    ])
    expect(found.total).toBe(lines.length)
    expect(found.unresolved.places.map(({ repository }: Answer) => repository)).toEqual([other, other])
    expect(found.notices.join()).not.toContain("as of commit")

    const paged: unknown[] = []
    for (let offset: number | null = 0; offset !== null; ) {
      const args = ["--references", "--team", "*", "-n", "3", "--offset", `${offset}`]
      const page = await checkout.json(["symbol", "retryTimes", ...args])
      paged.push(...page.references)
      offset = page.next_offset
    }
    expect(paged).toEqual(found.references)
    const byAgent = await client.call("symbol", {
      name: "retryTimes",
      relation: "references",
      repository: "team:*",
    })
    expect(byAgent.structuredContent.references).toEqual(found.references)
  })

  test("definitions are found on either side", async () => {
    const definitions = async (name: string, repository = "*") =>
      (await checkout.json(["symbol", name, "--team", repository])).definitions.map((each: Answer) => [
        ...[each.repository, each.path, each.start_line],
      ])
    expect(await definitions("b")).toEqual([[own, "src/edited.ts", 3]])
    expect(await definitions("onlyUpstream")).toEqual([[own, "src/upstream.ts", 2]])
    expect(await definitions("start")).toEqual([[other, "main.ts", 2]])
    expect(await definitions("retryTimes", names.library)).toEqual([[own, "src/define.ts", 1]])
    // Only the published commit defines it.
    const deleted = await checkout.run(["symbol", "deleted", "--team", "*"])
    expect([deleted.code, deleted.stderr]).toEqual([1, expect.stringContaining('no definition of "deleted"')])
    const outline = await checkout.json(["symbol", "--outline", "src/own.ts", "--team", names.library])
    expect(outline.outline.map(({ repository, name }: Answer) => [repository, name])).toEqual([[own, "own"]])
    const upstream = await checkout.json(["symbol", "--outline", "src/upstream.ts", "--team", names.library])
    expect(upstream.outline.map(({ name }: Answer) => name)).toEqual(["onlyUpstream"])
    const several = await checkout.run(["symbol", "--central", "--team", "*"])
    expect([several.code, several.stderr]).toEqual([2, expect.stringContaining("about one repository")])
  })

  test("a ranked search shows a file that only the team has, and hides a deleted one", async () => {
    const found = await checkout.json(["search", "--team", "*", "--limit", "20", "retryTimes"])
    const paths = found.results.map(({ path }: Answer) => path)
    expect(paths).toContain("src/upstream.ts")
    expect(paths).toContain("src/own.ts")
    expect(paths).not.toContain("src/deleted.ts")
  })

  test("a context shows edited files as they are here, and one that only the team has", async () => {
    const shown = async (...task: readonly string[]) => {
      const { files } = await checkout.json(["context", "--team", "*", ...task])
      return new Map(
        files.map((file: Answer) => [`${file.repository} ${file.path}`, JSON.stringify(file.snippets)]),
      )
    }
    const files = await shown("retryTimes onlyUpstream b")
    expect(files.get(`${own} src/edited.ts`)).toContain("export const b")
    expect(files.get(`${own} src/upstream.ts`)).toContain("function onlyUpstream")
    expect(files.has(`${own} src/deleted.ts`)).toBe(false)
  })

  test("a path outside of the repository is an unknown name, and a person without rights is told so", async () => {
    const outside = await checkout.run(["read", "--team", names.other, "../secret.ts"])
    expect([outside.code, outside.stderr]).toEqual([1, expect.stringContaining("is outside the repository")])
    const env = { AMAN_TEAM_URL: team.url, AMAN_TEAM_TOKEN: await team.token("nobody") }
    const nothing = await checkout.run(["search", "--team", "*", "retryTimes"], { env })
    expect([nothing.code, nothing.stderr]).toEqual([
      1,
      expect.stringContaining("there is no repository that you can read"),
    ])
  })

  test("a login without a token, with a wrong one, or to no server says what to do, and keeps the old login", async () => {
    const login = async (url: string, stdin: string) => {
      const { code, stderr } = await checkout.run(["team", "login", url], { stdin })
      return [code, stderr]
    }
    expect(await login(team.url, "\n")).toEqual([2, expect.stringContaining("no token given")])
    expect(await login(team.url, "aman_wrong")).toEqual([
      2,
      expect.stringContaining("aman team token PERSON"),
    ])
    expect(await login("http://127.0.0.1:1", "x")).toEqual([3, expect.stringContaining("check the address")])
    expect((await checkout.json(["team", "status"])).principal).toBe("ada")
    const half = await checkout.run(["team", "status"], { env: { AMAN_TEAM_URL: "https://other.example" } })
    expect([half.code, half.stderr]).toEqual([3, expect.stringContaining("without AMAN_TEAM_TOKEN")])
    const added = await team.space.run(["team", "add", "owner-name"], { env: team.env })
    expect([added.code, added.stderr]).toEqual([
      2,
      expect.stringContaining("neither an address nor a folder"),
    ])
    // A login waits 5 s for a server of this machine that is starting.
  }, 30_000)

  test("a clone of a repository that the team does not have tells the server nothing about it", async () => {
    using stranger = new Workspace()
    const name = team.box.repository("private-thing", { "a.ts": "export function retryTimes() {}\n" })
    git(stranger.project, "clone", "-q", name, ".")
    const seen: string[] = []
    // Passes requests on to the node, and keeps what the node gets.
    const proxy = Bun.serve({
      hostname: "127.0.0.1",
      port: 0,
      fetch: async (request) => {
        const body = await request.text()
        seen.push(`${request.url} ${body}`)
        const { method, headers } = request
        const { pathname, search } = new URL(request.url)
        return fetch(
          `${team.url}${pathname}${search}`,
          method === "GET" ? { headers } : { method, headers, body },
        )
      },
    })
    try {
      const login = ["team", "login", `http://127.0.0.1:${proxy.port}`]
      await stranger.run(login, { stdin: await team.token("ada", "library", "other") })
      await stranger.json(["index"])
      const found = await stranger.json(["symbol", "retryTimes", "--team", "*"])
      expect(found.definitions.map(({ repository }: Answer) => repository)).toEqual([own])
      await stranger.json(["search", "retryTimes", "--team", "*"])
      await stranger.run(["read", "--team", names.library, "src/same.ts"])
    } finally {
      await proxy.stop(true)
    }
    expect(seen.length).toBeGreaterThan(4)
    expect(seen.join("\n")).not.toContain("private-thing")
    expect(seen.join("\n")).not.toContain(encodeURIComponent(name))
  })
})
