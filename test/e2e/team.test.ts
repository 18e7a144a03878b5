import { afterAll, beforeAll, describe, expect, test } from "bun:test"
import { createHmac, generateKeyPairSync } from "node:crypto"
import { rmSync } from "node:fs"
import { join } from "node:path"
import { Client, StreamableHTTPClientTransport } from "@modelcontextprotocol/client"
import { stableId } from "../../src/memory/log/ids.ts"
import { commit, GitBox, git, write } from "../git-repository.ts"
import { answersOf, rankingsOf, truthOf } from "../index-equality.ts"
import { moduleOf } from "../modules.ts"
import { hasPostgres, Postgres } from "../postgres.ts"
import { chromiumPath, seriousFindings, startChromium, UiServer } from "./browser.ts"
import { connect } from "./connect.ts"
import { binary, Workspace } from "./harness.ts"

// biome-ignore lint/suspicious/noExplicitAny: tests look at the parts they name
type Answer = any

const HOOK_SECRET = "of the hosts"
const MODULES = Array.from({ length: 25 }, (_, at) => moduleOf(at, 0))
/** Number of modules that define common_step, each in one line. */
const stepped = MODULES.filter(([, text]) => text.includes("def common_step")).length

describe.skipIf(!hasPostgres)("a team's index", () => {
  let postgres: Postgres
  let box: GitBox
  let space: Workspace
  let server: Bun.Subprocess<"ignore", "pipe", "pipe">
  let url: string
  let open: string
  let secret: string
  let env: Record<string, string>
  let ada: { token: string; id: string }

  beforeAll(async () => {
    postgres = await Postgres.start()
    box = new GitBox()
    space = new Workspace()
    env = { AMAN_TEAM_DATABASE: postgres.url, GIT_CONFIG_NOSYSTEM: "1" }
    open = box.repository("open", Object.fromEntries(MODULES))
    secret = box.repository("secret", {
      "vault.py": "def open_vault(combination):\n    return combination\n",
      // Larger than the limit for other repositories (256 KiB), smaller than the one for projects (1 MiB).
      "large.py": "shift = 1\n".repeat(40_000),
    })
    for (const repository of [open, secret]) await space.json(["team", "add", repository], { env })
    expect((await space.run(["team", "worker", "--once", "--quiet"], { env })).code).toBe(0)
    await space.json(["team", "grant", "developers", open], { env })
    ada = await space.json(["team", "token", "ada", "--team", "developers"], { env })
    server = Bun.spawn([binary, "team", "serve", "--port", "0", "--json"], {
      cwd: space.project,
      env: { ...space.env, ...env, AMAN_TEAM_WEBHOOK_SECRET: HOOK_SECRET },
      stdin: "ignore",
      stdout: "pipe",
      stderr: "pipe",
    })
    const { value } = await server.stdout.getReader().read()
    url = JSON.parse(Buffer.from(value!).toString()).url
    const login = await space.run(["team", "login", url, "--json"], { stdin: `${ada.token}\n` })
    expect(JSON.parse(login.stdout)).toEqual({
      url,
      principal: "ada",
      repositories: 1,
      key: expect.any(String),
    })
  }, 120_000)
  afterAll(async () => {
    server?.kill()
    await server?.exited
    space?.[Symbol.dispose]()
    box?.[Symbol.dispose]()
    await postgres?.[Symbol.asyncDispose]()
  })

  const ask = async (path: string, body: unknown, token = ada.token) => {
    const headers = { authorization: `Bearer ${token}` }
    const response = await fetch(`${url}${path}`, { method: "POST", headers, body: JSON.stringify(body) })
    return { status: response.status, answer: (await response.json()) as Answer }
  }

  test("answers as a clone on this machine does, with the same order and the same scores", async () => {
    const local = { AMAN_REPOS_URLS: open }
    expect((await space.run(["repos", "sync", "--quiet"], { env: local })).code).toBe(0)
    for (const query of ["class muna", "how does fogu the haje of kilo", "common_step", "m7"]) {
      const [here, there] = await Promise.all([
        space.json(["search", "--repository", "*", query], { env: local }),
        space.json(["search", "--team", "*", query]),
      ])
      expect(here.results.length).toBeGreaterThan(0)
      for (const result of there.results) result.repository = result.repository.replace(/^team:/, "")
      expect(there.results).toEqual(here.results)
    }
    const bundle = await space.json(["context", "--team", "open", "common_step"])
    expect(bundle.files[0]).toMatchObject({ repository: `team:${open}`, path: expect.stringMatching(/^p\d/) })
    const head = git(open, "rev-parse", "HEAD")
    expect(bundle.commits).toEqual([{ repository: `team:${open}`, commit: head }])
    const small = ["context", "--team", "open", "--max-tokens", "500", "common_step"] as const
    expect((await space.json(small)).tokens).toBeLessThanOrEqual(500)
    expect((await space.run(small)).stdout).toContain(`Commits: team:${open} ${head.slice(0, 12)}`)
    const place = ["--repository", `team:${open}`, moduleOf(7, 0)[0]]
    expect((await space.run(["read", ...place])).stdout).toBe(moduleOf(7, 0)[1])
    await using client = await connect(space)
    const listed = await client.call("repositories")
    expect(listed.structuredContent.team).toEqual([
      expect.objectContaining({
        repository: `team:${open}`,
        files: MODULES.length,
        commit: git(open, "rev-parse", "HEAD"),
      }),
    ])
    expect(listed.content[0]!.text).toContain(`team:${open}: ${MODULES.length} files, published `)
    expect((await client.call("repositories", { repository: "other" })).structuredContent.team).toEqual([])
    const nowhere = { AMAN_TEAM_URL: "http://127.0.0.1:1", AMAN_TEAM_TOKEN: "x", AMAN_REPOS_URLS: open }
    await using alone = await connect(space, { env: nowhere })
    expect((await alone.call("repositories")).structuredContent).toMatchObject({
      ...{ repositories: [{ repository: open }], team: [] },
      notices: [expect.stringContaining("the team's repositories are not listed: the team server")],
    })
    const named = await client.call("search", { query: "common_step", repository: "team:*" })
    expect(named.structuredContent.results[0].repository).toBe(`team:${open}`)
    const read = await client.call("read", { repository: `team:${open}`, path: moduleOf(7, 0)[0] })
    expect(read.content[0]!.text).toContain(moduleOf(7, 0)[1].split("\n")[0]!)
    const text = { query: "def common_step", mode: "exact", repository: "team:open" }
    const lines = await client.call("search", text)
    expect(lines.structuredContent).toMatchObject({ complete: true, files: stepped, matches: stepped })
    expect(lines.structuredContent.results[0].repository).toBe(`team:${open}`)
    expect(lines.structuredContent.commits).toEqual([{ repository: `team:${open}`, commit: head }])
    expect(read.structuredContent.commit).toBe(head)
    const uses = await space.json(["symbol", "--team", "*", "common_step"])
    expect(uses.commits).toEqual([{ repository: `team:${open}`, commit: head }])
    const shown = await space.run(["search", "--team", "open", "common_step"])
    expect([shown.code, shown.stdout]).toEqual([0, expect.stringContaining("def common_step(value):")])
  })

  test("people search the text of the team's repositories, and get the files that have it", async () => {
    const team = ["grep", "--team", "*"] as const
    for (const [flags, pattern] of [
      [[], /def \w+_step/],
      [["-i"], /CLASS m[aou]na/i],
      [["-w", "-F"], /\bcommon_step\b/],
      [[], /[a-z]+7\d?/],
    ] as const) {
      const expected = MODULES.filter(([, text]) => pattern.test(text)).map(([path]) => path)
      const asked = flags.includes("-F" as never) ? "common_step" : pattern.source
      // The second time nodes know the files.
      for (let time = 0; time < 2; time++) {
        const { code, stdout } = await space.run([...team, "-l", ...flags, "--", asked])
        const paths = stdout.split("\n").filter(Boolean)
        expect([asked, paths]).toEqual([asked, expected.map((path) => `team:${open} ${path}`).sort()])
        expect(code).toBe(expected.length > 0 ? 0 : 1)
      }
    }
    const here = new Workspace(Object.fromEntries(MODULES))
    for (const flags of [
      ["-C", "1", "step"],
      ["-c", "step"],
      ["-x", "-e", "def common_step.*", "-e", "$"],
    ]) {
      const expected = (await here.run(["grep", ...flags])).stdout
      const { stdout } = await space.run([...team, ...flags])
      expect(stdout.replaceAll(`team:${open} `, "")).toBe(expected)
      const local = { env: { AMAN_REPOS_URLS: open } }
      const cloned = await space.run(["grep", "--repository", "*", ...flags], local)
      expect(cloned.stdout.replaceAll(`${open} `, "")).toBe(expected)
    }
    const lines = await here.json(["grep", "--json", "def \\w+_step", "p1"])
    const found = await space.json([...team, "--json", "def \\w+_step", "p1"])
    expect(found.files).toEqual(
      lines.files.map(({ lines, ...file }: Answer) => ({
        ...{ ...file, repository: `team:${open}` },
        lines: lines.map(({ spans: _, ...line }: Answer) => line),
      })),
    )
    expect(found.commits).toEqual([{ repository: `team:${open}`, commit: git(open, "rev-parse", "HEAD") }])
    here[Symbol.dispose]()
    const byMode = ["search", "--mode", "exact", "--path", "p1"] as const
    const searched = await space.run([...byMode, "--team", "open", "def common_step"])
    expect(searched).toEqual(await space.run(["grep", "-F", "--team", "open", "def common_step", "p1"]))
    expect(searched.stdout).toContain(`team:${open} p1/`)
    const none = await space.run([...team, "open_vault"])
    expect([none.code, none.stdout]).toEqual([1, ""])
    const refused = await space.run([...team, "-v", "step"])
    expect([refused.code, refused.stderr]).toEqual([
      2,
      expect.stringContaining("--invert-match cannot be combined"),
    ])
    expect((await ask("/v1/search", { query: "x", mode: "exact" })).status).toBe(400)
  })

  test("a worker indexes the files that are small enough for a project", async () => {
    const { repositories } = await space.json(["team", "repos"], { env })
    expect(repositories).toContainEqual(expect.objectContaining({ repository: secret, files: 2 }))
    const limit = { AMAN_MAX_FILE_SIZE: "4KiB" }
    const small = box.repository("small", { "a.py": "a = 1\n", "large.py": "shift = 1\n".repeat(1000) })
    await space.json(["team", "add", small], { env })
    await space.run(["team", "worker", "--once", "--quiet"], { env: { ...env, ...limit } })
    const after = await space.json(["team", "repos"], { env })
    expect(after.repositories).toContainEqual(expect.objectContaining({ repository: small, files: 1 }))
    await space.json(["team", "remove", small], { env })
  })

  test("shows nothing of a repository that none of a person's teams may read", async () => {
    const question = { query: "open_vault combination" }
    expect(JSON.stringify((await ask("/v1/search", question)).answer)).not.toContain("vault.py")
    const missing = box.folder("missing")
    for (const [path, body] of [
      ["/v1/search", { ...question, repository: secret }],
      ["/v1/context", { ...question, repository: secret }],
      ["/v1/read", { repository: secret, path: "vault.py" }],
    ] as const) {
      const refused = await ask(path, body)
      const unknown = await ask(path, { ...body, repository: missing })
      expect(refused.status).toBe(404)
      // The answer is the same, word for word, as for a repository that does not exist.
      expect(JSON.stringify(refused).replaceAll(secret, missing)).toBe(JSON.stringify(unknown))
    }
    const { entries } = await space.json(["team", "audit"], { env })
    expect(entries).toContainEqual(
      expect.objectContaining({ who: "ada", action: "read denied", about: secret }),
    )
    for (const path of ["../index/index.db", "/etc/passwd", "p1/../../../x"])
      expect((await ask("/v1/read", { repository: open, path })).status).toBe(400)
    for (const name of ["' OR 1=1 --", "%", "*; DROP TABLE aman.tokens"])
      expect((await ask("/v1/search", { query: "x", repository: name })).status).toBe(404)
  })

  test("aman ui tells which of the team's repositories one may read, and searches no others", async () => {
    await using ui = await UiServer.start(space)
    const headers = await ui.enter()
    const response = await fetch(`${ui.origin}/api/team`, { headers })
    expect(response.status).toBe(200)
    for (const mode of ["hybrid", "exact"]) {
      const asked = `query=common_step&mode=${mode}&repository=.&repository=team:*`
      const found = await fetch(`${ui.origin}/api/search?${asked}`, { headers })
      const { results } = (await found.json()) as { results: { repository?: string }[] }
      const others = new Set(results.flatMap(({ repository }) => repository ?? []))
      expect([mode, [...others]]).toEqual([mode, [`team:${open}`]])
    }
    expect(await response.json()).toMatchObject({
      team: { url, principal: "ada", repositories: [{ repository: open, error: null }] },
    })
  })

  test("the page of aman ui ranks them among this project and other repositories, as if all were clones", async () => {
    const [own, other] = [30, 45].map((first, at) =>
      box.repository(
        `beside${at}`,
        Object.fromEntries(Array.from({ length: 9 }, (_, nth) => moduleOf(first + nth, 1))),
      ),
    ) as [string, string]
    const clones = { AMAN_REPOS_URLS: [open, own, other].join() }
    expect((await space.run(["repos", "sync", "--quiet"], { env: clones })).code).toBe(0)
    expect((await space.run(["index", "--quiet", "--root", own])).code).toBe(0)
    await using ui = await UiServer.start(space, ["--root", own], { AMAN_REPOS_URLS: other })
    const headers = await ui.enter()
    const places = [".", "*", "team:*"].map((name) => `repository=${encodeURIComponent(name)}`).join("&")
    for (const query of ["class muna", "how does fogu the haje of kilo", "common_step", "Base1 advance"]) {
      const path = `/api/search?limit=12&query=${encodeURIComponent(query)}&${places}`
      const together = (await (await fetch(`${ui.origin}${path}`, { headers })).json()) as Answer
      const whole = await space.json(["search", "--limit", "12", "--repository", "*", query], { env: clones })
      const names = together.results.map(({ repository = own }) => repository.replace(/^team:/, ""))
      expect(new Set(names).size).toBeGreaterThan(1)
      expect(names).toEqual(whole.results.map(({ repository }: Answer) => repository))
      for (const field of ["path", "score"])
        expect(together.results.map((each: Answer) => each[field])).toEqual(
          whole.results.map((each: Answer) => each[field]),
        )
    }
    const wrong = { query: "class", beside: { files: 1 } }
    expect((await ask("/v1/search", wrong)).status).toBe(400)
  }, 60_000)

  test.skipIf(chromiumPath === null)("the page of aman ui lists them, and no other", async () => {
    await using ui = await UiServer.start(space)
    await using browser = await startChromium()
    const page = await browser.newPage()
    await page.goto(ui.url)
    await page.getByRole("link", { name: "Index" }).click()
    const list = page.getByRole("list", { name: "Repositories of the team" })
    await list.getByText(open).waitFor()
    await page.getByText(`ada at ${url}`).waitFor()
    expect(await list.getByRole("listitem").count()).toBe(1)
    expect(await page.locator("main").textContent()).not.toContain(secret)
    expect(await seriousFindings(page)).toEqual([])
  })

  test.each(["legacy", { pin: "2026-07-28" }] as const)(
    "answers agents over MCP with the same rights, version %p",
    async (mode) => {
      const agent = new Client({ name: "test", version: "1" }, { versionNegotiation: { mode } })
      const requestInit = { headers: { authorization: `Bearer ${ada.token}` } }
      await agent.connect(new StreamableHTTPClientTransport(new URL(`${url}/mcp`), { requestInit }))
      const { tools } = await agent.listTools()
      expect(tools.map(({ name }) => name).sort()).toEqual(["context", "read", "search", "symbol"])
      const call = async (name: string, args: object) => {
        const { content } = (await agent.callTool({ name, arguments: { ...args } })) as Answer
        return content[0].text as string
      }
      const [path, text] = moduleOf(7, 0)
      expect(await call("search", { query: "common_step" })).toContain(open)
      expect(await call("search", { query: "def common_step", mode: "exact" })).toContain(
        `${stepped} lines in ${stepped} files`,
      )
      expect(await call("context", { query: "common_step" })).toContain(open)
      expect(await call("read", { repository: open, path })).toContain(text.split("\n")[0]!)
      expect(await call("read", { path })).toContain("no project of its own")
      expect(await call("search", { query: "open_vault combination" })).not.toContain("vault.py")
      for (const args of [
        { query: "open_vault", repository: secret },
        { query: "open_vault", mode: "exact", repository: secret },
      ])
        expect(await call("search", args)).toContain("you can read no repository named")
      const typed = JSON.stringify({ query: "common_step", limit: "1" })
      const asText = await agent.callTool({ name: "search", arguments: typed as never })
      expect(JSON.stringify(asText.content)).toContain(open)
      if (mode !== "legacy") await expect(agent.listen({ toolsListChanged: true })).rejects.toThrow()
      await agent.close()
      const body = JSON.stringify({ jsonrpc: "2.0", id: 1, method: "tools/list" })
      const refused = await fetch(`${url}/mcp`, {
        method: "POST",
        headers: { authorization: "Bearer no" },
        body,
      })
      expect(refused.status).toBe(401)
    },
  )

  test("refuses a wrong, a revoked and an expired token at once", async () => {
    const spare = await space.json(["team", "token", "bob", "--team", "developers", "--days", "1"], { env })
    const status = async (token: string) => (await ask("/v1/search", { query: "class" }, token)).status
    expect([await status(spare.token), await status("aman_wrong")]).toEqual([200, 401])
    await space.json(["team", "revoke", spare.id], { env })
    expect(await status(spare.token)).toBe(401)
    const old = await space.json(["team", "token", "bob", "--days", "1"], { env })
    await postgres.query(`UPDATE aman.tokens SET expires_at = now() - interval '1 s' WHERE id = '${old.id}'`)
    expect(await status(old.token)).toBe(401)
    const stored = JSON.stringify(await postgres.query("SELECT * FROM aman.tokens, aman.audit"))
    expect(stored).not.toContain(ada.token)
  })

  test("a commit is published with the segments that it changed, and a withdrawn right ends at once", async () => {
    const before = Number((await postgres.query("SELECT count(*) AS n FROM aman.blobs"))[0]!["n"])
    write(open, "p1/added.py", "def freshly_added(value):\n    return value\n")
    commit(open, "add a function")
    await space.json(["team", "sync", open], { env })
    const { stdout } = await space.run(["team", "worker", "--once", "--json"], { env })
    const done = stdout
      .trim()
      .split("\n")
      .map((line) => JSON.parse(line))
    expect(done.at(-1)).toMatchObject({ repository: open, outcome: "published", files: MODULES.length + 1 })
    expect(done.at(-1).stored).toBeLessThan(before)
    const { answer } = await ask("/v1/search", { query: "freshly_added" })
    expect(answer.results[0]).toMatchObject({ repository: open, path: "p1/added.py" })
    expect(answer.repositories[0].commit).toBe(git(open, "rev-parse", "HEAD").trim())
    // A push is announced by the host of the repository; anybody else's and a replayed message are refused.
    await postgres.query("UPDATE aman.repositories SET checked_at = now(); DELETE FROM aman.jobs")
    const push = JSON.stringify({ ref: "refs/heads/main", repository: { clone_url: open }, after: "1" })
    const hmac = (text: string, key = HOOK_SECRET) => createHmac("sha256", key).update(text).digest("hex")
    const hook = async (host: string, headers: Record<string, string>, body = push) =>
      (await fetch(`${url}/v1/hooks/${host}`, { method: "POST", headers, body })).status
    expect(await hook("github", { "x-hub-signature-256": `sha256=${hmac(push, "other")}` })).toBe(401)
    expect(await hook("gitea", {})).toBe(401)
    expect(await hook("gitlab", { "x-gitlab-token": "other" })).toBe(401)
    const jobs = async () => (await postgres.query("SELECT repository_id FROM aman.jobs")).length
    expect(await jobs()).toBe(0)
    const signed = { "x-hub-signature-256": `sha256=${hmac(push)}` }
    expect([await hook("github", signed), await jobs()]).toEqual([202, 1])
    expect(await hook("github", signed)).toBe(409)
    expect(await hook("gitea", { "x-gitea-signature": hmac(push) })).toBe(409)
    const lab = JSON.stringify({ project: { git_http_url: open }, after: "2" })
    expect(await hook("gitlab", { "x-gitlab-token": HOOK_SECRET }, lab)).toBe(202)
    expect(await hook("gitlab", { "x-gitlab-token": HOOK_SECRET }, "[]")).toBe(400)
    // A second check finds nothing to do.
    await space.json(["team", "sync"], { env })
    const again = await space.run(["team", "worker", "--once", "--json"], { env })
    expect(again.stdout.match(/"outcome":"unchanged"/g)).toHaveLength(2)

    await space.json(["team", "withdraw", "developers", open], { env })
    expect((await ask("/v1/search", { query: "freshly_added", repository: open })).status).toBe(404)
    await space.json(["team", "grant", "developers", open], { env })
    expect((await ask("/v1/search", { query: "freshly_added", repository: open })).status).toBe(200)
  })

  test("aman index takes the index of the nearest commit and reads only files that differ", async () => {
    using checkout = new Workspace()
    git(checkout.project, "clone", "-q", open, ".")
    await checkout.run(["team", "login", url], { stdin: ada.token })
    const published = git(open, "rev-parse", "HEAD")
    checkout.write("p1/own.py", "def common_step(own):\n    return Base1().advance(own)\n")
    commit(checkout.project, "a commit that no worker has seen")
    const [[edited, text], [deleted]] = [moduleOf(3, 0), moduleOf(9, 0)]
    checkout.write(edited, `${text}\n\ndef freshly_edited(value):\n    return common_step(value)\n`)
    rmSync(join(checkout.project, deleted))
    // The new text has the same size, so that only its content shows the change.
    const [turned, before] = moduleOf(4, 0)
    checkout.write(turned, before.replace("def ", "def\t"))
    const report = await checkout.json(["index"])
    expect(report).toMatchObject({ files: MODULES.length + 1, changed: 3, removed: 1, notices: [] })
    expect(report.handed_down).toEqual({ server: url, commit: published })
    const fresh = { AMAN_INDEX_DIR: join(checkout.dir, "fresh") }
    expect((await checkout.json(["index", "--force"], { env: fresh })).handed_down).toBeUndefined()
    expect(truthOf(join(checkout.project, ".aman"))).toEqual(truthOf(fresh.AMAN_INDEX_DIR))
    expect(await rankingsOf(checkout)).toEqual(await rankingsOf(checkout, fresh))
    expect(await answersOf(checkout)).toEqual(await answersOf(checkout, fresh))
    expect((await checkout.json(["search", "freshly_edited"])).results[0].path).toBe(edited)

    // A hit of the team's index in a file that was edited here shows the file as it is here.
    const ofTeam = async (query: string) => {
      const { results } = await checkout.json(["search", "--team", "*", query])
      return results.map((each: Answer) => [each.repository, each.path, each.text.includes("freshly_edited")])
    }
    expect((await ofTeam("freshly_edited"))[0]).toEqual([`team:${open}`, edited, true])
    const [{ symbol }] = (await ask("/v1/search", { query: "class", paths: [deleted] })).answer.results
    expect((await ofTeam(symbol)).map(([, path]: Answer) => path)).not.toContain(deleted)
    await using client = await connect(checkout)
    const seen = await client.call("search", { query: "freshly_edited", repository: "team:*" })
    expect(seen.structuredContent.results[0]).toMatchObject({ repository: `team:${open}`, path: edited })

    const shown = ({ files }: Answer) =>
      files.map(({ repository, path, snippets }: Answer) => [
        ...[repository, path],
        JSON.stringify(snippets).includes("freshly_edited"),
      ])
    const bundle = await checkout.json(["context", "--team", "*", "freshly_edited"])
    expect(shown(bundle)[0]).toEqual([`team:${open}`, edited, true])
    expect(bundle.hints[0]).toContain("shown as they are here")
    expect(bundle.commits).toEqual([])
    expect(bundle.tokens).toBeLessThanOrEqual(3000)
    const ofDeleted = await checkout.json(["context", "--team", "*", symbol])
    expect(shown(ofDeleted).map(([, path]: Answer) => path)).not.toContain(deleted)
    const forAgent = await client.call("context", { query: "freshly_edited", repository: "team:*" })
    expect(shown(forAgent.structuredContent)[0]).toEqual([`team:${open}`, edited, true])

    // Without an index here, the definition is that of the published commit, and a notice says so.
    const asOf = `${open} is shown as of commit ${published.slice(0, 12)}, not as it is in this checkout`
    const unindexed = { AMAN_INDEX_DIR: join(checkout.dir, "none") }
    const ofCommit = await checkout.json(["symbol", "--team", "*", "common_step"], { env: unindexed })
    expect(ofCommit.notices.join()).toContain(asOf)

    // The same file read: as it is here, as search has shown it.
    const read = async (...args: string[]) => {
      const name = args.includes("--team") ? [] : ["--team", open]
      const { repository, text, notices } = await checkout.json(["read", ...name, ...args])
      return { isOurs: repository === `team:${open}`, text, notices: String(notices) }
    }
    const differing = await read(edited)
    expect(differing).toMatchObject({
      isOurs: true,
      notices: expect.stringContaining("it differs in the commit"),
    })
    expect(differing.text).toContain("freshly_edited")
    expect((await read("--team", "open", edited)).text).toBe(differing.text)
    expect(await read(moduleOf(12, 0)[0])).toMatchObject({ isOurs: true, notices: "undefined" })
    expect((await read(deleted)).notices).toContain("in this checkout: no ")
    const added = await read("p1/own.py:2")
    expect(added).toMatchObject({ isOurs: true, text: "    return Base1().advance(own)" })
    expect(added.notices).toContain("that of this checkout")
    const readLines = { repository: `team:${open}`, path: edited, start_line: text.split("\n").length + 2 }
    const byAgent = (await client.call("read", readLines)).content[0]!.text
    expect([byAgent.includes("def freshly_edited"), byAgent.includes("that of this checkout")]).toEqual([
      true,
      true,
    ])
    const unknown = await checkout.run(["read", "--team", secret, edited])
    expect([unknown.code, unknown.stderr]).toEqual([1, expect.stringContaining("you can read no repository")])

    // Only an edited file here has the word; the team has nothing but files that are near in meaning.
    const only = await checkout.json(["search", "--team", "*", "--limit", "50", "edited"])
    const here = await checkout.json(["search", "--limit", "50", "edited"])
    expect(here.results[0].path).toBe(edited)
    expect(only.results.map(({ repository, path }: Answer) => [repository, path])).toEqual(
      here.results.map(({ path }: Answer) => [`team:${open}`, path]),
    )
    expect([only.nearest_only, only.notices.join().includes("no word of the query")]).toEqual([
      undefined,
      false,
    ])
    const near = await checkout.json(["context", "--team", "*", "edited"])
    expect(shown(near)[0]).toEqual([`team:${open}`, edited, true])
    expect(near.hints.join()).not.toContain("no word of the query")
    // The other way round: only a file of the team that is deleted here has the word.
    rmSync(join(checkout.project, "p1/added.py"))
    expect((await checkout.json(["search", "added"])).nearest_only).toBe(true)
    const left = await checkout.json(["search", "--team", "*", "--limit", "50", "added"])
    expect(left.results.length).toBeGreaterThan(0)
    expect(left.results.map(({ path }: Answer) => path)).not.toContain("p1/added.py")
    expect([left.nearest_only, left.notices.join()]).toEqual([
      true,
      expect.stringContaining("no word of the query"),
    ])
    git(checkout.project, "checkout", "-q", "--", "p1/added.py")

    // In each of these cases the index is made here, and the report says why.
    const file = join(checkout.home, ".config/aman/team.json")
    const login = await Bun.file(file).json()
    const { publicKey } = generateKeyPairSync("ed25519")
    const other = publicKey.export({ format: "der", type: "spki" }).toString("base64url")
    let count = 0
    const refusal = async (env: Record<string, string> = {}) => {
      const folder = { AMAN_INDEX_DIR: join(checkout.dir, `index-${count++}`) }
      const { handed_down, changed, notices } = await checkout.json(["index"], { env: { ...env, ...folder } })
      expect([handed_down, changed]).toEqual([undefined, MODULES.length + 1])
      return notices.join()
    }
    await Bun.write(file, JSON.stringify({ ...login, key: other }))
    expect(await refusal()).toContain("the signing key of the team server")
    const again = await checkout.run(["team", "login", url], { stdin: ada.token })
    expect([again.code, again.stderr]).toEqual([3, expect.stringContaining("aman team logout")])
    await Bun.write(file, JSON.stringify(login))
    expect(await refusal({ AMAN_TEAM_URL: url, AMAN_TEAM_TOKEN: ada.token })).toContain("AMAN_TEAM_KEY")
    expect(await refusal({ AMAN_MAX_FILE_SIZE: "1MB" })).toContain("other settings")
    expect(await refusal({ AMAN_TEAM_URL: "http://127.0.0.1:1", AMAN_TEAM_TOKEN: "x" })).toContain(
      "not answer",
    )
    const last = "length(data) - 1"
    const flip = `UPDATE aman.blob_parts SET data = set_byte(data, ${last}, get_byte(data, ${last}) # 1)`
    await postgres.query(flip)
    expect(await refusal()).toContain("damaged")
    await postgres.query(flip)
  }, 60_000)

  test("shares memories with those who may see them, and takes them back", async () => {
    const bob = await space.json(["team", "token", "bob", "--team", "developers"], { env })
    const eve = await space.json(["team", "token", "eve", "--team", "guests"], { env })
    using bobs = new Workspace()
    using eves = new Workspace()
    const machines = [
      [space, ada],
      [bobs, bob],
      [eves, eve],
    ] as const
    for (const [machine, { token }] of machines) {
      for (const args of [
        ["init", "-q"],
        ["remote", "add", "origin", open],
      ])
        git(machine.project, ...args)
      expect((await machine.run(["team", "login", url], { stdin: token })).code).toBe(0)
    }
    const texts = async (machine: Workspace, name: string, query: string) => {
      const answer = JSON.parse((await machine.run(["recall", "--json", "--team", name, query])).stdout)
      expect(answer.notices.join()).not.toContain("received before")
      return answer.results.map((each: Answer) => each.text)
    }
    const keep = async (whom: string, ...words: string[]) =>
      (await space.json(["remember", "--team", whom, ...words])).id as string

    const deploys = await keep("readers", "Deploys go out on Tuesdays", "--author", "bob")
    await keep("private", "The vault opens at nine")
    await keep("guests", "Guests meet in the lobby", "--global")
    const lunch = (await space.json(["remember", "--global", "Developers have lunch at noon"])).id
    const shared = await space.json(["memory", "share", lunch, "--team", "developers"])
    // Ada is in no team named guests, so the server refuses the entry that was kept for guests above.
    expect(shared.team).toMatchObject({ sent: 1, refused: [{ reason: "you are in no team named guests" }] })
    expect(await texts(eves, "*", "guests lobby")).toEqual([])
    const found = await bobs.json(["recall", "--team", "open", "when do deploys go out"])
    expect(found.results[0]).toMatchObject({
      ...{ id: deploys, text: "Deploys go out on Tuesdays", author: "ada", metadata: { repository: open } },
    })
    expect(JSON.stringify(found)).not.toContain("vault")
    expect(await texts(bobs, "*", "lunch")).toEqual(["Developers have lunch at noon"])
    expect(await texts(eves, "*", "when do deploys go out")).toEqual([])
    expect(await texts(space, "*", "vault")).toEqual(["The vault opens at nine"])
    await using client = await connect(bobs)
    const asked = await client.call("recall", { query: "deploys", team: "*" })
    expect(asked.content[0]!.text).toContain("Deploys go out on Tuesdays")

    // A change follows by itself, and so does every entry of a project that is shared as a whole.
    expect((await space.run(["memory", "revise", deploys, "Deploys go out on Fridays"])).code).toBe(0)
    await bobs.json(["remember", "Bob wrote this before"])
    await bobs.json(["memory", "share", "on", "--team", "readers"])
    await client.call("remember", { text: "Bob's agent wrote this after" })
    // The agent's server may be sending already; a second exchange beside it sends nothing.
    while ((await bobs.json(["memory", "sync"])).is_busy) await Bun.sleep(50)
    expect(await texts(space, "open", "what did bob write")).toEqual(
      expect.arrayContaining(["Bob wrote this before", "Bob's agent wrote this after"]),
    )
    expect(await texts(bobs, "*", "deploys")).toContain("Deploys go out on Fridays")

    // When a right ends, the entries that it covered are removed from the copies on other machines. A purge removes an
    // entry from every disk.
    const filesOf = async (machine: Workspace) => {
      const folder = join(machine.home, ".local/share/aman/team-memory")
      const names = [...new Bun.Glob("**/*").scanSync(folder)]
      return (await Promise.all(names.map((name) => Bun.file(join(folder, name)).text()))).join("\n")
    }
    await space.json(["team", "withdraw", "developers", open], { env })
    const left = await texts(bobs, "*", "deploys lunch")
    expect(left).toContain("Developers have lunch at noon")
    expect(left).not.toContain("Deploys go out on Fridays")
    expect(await filesOf(bobs)).not.toContain("Fridays")
    await space.json(["team", "grant", "developers", open], { env })
    expect(await texts(bobs, "*", "deploys")).toContain("Deploys go out on Fridays")
    expect((await space.run(["memory", "purge", deploys])).code).toBe(0)
    await space.json(["team", "purge", lunch], { env })
    for (const machine of [space, bobs])
      expect((await texts(machine, "*", "deploys lunch")).join()).not.toMatch(/Fridays|at noon/)
    for (const machine of [space, bobs]) expect(await filesOf(machine)).not.toMatch(/Fridays|at noon/)
    const rows = JSON.stringify(await postgres.query("SELECT * FROM aman.memory_events"))
    expect(rows).not.toMatch(/Fridays|at noon/)
    expect(rows).toContain("vault")
  }, 60_000)

  test("takes no memory that is another person's, secret or malformed", async () => {
    const mallory = await space.json(["team", "token", "mallory", "--team", "developers"], { env })
    const at = "2026-01-01T00:00:00.000Z"
    const [known] = (await postgres.query(
      "SELECT id, subject FROM aman.memory_events WHERE body LIKE '%Bob wrote this before%'",
    )) as [{ id: string; subject: string }]
    const name = (text: string) => stableId("test", text)
    const fields = { project: ".", text: "a note" }
    const push = async (entry: object, event: object) => {
      const subject = name(JSON.stringify([entry, event]))
      const whole = { id: name(`e${subject}`), at, subject, change: { type: "stored", fields } }
      const events = [{ ...whole, ...event }]
      const asked = { subject, visible_to: "readers", repository: open, events, ...entry }
      const { answer } = await ask("/v1/memory/push", { entries: [asked] }, mallory.token)
      return answer.refused?.[0]?.reason ?? answer.error?.message ?? null
    }
    const stored = (more: object) => ({ change: { type: "stored", fields: { ...fields, ...more } } })
    expect(await push({}, {})).toBeNull()
    const wrong: [object, object, string][] = [
      [{ subject: known.subject }, { subject: known.subject }, "another person has shared it"],
      [{}, { id: known.id }, "the same id"],
      [{}, { subject: known.subject }, "about another entry"],
      [{ repository: secret }, {}, "can read no repository"],
      [{ repository: "' OR true --" }, {}, "can read no repository"],
      [{ visible_to: "guests" }, {}, "in no team"],
      [{ visible_to: "developers'; DROP TABLE aman.tokens --" }, {}, "in no team"],
      [{}, stored({ text: ["gh", "p_Zk3vQ9xT1mB7nL5pW2rY8cD4fG6hJ0sAeUAb"].join("") }), "looks like"],
      [{}, stored({ project: "other" }), "another project"],
      [{}, { at: "2999-01-01T00:00:00.000Z" }, "future"],
      [{}, { change: { type: "entity-deleted" } }, "only entries"],
      [{ subject: "../../etc" }, { subject: "../../etc" }, "not an id"],
    ]
    for (const [entry, event, reason] of wrong) expect(await push(entry, event)).toContain(reason)
    const { answer } = await ask("/v1/memory/pull", { after: "" }, mallory.token)
    expect(JSON.stringify(answer)).not.toContain("vault")
    const seen = await postgres.query(
      "SET ROLE aman_memory; SELECT count(*) AS n FROM aman.memory_subjects; RESET ROLE",
    )
    expect(JSON.stringify(seen)).toContain('"n":"0"')
  })

  test("a killed worker's job is done by another, and published once", async () => {
    const big = box.repository(
      "big",
      Object.fromEntries(Array.from({ length: 120 }, (_, at) => moduleOf(at, 1))),
    )
    await space.json(["team", "add", big], { env })
    const start = (name: string) =>
      Bun.spawn([binary, "team", "worker", "--name", name, "--json"], {
        cwd: space.project,
        env: { ...space.env, ...env },
        stdin: "ignore",
        stdout: "pipe",
        stderr: "inherit",
      })
    const first = start("first")
    await first.stdout.getReader().read()
    first.kill("SIGKILL")
    await first.exited
    const second = start("second")
    const state = async () => {
      const { repositories } = await space.json(["team", "repos"], { env })
      return repositories.find(({ repository }: { repository: string }) => repository === big)
    }
    while ((await state()).state !== "ready") await Bun.sleep(100)
    second.kill("SIGTERM")
    await second.exited
    expect(await state()).toMatchObject({ files: 120, error: null })
    const [{ n }] = (await postgres.query(
      `SELECT count(*) AS n FROM aman.revisions v JOIN aman.repositories r ON r.id = repository_id WHERE r.url = '${big}'`,
    )) as [{ n: string }]
    expect(Number(n)).toBe(1)
  }, 60_000)

  test("names a repository that cannot be fetched, a database that is away, and a segment that is damaged", async () => {
    const gone = box.repository("gone", { "a.py": "a = 1\n" })
    await space.json(["team", "add", gone], { env })
    rmSync(gone, { recursive: true })
    const once = await space.run(["team", "worker", "--once", "--quiet"], { env })
    expect(once.code).toBe(3)
    const { repositories } = await space.json(["team", "repos"], { env })
    const failed = repositories.find(({ repository }: { repository: string }) => repository === gone)
    expect(failed).toMatchObject({ state: "failed", error: expect.stringContaining("gone") })
    const listed = (await space.run(["team", "repos"], { env })).stdout.trimEnd().split("\n")
    expect(listed.slice(-2)).toEqual([
      expect.stringMatching(/gone {2}failed .*gone/),
      expect.stringMatching(/^\d+ repositories: 1 failed, \d+ ready$/),
    ])

    const away = { AMAN_TEAM_DATABASE: "postgres://aman:secret@127.0.0.1:1/postgres" }
    const { code, stderr } = await space.run(["team", "repos"], { env: away })
    expect([code, stderr]).toEqual([3, expect.stringContaining("cannot be reached")])
    expect(stderr).not.toContain("secret")

    await space.json(["team", "grant", "developers", secret], { env })
    await postgres.query("UPDATE aman.blob_parts SET data = data || '\\x00' WHERE part = 0")
    const { answer } = await ask("/v1/search", { query: "freshly_added combination" })
    expect(answer.results[0].path).toBe("p1/added.py")
    expect(answer.notices.join()).toContain(`${secret} was not asked: segment`)
  })

  test("a server that answers with something else is named, and nothing of it reaches the terminal", async () => {
    let next: readonly [status: number, body: unknown] = [200, null]
    using other = Bun.serve({ port: 0, fetch: () => Response.json(next[1], { status: next[0] }) })
    const elsewhere = { AMAN_TEAM_URL: `http://127.0.0.1:${other.port}`, AMAN_TEAM_TOKEN: "x" }
    const place = { path: "\u001b[2J", start_line: 1, end_line: 1, text: "\u001b[2J", language: "x" }
    const bodies: (typeof next)[] = [
      ...[null, 5, "x", [], {}, { results: null }, { results: [{ ...place, score: "1" }], notices: [] }].map(
        (body) => [200, body] as const,
      ),
      ...[null, { error: null }, { error: { message: 5 } }, "x"].map((body) => [500, body] as const),
      [400, { error: { code: "EVIL", message: "\u001b[2J\u202e", hint: 5 } }],
      [
        200,
        {
          ...{ query: "door", class: "natural", next_offset: null, partial: null, notices: ["\u001b[2J"] },
          results: [{ ...place, symbol: "\u001b[2J", kind: "x", score: 1, also: [] }],
        },
      ],
    ]
    const commands = ["search", "context", "symbol", "recall", "read"] as const
    // Every command reads refusals in the same way, so one asks for each.
    for (const [at, body] of bodies.entries())
      for (const command of body[0] === 200 ? commands : [commands[at % commands.length]!]) {
        next = body
        const { code, stdout, stderr } = await space.run([command, "--team", "*", "door"], {
          env: elsewhere,
        })
        const isFine = [0, 1, 3].includes(code) && !/[\u001b\u202e]|bug in aman/.test(stdout + stderr)
        expect({ command, next, code, stderr, isFine }).toMatchObject({ isFine: true })
      }
  }, 120_000)

  test("does not listen for other machines without encryption, and ends when asked", async () => {
    const args = ["team", "serve", "--host", "0.0.0.0", "--port", "0", "--name", "other"]
    const { code, stderr } = await space.run(args, { env })
    expect([code, stderr]).toEqual([2, expect.stringContaining("in the clear")])
    const file = join(space.home, ".config/aman/team.json")
    expect((await Bun.file(file).stat()).mode & 0o777).toBe(0o600)
    server.kill("SIGTERM")
    expect(await server.exited).toBe(143)
    const away = await space.run(["search", "--team", "*", "class"], { cwd: space.home })
    await using ui = await UiServer.start(space)
    const unreachable = await fetch(`${ui.origin}/api/team`, { headers: await ui.enter() })
    expect(await unreachable.text()).toContain("does not answer")
    // What was received before is still there, and what is shared now waits.
    const known = await space.json(["recall", "--team", "*", "vault"])
    expect(known.results[0].text).toBe("The vault opens at nine")
    expect(known.notices.join()).toContain("were received before")
    const waiting = await space.run(["remember", "--team", "readers", "Written while the server was away"])
    expect([waiting.code, waiting.stderr]).toEqual([0, expect.stringContaining("not sent to the team yet")])
    expect([away.code, away.stderr]).toEqual([3, expect.stringContaining("does not answer")])
    expect((await space.run(["team", "logout"])).code).toBe(0)
    const out = await space.run(["search", "--team", "*", "class"])
    expect([out.code, out.stderr]).toEqual([3, expect.stringContaining("aman team login")])
  })
})
