import { afterAll, beforeAll, describe, expect, test } from "bun:test"
import { createHmac } from "node:crypto"
import { symlinkSync } from "node:fs"
import { connect } from "node:net"
import { join } from "node:path"
import { Client } from "@modelcontextprotocol/sdk/client/index.js"
import { StreamableHTTPClientTransport } from "@modelcontextprotocol/sdk/client/streamableHttp.js"
import type { Transport } from "@modelcontextprotocol/sdk/shared/transport.js"
import { commit, git } from "../git-repository.ts"
import { hasPostgres } from "../postgres.ts"
import { chromiumPath, seriousFindings, startChromium } from "./browser.ts"
import { type Answer, TeamSpace } from "./team-space.ts"

const OPEN = {
  "src/door.ts": "/** Opens the door. */\nexport function openDoor(key: string): string {\n  return key\n}\n",
  "src/window.ts": "export function openWindow(): void {\n  openDoor('window')\n}\n",
  "README.md": "# Doors\n\nHow a door is opened.\n",
}
const SECRET = {
  "vault.ts": "export function openVault(combination: string): string {\n  return combination\n}\n",
  // Ten files with a word of the open repository, which would become common if they were counted.
  ...Object.fromEntries(
    Array.from({ length: 10 }, (_, at) => [`door${at}.ts`, `export const door${at} = "door vault ${at}"\n`]),
  ),
}
const HOOK_SECRET = "of the hosts"

