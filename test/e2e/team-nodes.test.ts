import { afterAll, beforeAll, describe, expect, test } from "bun:test"
import { copyFileSync, mkdirSync, readdirSync, rmSync } from "node:fs"
import { join } from "node:path"
import { holderOf, type LiveNode } from "../../packages/team/node/other-nodes.ts"
import { folderName } from "../../src/ask/index.ts"
import { moduleOf } from "../modules.ts"
import { hasPostgres } from "../postgres.ts"
import { binary } from "./harness.ts"
import { type Answer, type Node, TeamSpace } from "./team-space.ts"

const COUNT = 8
const NAMES = Array.from({ length: COUNT }, (_, at) => `r${at}`)
const QUERIES = [
  "common_step",
  "class Base1",
  "how does fogu the haje of kilo",
  "walrusd",
  "no_such_word_anywhere",
  "walrusd commmon",
]

/** Text searches: whole answers, pages, few tokens, a path that one repository has, and nothing found. */
const TEXTS = [
  { query: "common_step" },
  { query: "common_step", offset: 3, limit: 9 },
  { query: "common_step", limit: 30, tokens: 300 },
  { query: "def \\w+\\(", mode: "regex", offset: 40, limit: 5 },
  { query: "value", paths: ["r3.py"] },
  { query: "value", paths: ["no_such_file.py"] },
  { query: "no_such_word_anywhere" },
]
const SYMBOLS = [
  { name: "common_step" },
  { name: "common_step", relation: "references", limit: 100 },
  { name: "walrusd", relation: "references" },
  { name: "fogu", relation: "callers" },
  { name: "no_such_name_anywhere" },
  { relation: "outline", path: "r3.py" },
]
/** Their totals count what was read so far, which differs; the places do not. */
const SYMBOL_PAGES = [0, 7, 14].map((offset) => ({
  name: "common_step",
  relation: "references",
  limit: 7,
  offset,
}))

/** Each repository has modules of its own, a word that no other has, and a file that is named like the repository. */
function filesOf(at: number): Record<string, string> {
  const modules = Array.from({ length: 4 }, (_, file) => moduleOf(at * 4 + file, 0))
  return {
    ...Object.fromEntries(modules),
    [`r${at}.py`]: `def start(value):\n    return fogu(common_step(value))\n`,
    "own.py": `def walrus${"abcdefgh"[at]}(value):\n    return common_step(value)\n`,
  }
}