describe.skipIf(!hasPostgres)("rights in a team, attacked", () => {
  let team: TeamSpace
  let open: string
  let secret: string
  let ada: string
  /** Answers before the secret repository was there. */
  let before: readonly Answer[]

  const probes: readonly (readonly [string, object])[] = [
    ["/v1/search", { query: "door" }],
    ["/v1/search", { query: "open door", explain: true }],
    ["/v1/search", { query: "how is a vault opened", explain: true }],
    ["/v1/search", { query: "combinaton" }],
    ["/v1/search", { query: "openVaul" }],
    ["/v1/context", { query: "open the door" }],
    ["/v1/symbol", { name: "openDoor", relation: "references" }],
    ["/v1/symbol", { name: "openVaul" }],
    ["/v1/grep", { query: "vault" }],
    ["/v1/search", { query: "door", repository: "vaul" }],
  ]
  const probe = async () => {
    const answers = []
    for (const [path, body] of probes) {
      const { status, answer } = await team.ask(ada, path, body)
      answers.push({ status, answer: { ...answer, took_ms: 0 } })
    }
    return answers
  }

  beforeAll(async () => {
    team = await TeamSpace.start()
    open = (await team.add({ open: OPEN })).open
    ada = await team.token("ada", "open")
    await team.serve([], { AMAN_TEAM_WEBHOOK_SECRET: HOOK_SECRET })
    before = await probe()
    secret = (await team.add({ secret: SECRET })).secret
  }, 60_000)
  afterAll(() => team?.[Symbol.asyncDispose]())

  const audit = async () => (await team.admin("audit", "--limit", "1000")).entries as Answer[]
  const callTool = async (token: string, name: string, args: object) => {
    const headers = {
      authorization: `Bearer ${token}`,
      "content-type": "application/json",
      accept: "application/json, text/event-stream",
    }
    const body = { jsonrpc: "2.0", id: 1, method: "tools/call", params: { name, arguments: args } }
    const response = await fetch(`${team.url}/mcp`, { method: "POST", headers, body: JSON.stringify(body) })
    return { status: response.status, text: await response.text() }
  }
  const hashesOf = async (repository: string) =>
    (
      await team.postgres.query(`SELECT encode(b.hash, 'hex') AS hash FROM aman.revision_blobs b
        JOIN aman.revisions v ON v.id = b.revision_id JOIN aman.repositories r ON r.id = v.repository_id
        WHERE r.name = '${repository}' ORDER BY 1`)
    ).map(({ hash }) => hash as string)

  test("scores, hints and corrections are the same with and without a secret repository", async () => {
    expect(await probe()).toEqual([...before])
    expect(before[0].answer.results.length).toBeGreaterThan(0)
    expect(JSON.stringify(before[2].answer.results)).toContain("score")
  })

  const hostileTexts = async () => {
    const [ids] = await team.postgres.query(`SELECT
      (SELECT id FROM aman.repositories WHERE name = '${secret}') AS repository,
      (SELECT max(id) FROM aman.revisions) AS revision`)
    return [
      ...["'; DROP TABLE aman.tokens; --", "' OR '1'='1", '" OR 1=1 --', "%", "_", "$1", "\\", "''", "{}"],
      ...["../../../../etc/passwd", "/etc/passwd", "..\\..\\index.db", "file:///etc/passwd", ".git/config"],
      ...["../index/index.db", "\u0000", `a\u0000${secret}`, "\ud800", "\u202e", "__proto__", "constructor"],
      ...[
        secret,
        `team:${secret}`,
        secret.toUpperCase(),
        String(ids!["repository"]),
        String(ids!["revision"]),
      ],
    ]
  }
  const rowCounts = async () => {
    const tables = "tokens principals teams members grants repositories revisions blobs memory_subjects"
    return Promise.all(
      tables.split(" ").map((name) => team.postgres.query(`SELECT count(*) FROM aman.${name}`)),
    )
  }
  /** Words of the secret repository and of the server that an answer contains beyond those of its request. */
  const leaksIn = (text: string, request: string) => {
    const rest = text.replaceAll(request, "").replaceAll(JSON.stringify(request).slice(1, -1), "")
    const secrets = ["root:x:0", "export function openVault", "vault.ts", team.space.home]
    return secrets.filter((word) => rest.includes(word))
  }

  test("no field of any request is a way to the database, to files or to other repositories", async () => {
    const fields = {
      "/v1/search": {
        query: "vault",
        repository: open,
        like: "x",
        paths: [""],
        languages: [""],
        kinds: [""],
        extensions: [""],
      },
      "/v1/context": { query: "vault", repository: open, paths: [""] },
      "/v1/grep": { query: "openVault", repository: open, paths: [""], languages: [""], extensions: [""] },
      "/v1/symbol": { name: "openVault", repository: open, path: "", diff: "" },
      "/v1/read": { path: "README.md", repository: open },
      "/v1/revisions": { repository: open },
      "/v1/memory/push": { entries: [{ subject: "", visible_to: "readers", repository: "", events: [{}] }] },
    }
    const state = await rowCounts()
    const found: Answer[] = []
    await sendAll(hostileRequests(fields, await hostileTexts()), async (path, body) => {
      const { status, answer } = await team.ask(ada, path, body)
      const leaks = leaksIn(JSON.stringify(answer), JSON.stringify(body).slice(1, -1))
      if (![200, 400, 404].includes(status) || leaks.length > 0)
        found.push({ path, body, status, leaks, answer })
    })
    const onPage = {
      "/api/search": {
        query: "vault",
        mode: "hybrid",
        names: "door",
        repository: open,
        language: [""],
        path: [""],
      },
      "/api/facets": { query: "openVault", mode: "exact", repository: open, extension: [""] },
      "/api/file": { path: "README.md", repository: open },
      "/api/symbol": { name: "openVault", repository: open, path: "", relation: "references" },
      "/api/help": { q: "vault" },
    }
    await sendAll(hostileRequests(onPage, await hostileTexts()), async (path, body) => {
      const form = new URLSearchParams(
        Object.entries(body).map(([name, value]): [string, string] => [name, String(value)]),
      )
      const headers = { authorization: `Bearer ${ada}` }
      const response = await fetch(`${team.url}${path}`, { method: "POST", headers, body: form })
      const leaks = leaksIn(await response.text(), JSON.stringify(body).slice(1, -1))
      if (![200, 400, 404].includes(response.status) || leaks.length > 0)
        found.push({ path, body, status: response.status, leaks })
    })
    expect(found).toEqual([])
    expect(await rowCounts()).toEqual(state)
  }, 120_000)

  test("nor is any argument of a tool that agents call", async () => {
    const fields = {
      search: {
        ...{ query: "vault", repository: open, mode: "hybrid", like: "", why_not: "" },
        ...{ queries: [""], path: [""], language: [""], kind: [""], extension: [""] },
      },
      context: { query: "vault", repository: open, path: [""] },
      symbol: { name: "openVault", repository: open, path: "", diff: "", relation: "references" },
      read: { path: "README.md", repository: open },
    }
    const state = await rowCounts()
    const found: Answer[] = []
    let answered = 0
    await sendAll(hostileRequests(fields, await hostileTexts()), async (name, args) => {
      const { status, text } = await callTool(ada, name, args)
      const leaks = leaksIn(text, JSON.stringify(args).slice(1, -1))
      if (status !== 200 || text.includes("aman failed") || leaks.length > 0)
        found.push({ name, args, status, leaks, text })
      if (!text.includes('"isError":true')) answered++
    })
    expect(found).toEqual([])
    expect(answered).toBeGreaterThan(20)
    expect(await rowCounts()).toEqual(state)
  }, 120_000)

  test("a malformed Host header is refused and leaves no trace on stderr but a log line", async () => {
    const { url } = team
    const node = await team.serve(["--name", "odd", "--log", "json"])
    team.url = url
    const statuses: string[] = []
    for (const host of ["[", "a b", "x/#", "\u00ff"]) {
      const { promise, resolve } = Promise.withResolvers<string>()
      const socket = connect(Number(new URL(node.url).port), "127.0.0.1")
      socket.once("data", (data) => resolve(data.toString().split(" ")[1]!))
      socket.write(`GET /v1/status HTTP/1.1\r\nHost: ${host}\r\n\r\n`)
      statuses.push(await promise)
      socket.destroy()
    }
    expect(statuses.slice(0, 3)).toEqual(["400", "400", "400"])
    node.process.kill("SIGTERM")
    for (const line of (await node.process.stderr.text()).trim().split("\n"))
      expect(() => JSON.parse(line)).not.toThrow()
  })

  test("a segment is given only to those who may read a repository that it belongs to", async () => {
    const carl = await team.token("carl", "open")
    const hashes = await hashesOf(secret)
    const own = new Set(await hashesOf(open))
    expect(hashes.length).toBeGreaterThan(2)
    const get = async (path: string) => {
      const response = await fetch(`${team.url}${path}`, { headers: { authorization: `Bearer ${carl}` } })
      return { status: response.status, text: await response.text() }
    }
    const unknown = "f".repeat(64)
    const refused = await get(`/v1/blobs/${unknown}`)
    expect(refused.status).toBe(404)
    for (const hash of hashes.filter((each) => !own.has(each))) {
      const { status, text } = await get(`/v1/blobs/${hash}`)
      expect([status, text.replaceAll(hash, unknown)]).toEqual([404, refused.text])
    }
    for (const path of [
      `${hashes[0]!.toUpperCase()}`,
      "%2e%2e%2fx",
      "..%2f..%2fetc%2fpasswd",
      `${hashes[0]}/x`,
      "'--",
    ])
      expect((await get(`/v1/blobs/${path}`)).status).toBe(404)
    expect((await get(`/v1/blobs/${[...own][0]}`)).status).toBe(200)
    expect((await team.ask(carl, "/v1/revisions", { repository: secret })).answer).toEqual({ revisions: [] })
    const denied = { who: "carl", action: "read denied", about: secret }
    while (!(await audit()).some((each) => Bun.deepMatch(denied, each))) await Bun.sleep(20)
    await team.ask(carl, "/v1/revisions", { repository: "github.com/carl/private" })
    expect(JSON.stringify(await audit())).not.toContain("carl/private")
    expect(await audit()).toContainEqual(
      expect.objectContaining({
        who: "carl",
        action: "read denied",
        about: `segment ${hashes.find((each) => !own.has(each))}`,
      }),
    )
  })

  test("a right that ends ends for an open MCP session, too", async () => {
    const made = await team.admin("token", "bob", "--team", "open")
    const agent = new Client({ name: "test", version: "1" })
    const headers = { authorization: `Bearer ${made.token}` }
    await agent.connect(
      new StreamableHTTPClientTransport(new URL(`${team.url}/mcp`), {
        requestInit: { headers },
      }) as Transport,
    )
    const call = async () =>
      ((await agent.callTool({ name: "search", arguments: { query: "door" } })) as Answer).content[0].text
    expect(await call()).toContain("src/door.ts")
    await team.admin("withdraw", "open", open)
    expect(await call()).not.toContain("src/door.ts")
    await team.admin("grant", "open", open)
    expect(await call()).toContain("src/door.ts")
    await team.admin("dismiss", "bob", "open")
    expect(await call()).not.toContain("src/door.ts")
    const { people } = await team.admin("people")
    expect(people.find(({ person }: Answer) => person === "bob")).toEqual({
      ...{ person: "bob", teams: [], claimed: [], tokens: [{ id: made.id, expires_at: null }] },
    })
    const again = await team.space.run(["team", "dismiss", "bob", "open"], { env: team.env })
    expect([again.code, again.stderr]).toEqual([1, expect.stringContaining("aman team people")])
    await team.admin("revoke", made.id)
    await expect(call()).rejects.toThrow(/revoked/)
    await agent.close()
    expect(await audit()).toContainEqual(
      expect.objectContaining({ who: "bob", action: "token refused", about: `${made.id}: revoked` }),
    )
  })

  test("guessed tokens and webhooks are in the audit log, and cannot fill it", async () => {
    const lines = async (action: string) => (await audit()).filter((each) => each.action === action)
    const known = (await lines("token refused")).length
    for (let at = 0; at < 150; at++) {
      const { status } = await team.ask(`aman_${String(at).repeat(20)}`, "/v1/status")
      expect(status).toBe(401)
    }
    const added = (await lines("token refused")).length - known
    expect([added > 0, added <= 100]).toEqual([true, true])
    const claims = Buffer.from(JSON.stringify({ id: "1", name: "ada", until: 9e15 })).toString("base64url")
    for (const pass of [`${claims}.`, `${claims}.${"A".repeat(43)}`, ".", "", claims, `e30.${claims}`]) {
      const request = { method: "POST", headers: { authorization: `Node ${pass}` }, body: "{}" }
      expect((await fetch(`${team.url}/v1/node`, request)).status).toBe(401)
    }
    expect((await lines("node refused")).length).toBe(6)
    const entry = { subject: "0".repeat(20), visible_to: "team", repository: null, events: [{}] }
    const pushed = await team.ask(ada, "/v1/memory/push", {
      entries: Array.from({ length: 150 }, () => entry),
    })
    expect([pushed.status, pushed.answer.refused.length]).toEqual([200, 150])
    expect((await lines("memory refused")).length).toBeLessThanOrEqual(100)
    const body = JSON.stringify({ repository: { clone_url: secret } })
    const hook = async (host: string, headers: Record<string, string>) =>
      (await fetch(`${team.url}/v1/hooks/${host}`, { method: "POST", headers, body })).status
    expect(await hook("github", { "x-hub-signature-256": "sha256=00" })).toBe(401)
    const signature = createHmac("sha256", HOOK_SECRET).update(body).digest("hex")
    expect(await hook("github", { "x-hub-signature-256": `sha256=${signature}` })).toBe(202)
    expect(await hook("gitea", { "x-gitea-signature": signature })).toBe(409)
    expect((await lines("webhook refused")).map(({ about }) => about).sort()).toEqual([
      "gitea: taken before",
      "github: wrong signature",
    ])
  })

  test("a pattern grants what is there and what is added later, and is withdrawn with all that it granted", async () => {
    const granted = async () =>
      (
        await team.postgres.query(`SELECT r.name FROM aman.grants g JOIN aman.repositories r ON r.id = g.repository_id
          JOIN aman.teams t ON t.id = g.team_id WHERE t.name = 'patterns' ORDER BY 1`)
      ).map(({ name }) => name)
    const box = open.slice(0, open.lastIndexOf("/"))
    expect((await team.admin("grant", "patterns", `${box}/o*`)).repositories).toEqual([open])
    const [later, other] = [join(box, "odd.later"), join(box, "later")]
    for (const name of [later, other]) await team.admin("add", "--unchecked", name)
    expect(await granted()).toEqual([later, open].sort())
    const withdrawal = ["team", "withdraw", "patterns"]
    const narrow = await team.space.run([...withdrawal, `${box}/od*`], { env: team.env })
    expect(narrow.stdout).toContain(`added later and matches ${box}/o*`)
    await team.admin("grant", "patterns", later)
    const whole = await team.admin("withdraw", "patterns", "*")
    expect([whole.repositories.includes(later), whole.patterns]).toEqual([true, []])
    for (const name of [later, other]) await team.admin("remove", name)
    await team.admin("add", "--unchecked", later)
    expect(await granted()).toEqual([])
    await team.admin("remove", later)
  })

  test("a hostile repository in the queue neither leads out of its folder nor holds up the others", async () => {
    const evil = team.box.repository("evil", {
      ".gitattributes": "* filter=boom\n",
      ".aman/index.db": "planted",
      "index.db": "planted",
      "keyword-1.seg": "planted",
      ".aman.yaml": "index:\n  max_file_size: 200MB\n",
      "words.txt": "evilword\n",
      [`${"d/".repeat(60)}deep.txt`]: "evilword\n",
    })
    symlinkSync("/etc/passwd", join(evil, "accounts.txt"))
    symlinkSync("../../../../../..", join(evil, "up"))
    git(evil, "config", "filter.boom.smudge", `touch ${join(team.space.dir, "boom")}`)
    git(evil, "add", "-A", "-f")
    commit(evil, "evil")
    const later = team.box.repository("later", { "later.txt": "laterword\n" })
    const broken = team.box.repository("broken", { ".aman.yaml": "index: [\n" })
    const gone = join(team.box.box, "gone")
    const unreached = await team.space.run(["team", "add", gone], { env: team.env })
    expect([unreached.code, unreached.stderr]).toEqual([3, expect.stringContaining("--unchecked")])
    const unnamed = await team.space.run(["team", "add", `${later}#nowhere`], { env: team.env })
    expect([unnamed.code, unnamed.stderr]).toEqual([3, expect.stringContaining("branch or tag after #")])
    for (const repository of [evil, broken, gone, later]) {
      await team.admin("add", "--unchecked", repository)
      await team.admin("grant", "open", repository)
    }
    for (const address of ["ext::sh -c boom", "--upload-pack=boom", "https://a@b:c@d/e f", "fd::7"]) {
      const { code } = await team.space.run(["team", "add", "--", address], { env: team.env })
      expect([address, code]).toEqual([address, 2])
    }
    expect((await team.space.run(["team", "worker", "--once", "--quiet"], { env: team.env })).code).toBe(3)
    const { repositories } = await team.admin("repos")
    const errors = repositories.map(({ error }: Answer) => error).filter(Boolean)
    expect(errors).toEqual([
      expect.stringMatching(/^\.aman\.yaml:2: /),
      expect.stringContaining("does not appear to be a git repository"),
    ])
    const { answer } = await team.ask(ada, "/v1/search", { query: "laterword" })
    expect(answer.results[0]).toMatchObject({ repository: later, path: "later.txt" })
    expect(
      (await team.ask(ada, "/v1/search", { query: "evilword" })).answer.results.map(
        ({ path }: Answer) => path,
      ),
    ).toContain("words.txt")
    for (const path of ["accounts.txt", "up/etc/passwd", ".aman/index.db", "../index/index.db"]) {
      const read = await team.ask(ada, "/v1/read", { repository: evil, path })
      expect(JSON.stringify(read.answer)).not.toMatch(/root:x:0|SQLite/)
    }
    expect(await Bun.file(join(team.space.dir, "boom")).exists()).toBe(false)
  }, 30_000)

  test.skipIf(chromiumPath === null)(
    "the page shows a person what the token may read and nothing else, and forgets the token",
    async () => {
      const unreached = join(team.box.box, "unreached")
      await team.admin("add", "--unchecked", unreached)
      await team.space.run(["team", "worker", "--once", "--quiet"], { env: team.env })
      const queued = team.box.repository("queued", { "queued.txt": "queued\n" })
      await team.admin("add", queued)
      await team.admin("grant", "page", open, unreached, queued)
      const eve = await team.token("eve", "page")
      const node = await team.serve(["--name", "page", "--processes", "1", "--log", "json"])

      const page = await fetch(node.url)
      expect([page.status, page.headers.get("content-security-policy")]).toEqual([
        200,
        expect.stringContaining("frame-ancestors 'none'"),
      ])
      expect((await fetch(`${node.url}/favicon.ico`)).status).toBe(204)
      for (const path of "project repositories search facets file symbol help".split(" "))
        for (const headers of [{}, { authorization: `Bearer ${eve}x` }]) {
          const body = new URLSearchParams({ query: "openDoor", name: "openDoor", path: "src/door.ts" })
          const refused = await fetch(`${node.url}/api/${path}`, { method: "POST", headers, body })
          expect([path, refused.status, refused.headers.get("x-content-type-options")]).toEqual([
            ...[path, 401, "nosniff"],
          ])
          expect(Object.keys((await refused.json()) as object)).toEqual(["error"])
        }

      // A proxy in front of the node, which serves it below a path.
      using proxy = Bun.serve({
        port: 0,
        hostname: "127.0.0.1",
        fetch: (request) => {
          const { pathname, search } = new URL(request.url)
          if (!pathname.startsWith("/code/")) return new Response(null, { status: 502 })
          return fetch(new Request(`${node.url}${pathname.slice("/code".length)}${search}`, request))
        },
      })
      const home = `http://127.0.0.1:${proxy.port}/code/`
      const browser = await startChromium()
      try {
        const tab = await browser.newPage()
        const asked: string[] = []
        tab.on("request", (request) => asked.push(`${request.method()} ${request.url()}`))
        const errors: string[] = []
        tab.on("console", (message) => {
          if (message.type() === "error") errors.push(message.text())
        })
        const signIn = async (token: string) => {
          await tab.getByLabel("Token").fill(token)
          await tab.getByRole("button", { name: "Sign in" }).click()
        }
        const query = tab.locator(".query")
        await tab.goto(home)
        expect(await tab.getByRole("link").count()).toBe(0)
        await signIn(`${eve}x`)
        await tab.getByText("wrong, expired or revoked").waitFor()
        await tab.getByText("aman team token PERSON").waitFor()
        expect(await seriousFindings(tab)).toEqual([])
        await signIn(eve)
        await query.waitFor()
        expect(await tab.locator("nav a").allTextContents()).toEqual(["Search", "Repositories", "Help"])
        await tab.getByRole("link", { name: "Repositories" }).click()
        const rows = tab.getByRole("list", { name: "Repositories" }).getByRole("listitem")
        await rows.nth(2).waitFor()
        const states = [
          new RegExp(`^${open} ready, [0-9a-f]{10}, 3 files`),
          new RegExp(`^${queued} waiting`),
          new RegExp(`^${unreached} failed: .*does not appear to be a git repository`),
        ]
        expect((await rows.allTextContents()).toSorted()).toEqual(
          states.map((state) => expect.stringMatching(state)),
        )
        expect(await seriousFindings(tab)).toEqual([])

        await rows.getByRole("link").click()
        await query.fill("openDoor")
        const first = tab.locator(".result").first()
        await first.getByText("door.ts").waitFor()
        expect(await first.locator("mark").first().textContent()).toBe("openDoor")
        expect(await first.locator(".t-keyword").count()).toBeGreaterThan(0)
        await tab.getByLabel("Exact text").check()
        await tab.getByText("2 lines in 2 files").waitFor()
        expect(await seriousFindings(tab)).toEqual([])
        const where = tab.getByLabel("In", { exact: true })
        expect(await where.inputValue()).toBe(open)
        for (const [part, said] of [
          ["nowhere", 'you can read no repository named "nowhere"'],
          [open.slice(-9), "2 lines in 2 files"],
        ] as const) {
          await where.fill(part)
          await where.press("Enter")
          await tab.getByText(said).waitFor()
        }
        await tab.getByLabel("Words and meaning").check()
        await first.locator("h2 a").click()
        await tab.getByText(/typescript · 4 lines · at [0-9a-f]{10}/).waitFor()
        await tab.locator(".marked .t-function", { hasText: "openDoor" }).click()
        const uses = tab.getByLabel("Definitions and uses")
        await uses.getByRole("link", { name: "src/window.ts:2" }).click()
        await tab.locator(".marked", { hasText: "openDoor('window')" }).waitFor()
        expect(await seriousFindings(tab)).toEqual([])
        await tab.reload()
        await tab.locator(".marked", { hasText: "openDoor('window')" }).waitFor()
        for (const name of [secret, "nowhere"]) {
          await tab.goto(`${home}#/file?${new URLSearchParams({ path: "vault.ts", repository: name })}`)
          await tab.getByText(`you can read no repository named "${name}"`).waitFor()
        }
        await tab.goto(`${home}#/map`)
        await query.fill("openVault combination vault")
        await tab.getByText(/files? in \d+ ms/).waitFor()
        expect(await tab.locator("main").textContent()).not.toContain(secret)
        await tab.getByRole("link", { name: "Help" }).click()
        await tab.getByLabel("Question about aman").fill("leave out a folder")
        await tab.locator(".guide").first().waitFor()
        expect(await seriousFindings(tab)).toEqual([])

        const stored = "JSON.stringify([sessionStorage, localStorage, document.cookie, location.href])"
        expect(await tab.evaluate(stored)).toContain(eve)
        await tab.getByRole("button", { name: "Sign out" }).click()
        await tab.getByLabel("Token").waitFor()
        expect(await tab.evaluate(stored)).not.toContain(eve)
        expect(await tab.evaluate("localStorage.length + document.cookie.length")).toBe(0)
        await signIn(eve)
        await query.waitFor()
        await team.admin("revoke", "eve")
        await query.fill("openWindow")
        await tab.getByText("wrong, expired or revoked").waitFor()
        expect(await tab.evaluate(stored)).not.toContain(eve)
        expect(asked.filter((each) => each.includes(eve) || each.includes("openDoor"))).toEqual([])
        expect(asked.filter((each) => !each.includes(` ${home}`))).toEqual([])
        expect(errors.filter((each) => !/status of 40[14]/.test(each))).toEqual([])
      } finally {
        await browser.close()
      }
      node.process.kill("SIGTERM")
      const log = await node.process.stderr.text()
      expect(log).toContain('"route":"/api/"')
      for (const word of [eve, "openDoor"]) expect(log).not.toContain(word)
    },
    60_000,
  )
})

/** Requests by their address or tool, in each of which one text of the usual body is hostile. */
function* hostileRequests(
  fields: Readonly<Record<string, Readonly<Record<string, unknown>>>>,
  texts: readonly string[],
): Generator<readonly [name: string, body: object]> {
  for (const [name, usual] of Object.entries(fields))
    for (const body of hostileBodies(usual, texts)) yield [name, body]
}

/** Sends all requests, ten at a time. */
async function sendAll(
  requests: Iterable<readonly [name: string, body: object]>,
  send: (name: string, body: object) => Promise<void>,
): Promise<void> {
  const all = [...requests]
  for (let at = 0; at < all.length; at += 10)
    await Promise.all(all.slice(at, at + 10).map(([name, body]) => send(name, body)))
}

/** Bodies in which one text of the usual body is hostile. */
function* hostileBodies(
  usual: Readonly<Record<string, unknown>>,
  texts: readonly string[],
): Generator<object> {
  for (const [field, value] of Object.entries(usual)) {
    for (const text of texts) {
      if (typeof value === "string") yield { ...filled(usual), [field]: text }
      else if (Array.isArray(value) && typeof value[0] === "string")
        yield { ...filled(usual), [field]: [text] }
      else
        for (const inner of ["subject", "visible_to", "repository"])
          yield { entries: [{ ...(value as Answer[])[0], [inner]: text }] }
    }
  }
}

/** The body without its empty texts, which stand for fields that are left out. */
function filled(usual: Readonly<Record<string, unknown>>): Readonly<Record<string, unknown>> {
  return Object.fromEntries(
    Object.entries(usual).filter(([name, value]) => value !== "" && !Array.isArray(value) && name !== "like"),
  )
}