describe.skipIf(!hasPostgres)("nodes that divide a team's repositories", () => {
  let team: TeamSpace
  let names: Record<string, string>
  let ada: string
  let first: Node
  let second: Node

  beforeAll(async () => {
    team = await TeamSpace.start()
    names = await team.add(Object.fromEntries(NAMES.map((name, at) => [name, filesOf(at)])))
    ada = await team.token("ada", ...NAMES)
    first = await team.serve(["--name", "first", "--processes", "1"])
  }, 120_000)
  afterAll(() => team?.[Symbol.asyncDispose]())

  const askOn = async (node: Node, query: string, more: object = {}, token = ada): Promise<Answer> => {
    team.url = node.url
    const { status, answer } = await team.ask(token, "/v1/search", { query, ...more })
    expect(status).toBe(200)
    const { took_ms: _, ...rest } = answer
    return rest
  }
  /** The answers to several requests, without the time that they took. */
  const allOn = async (node: Node, path: string, requests: readonly object[]): Promise<Answer[]> => {
    team.url = node.url
    const answers = await Promise.all(requests.map((request) => team.ask(ada, path, request)))
    return answers.map(({ status, answer: { took_ms: _, ...rest } }) => ({ status, ...rest }))
  }
  const pagesOn = async (node: Node) =>
    (await allOn(node, "/v1/symbol", SYMBOL_PAGES)).map(({ references }) => references)
  /** Names of the repositories whose index a node has on its disk. */
  const heldBy = async (name: string) => {
    const rows = await team.postgres.query(
      "SELECT r.name, encode(v.manifest, 'hex') AS manifest FROM aman.repositories r JOIN aman.revisions v ON v.id = r.revision_id",
    )
    const nodes = join(team.space.home, ".local/share/aman/team/nodes")
    const folder = folderName(name)
    const present = new Set(readdirSync(join(nodes, folder, "revisions")))
    return rows
      .flatMap((row) => (present.has(row["manifest"] as string) ? [row["name"] as string] : []))
      .sort()
  }

  test("does not open repositories that contain no word of the question", async () => {
    const { results, partial, repositories } = await askOn(first, "walrusd")
    expect(results[0]).toMatchObject({ repository: names["r3"], path: "own.py" })
    expect(new Set(results.map(({ repository }: Answer) => repository)).size).toBe(1)
    expect([partial, repositories.length]).toEqual([null, COUNT])
    expect(await heldBy("first")).toEqual([names["r3"]!])
  })

  test("searches for guessed names as well as for the words of the question", async () => {
    for (const names of [["walrusd", "no_such_guess"], "walrusd no_such_guess"]) {
      const { results } = await askOn(first, "an animal with long teeth", { names })
      expect(results[0]).toMatchObject({ path: "own.py" })
      expect(results[0].text).toContain("walrusd")
    }
  })

  test("corrects a word only if no repository contains it", async () => {
    // Each of the two words differs by one letter from a word of the other repository.
    const known = await askOn(first, "walrusd walruse")
    const found = known.results.slice(0, 2).map(({ repository }: Answer) => repository)
    expect([known.notices, new Set(found)]).toEqual([[], new Set([names["r3"], names["r4"]])])
    const { notices } = await askOn(first, "walrusd commmon")
    expect(notices).toEqual([`${names["r3"]}: nothing contains \`commmon\`; searched for \`common\``])
  })

  test("answers alike from clones, from one node and from two, each of which holds its part", async () => {
    const local = { AMAN_REPOS_URLS: Object.values(names).reverse().join(",") }
    const explain = { explain: true }
    expect((await team.space.run(["repos", "sync", "--quiet"], { env: local })).code).toBe(0)
    const alone = await Promise.all(QUERIES.map((query) => askOn(first, query, explain)))
    for (const [at, query] of QUERIES.entries()) {
      const args = ["search", "--explain", "--repository", "*", query] as const
      const { stdout } = await team.space.run([...args, "--json"], { env: local })
      expect(alone[at].results).toEqual(JSON.parse(stdout).results)
    }
    const lines = await allOn(first, "/v1/grep", TEXTS)
    const pages = await pagesOn(first)
    const places = await allOn(first, "/v1/symbol", SYMBOLS)
    // Symbols are listed in the order of the settings.
    const inOrder = { AMAN_REPOS_URLS: Object.values(names).join(",") }
    const here = await team.space.json(["symbol", "common_step", "--repository", "*"], { env: inOrder })
    expect(places[0].definitions).toEqual(here.definitions)
    second = await team.serve(["--name", "second", "--processes", "1"])
    expect(await allOn(second, "/v1/grep", TEXTS)).toEqual(lines)
    expect(await pagesOn(second)).toEqual(pages)
    expect(await allOn(second, "/v1/symbol", SYMBOLS)).toEqual(places)
    for (const [at, query] of QUERIES.entries())
      expect(await askOn(second, query, explain)).toEqual(alone[at])
    const rows = await team.postgres.query("SELECT id, name FROM aman.repositories")
    const nodes = (await team.postgres.query("SELECT id, name, url FROM aman.nodes")) as LiveNode[]
    expect(nodes).toHaveLength(2)
    const own = rows.filter(({ id }) => holderOf(String(id), nodes)!.name === "second")
    expect(await heldBy("second")).toEqual(own.map(({ name }) => name as string).sort())

    // Text of the results, in the passages that agents get, and a question about one repository.
    const shown = { passage_tokens: 800, limit: 5 }
    expect(await askOn(second, "common_step", shown)).toEqual(await askOn(first, "common_step", shown))
    for (const name of NAMES.slice(0, 3)) {
      const about = { repository: names[name] }
      expect(await askOn(second, "common_step", about)).toEqual(await askOn(first, "common_step", about))
    }
    const bob = await team.token("bob", "r1")
    const { results } = await askOn(second, "common_step", {}, bob)
    expect(new Set(results.map(({ repository }: Answer) => repository))).toEqual(new Set([names["r1"]]))
    const forged = await fetch(`${second.url}/v1/node`, {
      ...{ method: "POST", headers: { authorization: "Node e30.AAAA" } },
      body: JSON.stringify({ call: "read", wanted: names["r1"], request: { path: "own.py" } }),
    })
    expect(forged.status).toBe(401)
  }, 60_000)

  test("answers completely while a node hangs and after it was killed", async () => {
    const whole = await askOn(second, "common_step")
    first.process.kill("SIGSTOP")
    expect(await askOn(second, "common_step")).toEqual(whole)
    first.process.kill("SIGKILL")
    await first.process.exited
    expect(await askOn(second, "common_step")).toEqual(whole)
    expect(await heldBy("second")).toEqual(Object.values(names).sort())
  }, 60_000)

  test("three processes of a node answer as one, and one that is killed is replaced", async () => {
    const whole = await askOn(second, "common_step")
    second.process.kill("SIGTERM")
    // As behind a proxy: other machines' nodes are told an address through which they reach each process.
    const away = ["--host", "0.0.0.0", "--behind-proxy", "--advertise", "http://127.0.0.1:1"]
    const served = await team.serve([...away, "--name", "many", "--processes", "3"], {
      AMAN_TEAM_METRICS_TOKEN: "metrics",
    })
    const node = { ...served, url: served.url.replace("0.0.0.0", "127.0.0.1") }
    const figure = async (name: string) => {
      const headers = { authorization: "Bearer metrics" }
      const text = await (await fetch(`${node.url}/metrics`, { headers })).text()
      return Number(new RegExp(`^${name} (\\d+)$`, "m").exec(text)![1])
    }
    const untilRunning = async () => {
      while ((await figure("aman_team_processes")) !== 3) await Bun.sleep(50)
    }
    await untilRunning()
    expect(await askOn(node, "common_step")).toEqual(whole)
    const held = [await heldBy("many"), await heldBy("many/2"), await heldBy("many/3")]
    expect(held.flat().sort()).toEqual(Object.values(names).sort())
    expect(held.every((each) => each.length > 0)).toBe(true)
    expect([await figure("aman_team_open_revisions"), await figure("aman_team_cache_revisions")]).toEqual([
      COUNT,
      COUNT,
    ])
    const [row] = await team.postgres.query("SELECT url FROM aman.nodes WHERE name = 'many/2'")
    expect(row).toEqual({ url: "http://127.0.0.1:1/process/2" })
    const through = await fetch(`${node.url}/process/2/v1/node`, { method: "POST", body: "{}" })
    expect([through.status, JSON.stringify(await through.json())]).toEqual([
      401,
      expect.stringContaining("only nodes"),
    ])

    const children = async () => (await Bun.$`pgrep -P ${node.process.pid}`.text()).trim().split("\n")
    const [killed, ...others] = await children()
    process.kill(Number(killed), "SIGKILL")
    expect(await askOn(node, "common_step")).toEqual(whole)
    while ((await children()).length < 2) await Bun.sleep(50)
    await untilRunning()
    expect(await askOn(node, "common_step")).toEqual(whole)
    const last = [...others, ...(await children())]
    node.process.kill("SIGTERM")
    expect(await node.process.exited).toBe(143)
    for (const pid of last) expect(() => process.kill(Number(pid), 0)).toThrow()
    expect(await node.process.stderr.text()).toContain("started again")

    // Without an address for other machines, none may take a process's own address for one on that machine.
    await team.serve(["--host", "0.0.0.0", "--behind-proxy", "--name", "alone", "--processes", "2"])
    const urls = () => team.postgres.query("SELECT url FROM aman.nodes WHERE name LIKE 'alone%'")
    while ((await urls()).length < 2) await Bun.sleep(50)
    expect(await urls()).toEqual([{ url: null }, { url: null }])
  }, 60_000)

  test("stops waiting for a process that hangs, and starts none again while it ends", async () => {
    const start = async (name: string, deadline: string) => {
      const away = ["--host", "0.0.0.0", "--behind-proxy", "--advertise", "http://127.0.0.1:1"]
      const options = ["--deadline", deadline, "--drain", "2", "--log", "json"]
      const node = await team.serve([...away, ...options, "--name", name, "--processes", "2"])
      const found = () => team.postgres.query(`SELECT 1 FROM aman.nodes WHERE name = '${name}/2'`)
      while ((await found()).length === 0) await Bun.sleep(50)
      const child = Number(await Bun.$`pgrep -P ${node.process.pid}`.text())
      process.kill(child, "SIGSTOP")
      const url = `${node.url.replace("0.0.0.0", "127.0.0.1")}/process/2/v1/node`
      const ask = (signal: AbortSignal) => fetch(url, { method: "POST", body: "{}", signal })
      return { node, child, ask }
    }
    const never = new AbortController().signal
    // Of a start with three processes.
    const nodes = join(team.space.home, ".local/share/aman/team/nodes")
    mkdirSync(join(nodes, folderName("late/3"), "revisions"), { recursive: true })
    const late = await start("late", "1")
    expect(readdirSync(nodes)).not.toContain(folderName("late/3"))
    expect((await late.ask(never)).status).toBe(503)
    process.kill(late.child, "SIGCONT")

    const { node, child, ask } = await start("left", "25")
    const lines = node.process.stderr.pipeThrough(new TextDecoderStream())
    const gone = new AbortController()
    const asked = ask(gone.signal).catch(() => null)
    await Bun.sleep(100)
    gone.abort()
    expect(await asked).toBeNull()
    let [logged, isEnding] = ["", false]
    for await (const text of lines) {
      logged += text
      if (isEnding || !logged.includes('"route":"/v1/node","status":503')) continue
      isEnding = true
      // As systemd ends them: all at once.
      node.process.kill("SIGTERM")
      process.kill(child, "SIGTERM")
      process.kill(child, "SIGCONT")
    }
    expect(logged).toContain("draining")
    expect(logged).not.toContain("started again")
    expect(await node.process.exited).toBe(143)
  }, 60_000)

  test("goes on without a process that cannot be started again", async () => {
    const program = join(team.space.dir, "aman")
    copyFileSync(binary, program)
    const node = await team.serve(["--name", "replaced", "--processes", "2"], {}, program)
    const found = () => team.postgres.query("SELECT 1 FROM aman.nodes WHERE name = 'replaced/2'")
    while ((await found()).length === 0) await Bun.sleep(50)
    const child = Number(await Bun.$`pgrep -P ${node.process.pid}`.text())
    rmSync(program)
    process.kill(child, "SIGKILL")
    let logged = ""
    for await (const text of node.process.stderr.pipeThrough(new TextDecoderStream())) {
      logged += text
      if (/started again.*ENOENT/.test(logged)) break
    }
    expect((await fetch(`${node.url}/health`)).status).toBe(200)
    expect(node.process.exitCode).toBeNull()
  }, 60_000)
})
