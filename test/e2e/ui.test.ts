import { afterAll, beforeAll, describe, expect, test } from "bun:test"
import { existsSync, mkdirSync, readFileSync, rmSync, statSync, writeFileSync } from "node:fs"
import { dirname, join } from "node:path"
import { pathToFileURL } from "node:url"
import type { Browser, BrowserContext, Page } from "playwright-core"
import { commit, GitBox, git } from "../git-repository.ts"
import { COLOURS, chromiumPath, seriousFindings, startChromium, UiServer } from "./browser.ts"
import { connect } from "./connect.ts"
import { binary, Workspace } from "./harness.ts"
import { SHOP } from "./sample.ts"
import type { Answer } from "./team-space.ts"

const SCRIPT = "<script>globalThis.hacked = 1</script><img src=x onerror='globalThis.hacked = 1'>"
/** Everything in it tries to become markup; one line has 100,000 characters. */
const HOSTILE = {
  "evil/<img src=x onerror=hacked=1>.ts": `export function evilName() { return "${SCRIPT}" }\n`,
  "evil/minified.js": `var a="${"x;".repeat(20_000)}"\n`,
  "evil/page.md": `# evilHeading ${SCRIPT}\n\n[link](javascript:hacked=1) evilMarkdown\n`,
  "evil/long.md": `${"// An ordinary line of text.\n".repeat(40)}export const evilLong = "${"x ".repeat(50_000)}"\n`,
}
const MINUTE = 60_000

let space: Workspace
let server: UiServer
let proof: { readonly authorization: string }

beforeAll(async () => {
  space = new Workspace({ ...SHOP, ...HOSTILE })
  git(space.project, "init", "-q", "--template=", "-b", "main")
  commit(space.project, "first")
  await space.json(["index"])
  const source = ["--source", "web/login.ts:3-8", "--topic", "login"]
  await space.run(["remember", ...source, "Accounts are locked after five failed logins"])
  await space.run(["remember", "--topic", "evil", `evilMemory ${SCRIPT}`])
  server = await UiServer.start(space)
  proof = await server.enter()
}, MINUTE)
afterAll(async () => {
  await server?.[Symbol.asyncDispose]()
  space[Symbol.dispose]()
})

/** Opens the file that leads to the link, as the browser of a user does. */
async function opens(file: string): Promise<void> {
  const browser = await startChromium()
  try {
    const page = await browser.newPage()
    await page.goto(`file://${file}`)
    await page.locator(".query").waitFor()
  } finally {
    await browser.close()
  }
}

function ask(path: string, headers: Record<string, string> = {}): Promise<Response> {
  return fetch(`${server.origin}${path}`, { headers: { ...proof, ...headers } })
}

// biome-ignore lint/suspicious/noExplicitAny: tests look at the parts they name
async function json(path: string): Promise<any> {
  const response = await ask(path)
  expect([path, response.status]).toEqual([path, 200])
  return response.json()
}

function act(body: object, headers: Record<string, string> = {}): Promise<Response> {
  const own = { ...proof, origin: server.origin, "content-type": "application/json" }
  return fetch(`${server.origin}/api/memory`, {
    method: "POST",
    headers: { ...own, ...headers },
    body: JSON.stringify(body),
  })
}

describe("the door", () => {
  test("answers only what has the secret, which the link gives out once", async () => {
    await using other = await UiServer.start(space)
    const secretless = async (path: string, headers: Record<string, string> = {}) =>
      (await fetch(`${other.origin}${path}`, { headers })).status
    for (const path of ["/api/project", "/api/events", "/api/session", `/api/project?code=${other.code}`])
      expect([path, await secretless(path)]).toEqual([path, 401])
    for (const path of ["/", `/?token=${other.code}`, "/api/session"])
      await fetch(`${other.origin}${path}`, { method: "HEAD" })
    for (const code of ["", "wrong", `${other.code}x`]) expect((await other.redeem(code)).status).toBe(401)
    expect((await other.redeem(other.code, { origin: "https://evil.example.com" })).status).toBe(403)
    const { authorization } = await other.enter()
    expect((await other.redeem(other.code)).status).toBe(401)
    expect(await secretless("/api/project", { authorization })).toBe(200)
    const wrong = [{ authorization: `${authorization}x` }, { authorization: "Bearer" }, proof]
    const cookies = [`aman-ui-${other.port}=${authorization.slice(7)}`, authorization].map((cookie) => ({
      cookie,
    }))
    for (const headers of [...wrong, ...cookies]) expect(await secretless("/api/project", headers)).toBe(401)
  })

  test("sets no cookie, and its page runs no inline script", async () => {
    await using other = await UiServer.start(space)
    const answers = [await other.redeem("wrong"), await other.redeem(other.code)]
    for (const path of ["/", "/page.js", "/api/project", "/api/nothing"]) answers.push(await ask(path))
    for (const { headers } of answers) expect(headers.get("set-cookie")).toBeNull()
    const page = await ask("/")
    expect(await page.text()).toContain("page.js")
    const policy = page.headers.get("content-security-policy")
    expect(policy).toContain("default-src 'none'; script-src 'self'")
    expect(policy).not.toContain("unsafe")
  })

  test.skipIf(process.platform === "win32" || process.platform === "darwin")(
    "gives the program that opens the browser a private file, and no secret as an argument",
    async () => {
      const [programs, seen] = [join(space.dir, "programs"), join(space.dir, "seen")]
      mkdirSync(programs)
      const opener = '#!/bin/sh\nprintf "%s\\n" "$@" > "$SEEN.part"\nmv "$SEEN.part" "$SEEN"\n'
      writeFileSync(join(programs, "xdg-open"), opener, { mode: 0o755 })
      const env = { ...space.env, PATH: `${programs}:${space.env["PATH"]}`, DISPLAY: ":99", SEEN: seen }
      const spawned = { cwd: space.project, env, stdin: "ignore", stdout: "ignore", stderr: "pipe" } as const
      const child = Bun.spawn([binary, "ui"], spawned)
      try {
        while (!existsSync(seen)) await Bun.sleep(20)
        const file = readFileSync(seen, "utf8").trim()
        const link = /url=(http:[^"]+)/.exec(readFileSync(file, "utf8"))![1]!
        expect(file).not.toContain(new URL(link).hash.split("code=")[1]!)
        expect(statSync(file).mode & 0o777).toBe(0o600)
        expect(statSync(dirname(file)).mode & 0o777).toBe(0o700)
        if (chromiumPath !== null) await opens(file)
        child.kill("SIGTERM")
        await child.exited
        expect(await child.stderr.text()).toContain(link)
        expect(existsSync(file)).toBe(false)
      } finally {
        child.kill("SIGKILL")
      }
    },
    MINUTE,
  )

  test("refuses other hosts, origins and sites, also with the secret", async () => {
    for (const host of ["evil.example.com", `evil.example.com:${server.port}`, "127.0.0.1", "127.0.0.1:1"])
      expect((await ask("/api/project", { host })).status).toBe(403)
    for (const origin of ["https://evil.example.com", "null", "http://127.0.0.1:1"])
      expect((await ask("/api/project", { origin })).status).toBe(403)
    expect((await ask("/api/project", { "sec-fetch-site": "cross-site" })).status).toBe(403)
    expect((await act({ action: "topics" }, { origin: "https://evil.example.com" })).status).toBe(403)
    const headers = { ...proof, "content-type": "application/json" }
    const without = await fetch(`${server.origin}/api/memory`, { method: "POST", headers, body: "{}" })
    expect(without.status).toBe(403)
  })
})

type PageLine = { readonly line: number; readonly text: string; readonly marks?: readonly number[] }
type PageResult = { readonly path: string; readonly line?: number; readonly shown: readonly PageLine[] }

describe("the API", () => {
  test.each(["RefundPayment", "who gets money back", "failed logins", "kind:class form", "evilMarkdown"])(
    "shows the lines that the terminal shows, with the words marked: %s",
    async (query) => {
      const { stdout } = await space.run(["search", ...query.split(" ")])
      const { results } = await json(`/api/search?query=${encodeURIComponent(query)}`)
      const shown = results.map((result: PageResult) => {
        const rows = result.shown.map(({ line, text }) => `${line} │ ${text.slice(0, 300)}`.trimEnd())
        return [`${result.path}:${result.line ?? result.shown[0]!.line}`, ...rows]
      })
      const blocks = stdout.trimEnd().split("\n\n")
      const printed = blocks.map((block) => {
        const [place, ...rows] = block.split("\n")
        return [place!.split("  ")[0], ...rows.map((row) => row.trim())]
      })
      expect(shown).toEqual(printed)
      const marked = results[0].shown.flatMap(({ text, marks = [] }: PageLine) =>
        marks.flatMap((start, nth) => (nth % 2 === 0 ? [text.slice(start, start + marks[nth + 1]!)] : [])),
      )
      expect(marked.length).toBeGreaterThan(0)
      for (const word of marked)
        expect(`${query} ${results[0].symbol}`.toLowerCase()).toContain(word.toLowerCase())
    },
  )

  test("searches, explains and colours code", async () => {
    const { results, next_offset } = await json("/api/search?query=RefundPayment&limit=1")
    expect(next_offset).toBe(1)
    const [first] = results
    expect(first).toMatchObject({ path: "billing/refund.go", language: "go", symbol: "Ledger.RefundPayment" })
    const line = first.lines.find(({ text }: { text: string }) => text.startsWith("func (l *Ledger) Refund"))
    const { token_kinds } = await json("/api/project")
    const [start, length, kind] = line.spans
    expect([line.text.slice(start, start + length), token_kinds[kind]]).toEqual(["func", "keyword"])
    expect(first.explanation.features.length).toBeGreaterThan(2)
    const only = await json("/api/search?query=hash&language=typescript&path=web&content=code&kind=function")
    expect(only.results.map(({ path }: { path: string }) => path)).not.toContain("billing/refund.go")
    const guessed = await json("/api/search?query=who+gets+the+money+again&names=RefundPayment&names=ledger")
    expect(guessed.results[0]).toMatchObject({ path: "billing/refund.go" })
    const why = await json("/api/why-not?query=RefundPayment&why_not=web/hash.ts")
    expect(why).toMatchObject({ path: "web/hash.ts", reason: expect.any(String) })
    expect((await json("/api/complete?of=path&typed=refund")).values).toContain("billing/refund.go")
    const file = await json("/api/file?path=web/hash.ts&start_line=2&end_line=3")
    expect(file.lines.map(({ line }: { line: number }) => line)).toEqual([2, 3])
  })

  test.each([
    ["exact", "hash(", []],
    ["regex", "func .*Refund\\w+", []],
    ["exact", "HASH", ["--ignore-case"]],
  ] as const)(
    "finds the lines that `aman grep` finds, with the places marked: %s %s",
    async (mode, query, more) => {
      const form = mode === "exact" ? ["--fixed-strings"] : []
      const { stdout } = await space.run(["grep", ...form, ...more, "-e", query])
      const asked = new URLSearchParams({ mode, query, ...(more.length > 0 && { ignore_case: "true" }) })
      const { results, matches, files } = await json(`/api/search?${asked}`)
      const lines = results.flatMap(({ path, lines }: { path: string; lines: PageLine[] }) =>
        lines.map(({ line, text }) => `${path}:${line}:${text}`),
      )
      expect(lines).toEqual(stdout.trimEnd().split("\n"))
      expect([matches, files]).toEqual([lines.length, results.length])
      const [{ text, marks }] = results[0].lines
      expect(text.slice(marks[0], marks[0] + marks[1])).toMatch(
        new RegExp(mode === "exact" ? "^hash" : `^${query}$`, "i"),
      )
      expect((await ask(`/api/search?mode=regex&query=${encodeURIComponent("(")}`)).status).toBe(400)
    },
  )

  test("counts what narrows a search by the filters of that name", async () => {
    const { folder, language, kind, of, is_all } = await json("/api/facets?query=hash&mode=exact")
    expect([of, is_all, kind]).toEqual([2, true, []])
    expect(folder).toEqual([{ value: "web", count: 2 }])
    expect(language).toEqual([{ value: "typescript", count: 2 }])
    const ranked = await json("/api/facets?query=refund")
    expect(ranked.folder).toContainEqual({ value: "billing", count: 2 })
    for (const { value } of ranked.kind) {
      const { results } = await json(`/api/search?query=refund&kind=${value}`)
      expect([value, results.length > 0]).toEqual([value, true])
    }
    expect((await json("/api/facets?query=refund&path=billing")).folder).toEqual([])
  })

  test("keeps its own results and scores whatever numbers a team's server answers with", async () => {
    const result = {
      ...{ repository: "x", path: "x.go", start_line: 1, end_line: 1, symbol: null, language: "go" },
      ...{ kind: "text", score: 1, text: "x", also: [], sum: 1 },
    }
    let answer = (_: { beside: Record<string, unknown> }): object => ({})
    const fetched = async (request: Request) => {
      const asked = (await request.json()) as { query: string; beside: Record<string, unknown> }
      const given = answer(asked)
      if (given instanceof Response) return given
      return Response.json({
        query: asked.query,
        results: [result],
        next_offset: null,
        notices: [],
        ...given,
      })
    }
    const server = Bun.serve({ port: 0, fetch: fetched })
    const login = { AMAN_TEAM_URL: `http://127.0.0.1:${server.port}`, AMAN_TEAM_TOKEN: "x" }
    await using own = await UiServer.start(space, [], login)
    const headers = await own.enter()
    const found = async (wrong: typeof answer) => {
      answer = wrong
      const path = "/api/search?query=RefundPayment&repository=.&repository=team:*"
      return (await (await fetch(`${own.origin}${path}`, { headers })).json()) as Answer
    }
    const whole = await found(({ beside }) => ({ scale: beside }))
    expect(whole.results.map(({ path }: Answer) => path)).toContain("x.go")
    const alone = await json("/api/search?query=RefundPayment")
    const scale = (more: object) => found(({ beside }) => ({ scale: { ...beside, ...more } }))
    for (const wrong of [
      await found(({ beside: { stems } }) => ({ scale: { hasMatch: true, stems, fileIdf: [] } })),
      await found(({ beside }) => ({ scale: beside, results: [{ ...result, sum: "1" }] })),
      await scale({ idfSum: 0, chunkIdfSum: 0 }),
      await scale({ idfSum: 1e308 }),
      await scale({ chunkIdf: [] }),
      await scale({ fileIdf: [], chunkIdf: [], weights: [] }),
    ]) {
      const scores = wrong.results.filter(({ path }: Answer) => path !== "x.go")
      expect(scores.length).toBeGreaterThanOrEqual(alone.results.length - 1)
      for (const { score } of scores) expect(score).toEqual(expect.any(Number))
    }
    const refusal = { code: "USAGE", message: 'the request has no argument "beside"' }
    const old = await found(() => Response.json({ error: refusal }, { status: 400 }))
    expect(old.notices).toEqual([expect.stringContaining("cannot rank them among others")])
    await server.stop(true)
  }, 60_000)

  test("says once that a place cannot be asked, and answers from the others", async () => {
    const { results, notices } = await json("/api/search?query=RefundPayment&repository=.&repository=team:*")
    expect(results[0].path).toBe("billing/refund.go")
    expect(notices).toEqual([
      expect.stringContaining("not logged in to a team server (run: aman team login URL;"),
    ])
    const found = await json("/api/search?query=hash(&mode=exact&repository=.&repository=*")
    const step =
      "no other repository is configured (run: aman repos add URL; or set AMAN_REPOS_URLS or repos.urls)"
    expect([found.files, found.notices]).toEqual([2, [step]])
    expect((await ask("/api/search?query=RefundPayment&repository=team:*")).status).not.toBe(200)
  })

  test("says who changed each line last, and which lines are in no commit", async () => {
    const report = SHOP["tools/report.py"]!
    space.write("tools/report.py", `# new\n${report}`)
    const { lines, commits, notices } = await json("/api/blame?path=tools/report.py&end_line=3")
    expect(lines).toEqual([
      { start_line: 1, end_line: 1, commit: null },
      { start_line: 2, end_line: 3, commit: commits[0].id },
    ])
    expect([commits.length, commits[0].subject, notices]).toEqual([1, "first", []])
    expect(commits[0].date).toMatch(/^\d{4}-\d\d-\d\d$/)
    space.write("tools/report.py", report)
    space.write("no-commit.md", "text\n")
    const unknown = await json("/api/blame?path=no-commit.md")
    expect(unknown).toEqual({ commits: [], lines: [], notices: ["no-commit.md is in no commit yet"] })
    const token = `ghp_${"16C7e42F292c6912E7710c838347Ae178B4a"}`
    commit(space.project, `rotate ${token}`)
    const secret = await json("/api/blame?path=no-commit.md")
    git(space.project, "reset", "-q", "HEAD~1")
    expect(secret.commits[0].subject).toBe("rotate ***")
    rmSync(join(space.project, "no-commit.md"))
  })

  test("refuses files outside of the project, unknown and wrong parameters, and unknown paths", async () => {
    for (const path of ["../home", "/etc/passwd", "evil/../../home/x"])
      for (const request of [
        `file?path=${encodeURIComponent(path)}`,
        `history?what=${encodeURIComponent(path)}`,
        `blame?path=${encodeURIComponent(path)}`,
      ])
        expect((await ask(`/api/${request}`)).status).toBeOneOf([400, 404])
    for (const query of ["", "query=a&limit=0", "query=a&mode=magic", "query=a&other=1"])
      expect((await ask(`/api/search?${query}`)).status).toBe(400)
    expect((await ask("/api/nothing")).status).toBe(404)
    expect((await ask("/../src")).status).toBe(404)
  })

  test("cuts a line of 100,000 characters", async () => {
    const { results } = await json("/api/search?query=evilLong&limit=1")
    const [{ path, lines }] = results
    expect(path).toBe("evil/long.md")
    expect(lines.at(-1)).toMatchObject({ line: 41, cut: expect.any(Number) })
    expect(lines.at(-1).text.length).toBeLessThan(1000)
  })

  test("acts on the memory with the rules of the command line; a purge must be confirmed", async () => {
    const list = async () => ((await (await act({ action: "list" })).json()) as { total: number }).total
    const before = await list()
    expect(before).toBe(2)
    await space.run(["remember", "--key", "to-purge", "Soon gone"])
    expect((await act({ action: "purge", ids: ["to-purge"] })).status).toBe(400)
    expect(await list()).toBe(3)
    expect((await act({ action: "purge", ids: ["to-purge"], confirmed: true })).status).toBe(200)
    expect(await list()).toBe(2)
    const recalled = await json("/api/recall?query=failed%20logins")
    expect(recalled.results[0].text).toStartWith("Accounts are locked")
    for (const action of ["import", "export", "share", "sync", "link", "no-such"])
      expect((await act({ action, path: "/etc/passwd" })).status).toBe(400)
  })

  test("lists what is indexed, what is not and why, and other repositories", async () => {
    const { files } = await json("/api/files?limit=2")
    expect(files).toHaveLength(2)
    const next = await json(`/api/files?limit=1000&after=${encodeURIComponent(files[1].path)}`)
    expect(next.files.map(({ path }: { path: string }) => path)).toContain("web/login.ts")
    const { skipped, total } = await json("/api/skipped?reason=minified")
    expect([skipped, total]).toEqual([[{ path: "evil/minified.js", reason: "minified" }], 1])
    expect((await ask("/api/skipped?reason=none")).status).toBe(400)
    expect((await json("/api/repositories")).repositories).toEqual([])
    expect((await json("/api/status")).languages.go).toBe(2)
  })

  test("measures files for a map, counts their uses and changes, and follows calls", async () => {
    const { modules, files } = await json("/api/map?memories=true")
    const file = files.find(({ path }: { path: string }) => path === "web/hash.ts")
    expect(file).toMatchObject({
      kind: "code",
      language: "typescript",
      lines: SHOP["web/hash.ts"]!.split("\n").length - 1,
    })
    expect([modules[file.module], file.memories]).toEqual(["web", 0])
    const { paths, uses, definitions } = await json("/api/uses")
    const named = uses.map(([from, to, count]: number[]) => [paths[from!], paths[to!], count])
    expect(named).toContainEqual(["web/login.ts", "web/hash.ts", 1])
    expect(definitions).toContainEqual([
      paths.indexOf("web/hash.ts"),
      "hash",
      expect.any(Number),
      expect.any(Number),
    ])
    expect((await ask("/api/changes?since=no-such-commit")).status).toBe(400)
    const { related } = await json("/api/symbol?name=hash&relation=callers")
    expect(related[0]).toMatchObject({ name: "LoginForm.submit", path: "web/login.ts" })
    expect((await ask("/api/symbol?name=noSuchName&relation=callers")).status).toBe(404)
  })

  test("tells open pages when a saved file is in the index", async () => {
    const stop = new AbortController()
    const stream = await fetch(`${server.origin}/api/events`, { headers: proof, signal: stop.signal })
    const reader = stream.body!.pipeThrough(new TextDecoderStream()).getReader()
    const files = async () => {
      for (;;) {
        const { value = "" } = await reader.read()
        const [, data] = /data: (\{.*\})/.exec(value) ?? []
        if (data !== undefined) return (JSON.parse(data) as { files: number }).files
      }
    }
    const before = await files()
    space.write("web/saved.ts", "export const savedJustNow = 1\n")
    let now = before
    while (now === before) now = await files()
    expect(now).toBe(before + 1)
    stop.abort()
    expect((await json("/api/search?query=savedJustNow&limit=1")).results[0].path).toBe("web/saved.ts")
  })
})

describe.skipIf(chromiumPath === null)("the page in Chromium", () => {
  let browser: Browser
  let context: BrowserContext
  let page: Page
  let own: UiServer
  const foreign: string[] = []
  const errors: string[] = []
  let languagesAsked = 0

  beforeAll(async () => {
    own = await UiServer.start(space)
    browser = await startChromium()
    context = await browser.newContext({ reducedMotion: "reduce" })
    page = await context.newPage()
    page.setDefaultTimeout(20_000)
    page.on("request", (request) => {
      if (!request.url().startsWith(`${own.origin}/`)) foreign.push(request.url())
      if (request.url().includes("of=language")) languagesAsked++
    })
    page.on("pageerror", ({ message }) => errors.push(message))
    page.on("console", (message) => {
      if (message.type() === "error") errors.push(message.text())
    })
    await page.goto(own.url)
    await page.locator(".query").waitFor()
  }, MINUTE)
  afterAll(async () => {
    await browser?.close()
    await own?.[Symbol.asyncDispose]()
  })

  test(
    "finds as one types, explains a result, and works by keyboard",
    async () => {
      expect(page.url()).toBe(`${own.origin}/#/search`)
      expect(await page.evaluate("history.length")).toBe(2)
      await page.locator("option", { hasText: /^go$/ }).waitFor({ state: "attached" })
      expect(languagesAsked).toBe(1)
      await page.keyboard.press("/")
      await page.keyboard.type("RefundPayment")
      const first = page.locator(".result").first()
      await first.getByText("refund.go").first().waitFor()
      expect(await first.locator("mark").first().textContent()).toBe("RefundPayment")
      expect(await first.locator(".t-keyword").count()).toBeGreaterThan(0)
      await page.keyboard.press("ArrowDown")
      await page.keyboard.press("e")
      await first.locator(".explanation .bar").first().waitFor()
      const link = await first.locator("[data-action=open]").getAttribute("href")
      expect(link).toStartWith("vscode://file/")
      expect(link).toContain("/project/billing/refund.go:")
      await first.locator("h2 a").click()
      await page.waitForURL(/#\/file\?path=billing%2Frefund\.go&line=\d+$/)
      await page.locator("main .marked").waitFor()
      await page.locator(".line", { hasText: "package" }).first().click()
      await page.waitForURL(/&line=1$/)
      expect(await page.locator(".marked .number").textContent()).toBe("1")
      await page.getByRole("button", { name: "History of line 1" }).click()
      await page.locator(".commits li", { hasText: "first" }).waitFor()
      await page.keyboard.press("b")
      await page.waitForURL(/&blame=1$/)
      await page.locator(".line .before a").press("Enter")
      await page.locator(".commits li", { hasText: "first" }).waitFor()
      expect(await seriousFindings(page)).toEqual([])
      await page.evaluate("location.assign('#/file?path=web/login.ts&line=12')")
      await page.getByRole("link", { name: "Accounts are locked" }).waitFor()
      await page.getByRole("link", { name: "line 3" }).waitFor()
      expect(await page.locator(".noted .number").allTextContents()).toEqual(["3", "4", "5", "6", "7", "8"])
      await page.locator(".marked .t-function", { hasText: /^hash$/ }).click()
      await page.waitForURL(/&line=12&name=hash$/)
      const uses = page.getByLabel("Definitions and uses")
      await uses.getByText("function · certain").waitFor()
      await uses.locator("li", { hasText: "in LoginForm.submit · certain" }).waitFor()
      expect(await seriousFindings(page)).toEqual([])
      await uses.getByRole("link", { name: "What may break" }).click()
      await page.waitForURL(/#\/map\?impact=hash&path=web%2Fhash\.ts$/)
      await page.getByText("May be affected", { exact: true }).waitFor()
      await page.setViewportSize({ width: 400, height: 800 })
      expect(await seriousFindings(page)).toEqual([])
      expect(await page.evaluate("document.documentElement.scrollWidth")).toBe(400)
      await page.goBack()
      await uses.getByText("function · certain").waitFor()
      expect(await page.evaluate("document.documentElement.scrollWidth")).toBe(400)
      await page.setViewportSize({ width: 1280, height: 720 })
      await uses.getByRole("link", { name: "web/hash.ts:1" }).click()
      await page.waitForURL(/#\/file\?path=web%2Fhash\.ts&line=1$/)
      // By keyboard: the names on the line are links.
      await page.getByRole("link", { name: "hash", exact: true }).press("Enter")
      await uses.getByRole("link", { name: "web/login.ts:12" }).click()
      await page.locator(".marked", { hasText: "return hash(" }).waitFor()
      await page.evaluate("location.assign('#/search')")
      await page.locator(".query").fill("hash(")
      await page.getByLabel("Exact text").check()
      await page.getByText("2 lines in 2 files").waitFor()
      await page.getByLabel("Ignore case").check()
      await page.waitForURL(/#\/search\?q=hash%28&mode=exact&ignore_case=true$/)
      await page.getByLabel("Words and meaning").check()
      await page.locator(".query").fill("refund")
      const narrow = page.getByLabel("Narrow the search")
      await narrow.getByRole("button", { name: /^billing \d/ }).press("Enter")
      await page.waitForURL(/folder=billing/)
      await narrow.getByRole("button", { name: "billing ×" }).waitFor()
      expect(await seriousFindings(page)).toEqual([])
      await narrow.getByRole("button", { name: "billing ×" }).click()
      await page.locator(".query").fill("refund file:billing/refund_t")
      await page.locator("option[value='refund file:billing/refund_test.go']").waitFor({ state: "attached" })
      expect(await seriousFindings(page)).toEqual([])
    },
    MINUTE,
  )

  test(
    "requests everything once when a page is opened by its address",
    async () => {
      for (const [address, shown] of [
        ["#/map", ".map-side .link"],
        ["#/map?symbol=RefundPayment", ".graph .node"],
      ] as const) {
        // Only a tab that opened a link is answered, also when it comes back to the page.
        await using other = await UiServer.start(space)
        const another = await page.context().newPage()
        await another.goto(other.url)
        await another.locator(".query").waitFor()
        await another.goto("about:blank")
        const requests: string[] = []
        another.on("request", (request) => requests.push(request.url()))
        await another.goto(`${other.origin}/${address}`)
        // Shown after the server's first event, which a page opened by its address waits for.
        for (const part of [shown, ".index-state"]) await another.locator(part).first().waitFor()
        expect(requests).toEqual([...new Set(requests)])
        await another.close()
      }
    },
    MINUTE,
  )

  test(
    "says in a tab without a link, or with a used one, what to do, and asks nothing",
    async () => {
      const another = await page.context().newPage()
      const requests: string[] = []
      another.on("request", (request) => requests.push(request.url()))
      for (const address of [`${own.origin}/#/memory`, own.url]) {
        await another.goto("about:blank")
        await another.goto(address)
        await another.getByText("open the link that it prints").waitFor()
        expect(await another.locator("main").count()).toBe(0)
      }
      expect(requests.filter((url) => url.includes("/api/"))).toEqual([`${own.origin}/api/session`])
      await another.close()
    },
    MINUTE,
  )

  test(
    "shows names, code, Markdown and long lines of a hostile project as text",
    async () => {
      for (const [query, text] of [
        ["evilName", "<script>"],
        ["evilMarkdown", "<script>"],
        ["evilLong", "more characters"],
      ] as const) {
        await page.locator(".query").fill(query)
        await page.locator(".result .code", { hasText: text }).first().waitFor()
      }
      const file = new URLSearchParams({ path: Object.keys(HOSTILE)[0]!, line: "1" })
      await page.evaluate(`location.assign("#/file?${file}")`)
      await page.locator(".marked .t-function", { hasText: "evilName" }).click()
      await page.getByLabel("Definitions and uses").locator("code", { hasText: "evilName" }).waitFor()
      expect(await page.locator("main script, main img").count()).toBe(0)
      expect(await page.evaluate(() => "hacked" in globalThis)).toBe(false)
      expect(foreign).toEqual([])
      expect(errors).toEqual([])
    },
    MINUTE,
  )

  test(
    "shows a memory with its changed code, revises it, and shows its history",
    async () => {
      space.write("web/login.ts", SHOP["web/login.ts"]!.replace("MAX_ATTEMPTS = 5", "MAX_ATTEMPTS = 7"))
      await page.getByRole("link", { name: "Memory" }).click()
      await page.locator(".headline", { hasText: "evilMemory <script>" }).waitFor()
      await page.getByLabel("To review").check()
      await page.locator("button.entry", { hasText: "five failed logins" }).click()
      const detail = page.locator(".detail")
      await detail.locator("td.removed", { hasText: "MAX_ATTEMPTS = 5" }).waitFor()
      await detail.locator("td.added", { hasText: "MAX_ATTEMPTS = 7" }).waitFor()
      expect(await seriousFindings(page)).toEqual([])
      await detail.getByRole("button", { name: "Revise" }).click()
      await page.locator("dialog textarea").fill("Accounts are locked after seven failed logins")
      await page.locator("dialog").getByRole("button", { name: "Revise" }).click()
      await detail.locator(".entry-text", { hasText: "seven failed logins" }).waitFor()
      await detail.locator(".history", { hasText: "revised" }).waitFor()
      await detail.getByRole("button", { name: "It still holds" }).click()
      await page.getByText("0 entries to review").waitFor()
    },
    MINUTE,
  )

  test(
    "shows both times of entries, entities as a graph, and settles a conflict",
    async () => {
      const notes = [
        {
          text: "The shop uses cookies for its session",
          recorded_at: "2026-01-01T00:00:00Z",
          kind: "decision",
        },
        {
          text: "The shop does not use cookies for its session any more",
          recorded_at: "2026-02-01T00:00:00Z",
        },
        {
          text: `Payments run in one region ${SCRIPT}`,
          ...{ recorded_at: "2026-02-01T00:00:00Z", valid_from: "2025-12-01", valid_until: "2026-03-01" },
          relations: [{ from: "payments", type: "depend on", to: "<img src=x onerror=hacked=1>" }],
        },
      ]
      const stdin = notes.map((note) => JSON.stringify(note)).join("\n")
      expect((await space.run(["remember", "--batch", "-"], { stdin })).code).toBe(0)
      await space.run(["memory", "embed"], { env: { AMAN_EMBEDDINGS_ENCODER: "idle" } })
      await page.getByLabel("Timeline").check()
      const lane = page.locator(".lane.entry", { hasText: "Payments run" })
      await lane.locator(".span.ended").waitFor()
      await lane.getByText("holds from 2025-12-01 · until 2026-03-01").waitFor()
      expect(await seriousFindings(page)).toEqual([])
      await page.getByLabel("Held on").fill("2026-04-01")
      await lane.waitFor({ state: "detached" })
      await page.getByLabel("Held on").fill("")
      await page.getByLabel("Kind").selectOption("decision")
      await page.getByText("1 entry", { exact: true }).waitFor()
      await page.getByLabel("Entities").check()
      await page.getByRole("button", { name: /^payments \d/ }).click()
      await page.locator(".graph .relation", { hasText: "depend on" }).waitFor()
      expect(await page.locator(".graph .node", { hasText: "<img src=x" }).count()).toBe(1)
      expect(await seriousFindings(page)).toEqual([])
      await page.getByLabel("To review").check()
      const pair = page.locator(".conflicts li", { hasText: "The shop uses cookies" })
      await pair.getByRole("button", { name: "The newer replaces the older" }).click()
      expect(await seriousFindings(page)).toEqual([])
      await page.locator("dialog").getByRole("button", { name: "No longer valid" }).click()
      await page.getByText(/^0 pairs/).waitFor()
      expect(await page.evaluate(() => "hacked" in globalThis)).toBe(false)
      expect([foreign, errors]).toEqual([[], []])
    },
    MINUTE,
  )

  test(
    "shows changes of the memory by other processes without a reload",
    async () => {
      await page.getByLabel("Entries").check()
      await page.getByLabel("Kind").selectOption("")
      const row = page.locator("button.entry", { hasText: "Remembered elsewhere" })
      await page.locator("button.entry").first().waitFor()
      await space.run(["remember", "--key", "elsewhere", "--topic", "new topic", "Remembered elsewhere"])
      await row.click()
      await page
        .getByLabel("Topic")
        .locator("option", { hasText: "new topic" })
        .waitFor({ state: "attached" })
      await space.run(["memory", "revise", "elsewhere", "Remembered elsewhere, and revised"])
      await page.locator(".detail .entry-text", { hasText: "and revised" }).waitFor()
      await page.locator("button.entry", { hasText: "and revised" }).waitFor()
      await space.run(["memory", "delete", "elsewhere"])
      await row.waitFor({ state: "detached" })
      expect([foreign, errors]).toEqual([[], []])
    },
    MINUTE,
  )

  test(
    "shows what is indexed and not, and a saved file without a reload",
    async () => {
      using box = new GitBox()
      const repository = box.repository("elsewhere", { "a.py": "one = 1\n", "logo.png": "\x89PNG" })
      await space.run(["config", "set", "repos.urls", repository])
      {
        // A server clones it and writes to its log that it has.
        await using _ = await connect(space)
        while ((await json("/api/repositories")).repositories[0].state !== "ready") await Bun.sleep(50)
      }
      const [{ repository: name }] = (await json("/api/repositories")).repositories
      await page.reload()
      await page.evaluate("location.assign('#/search?q=one')")
      await page.getByLabel("In this project").selectOption("everywhere")
      await page
        .locator(".result h2", { hasText: `${name} a.py` })
        .getByRole("link")
        .click()
      await page.locator(".file .line", { hasText: "one = 1" }).waitFor()
      expect(await page.getByRole("button", { name: /^History/ }).count()).toBe(0)
      await page.getByRole("link", { name: "Index" }).click()
      await page.getByRole("button", { name: /^minified/ }).click()
      await page.locator(".paths", { hasText: "minified.js" }).waitFor()
      const rows = page.locator(".virtual .row")
      await rows.first().waitFor()
      expect(await rows.filter({ hasText: "<img src=x onerror=hacked=1>.ts" }).count()).toBe(1)
      space.write("a-saved-file.ts", "export const shownAtOnce = 1\n")
      const saved = rows.filter({ hasText: "a-saved-file.ts" })
      await saved.waitFor()
      // As many files as before, with another size.
      space.write("a-saved-file.ts", "// longer\n".repeat(300))
      await saved.filter({ hasText: "KB" }).waitFor()
      await page.getByRole("button", { name: "Show" }).click()
      await page.locator(".log", { hasText: "listening" }).waitFor()
      const other = page.locator(".repository", { hasText: "elsewhere" })
      await other.getByRole("button", { name: /elsewhere$/ }).click()
      await other.getByRole("button", { name: "media 1" }).click()
      await other.locator(".paths", { hasText: "logo.png" }).waitFor()
      await other.locator(".log", { hasText: `synced repository=${repository}` }).waitFor()
      expect(await other.locator(".log", { hasText: "listening" }).count()).toBe(0)
      expect(await seriousFindings(page)).toEqual([])
      expect([foreign, errors]).toEqual([[], []])
    },
    MINUTE,
  )

  test(
    "shows what agents asked once a person allows it, and what setup would write",
    async () => {
      mkdirSync(join(space.home, ".claude"))
      await page.getByRole("link", { name: "Agents" }).click()
      await page.getByText("Calls of agents are not recorded").waitFor()
      const report = page.locator(".report")
      await report.getByText("How this was computed").waitFor()
      await page.getByText(".claude.json").first().click()
      await page.locator(".diff .added", { hasText: "aman" }).first().waitFor()
      expect(await seriousFindings(page)).toEqual([])
      await space.run(["config", "set", "ui.record_calls", "true"])
      // Settings are read again after half a second at most.
      await page.getByText("No agent has asked").waitFor()
      while (!(await json("/api/calls")).recording) await Bun.sleep(50)
      const { file } = await json("/api/calls")
      const old = {
        client: "c",
        tool: "t",
        root: space.project,
        asked: "",
        took_ms: 1,
        tokens: 1,
        results: null,
      }
      const line = (at: string) => `${JSON.stringify({ at, ...old, is_error: false })}\n`
      mkdirSync(dirname(file), { recursive: true })
      writeFileSync(file, line("2020-01-01T00:00:00Z") + line(new Date().toISOString()).repeat(14_000))
      {
        await using agent = await connect(space)
        await agent.client.callTool({ name: "search", arguments: { query: `RefundPayment ${SCRIPT}` } })
        await agent.client.callTool({ name: "remember", arguments: { text: "Recorded nowhere else" } })
        await agent.client.callTool({ name: "search", arguments: {} })
      }
      const rows = page.locator(".virtual .row")
      await rows.filter({ hasText: "RefundPayment <script>" }).waitFor()
      await rows.filter({ hasText: "failed" }).waitFor()
      await report.getByRole("button", { name: "Compare with ripgrep" }).click()
      await report.getByText("search: 2 calls").waitFor()
      const { stdout } = await space.run(["report", "--seconds", "0"])
      for (const line of stdout.trim().split(/\n\s*/))
        await report.getByText(line.trim(), { exact: true }).first().waitFor()
      expect(await seriousFindings(page)).toEqual([])
      const { calls } = await json("/api/calls?limit=3")
      const [wrong, remembered, search] = calls
      expect(search).toMatchObject({ tool: "search", client: "test", is_error: false })
      expect(search.results).toBeGreaterThan(0)
      expect(search.tokens).toBeGreaterThan(0)
      expect([remembered.tool, remembered.asked, wrong.is_error]).toEqual(["remember", "{}", true])
      expect(statSync(file).size).toBeLessThan(1_100_000)
      expect(readFileSync(file, "utf8")).not.toContain("2020-01-01")
      await space.run(["config", "unset", "ui.record_calls"])
      await page.getByText("Calls of agents are not recorded").waitFor()
      expect(existsSync(file)).toBe(false)
    },
    MINUTE,
  )

  test(
    "draws the modules down to functions, and the neighbourhood of a symbol that grows on a click",
    async () => {
      await page.getByRole("link", { name: "Code map" }).click()
      const side = page.getByLabel("In words")
      await side.locator("[data-path='billing']").waitFor()
      expect(await seriousFindings(page)).toEqual([])
      await page.getByLabel("Colour").selectOption("memories")
      await side.locator("[data-path='web']").click()
      await side.locator("[data-path='web/hash.ts']").click()
      await side.getByRole("heading", { name: "Used by" }).waitFor()
      await side.locator("[data-path='web/login.ts']").waitFor()
      const canvas = page.locator(".map-canvas")
      expect(await page.evaluate(COLOURS)).toBeGreaterThan(5)
      await canvas.press("+")
      await page.locator(".map-canvas[data-scale^='1.4']").waitFor()
      await canvas.press("Enter")
      expect(Number(await canvas.getAttribute("data-scale"))).toBeGreaterThan(1)
      expect(await seriousFindings(page)).toEqual([])
      const saved = page.waitForEvent("download")
      await page.getByRole("button", { name: "Save the map as a file" }).click()
      expect(readFileSync(await (await saved).path(), "utf8")).toContain('"path":"web/hash.ts"')
      const file = join(space.home, "map.html")
      await space.run(["map", "--html", file, "--symbol", "hash"])
      const exported = await context.newPage()
      const asked: string[] = []
      exported.on("request", (request) => asked.push(request.url()))
      await exported.goto(pathToFileURL(file).href)
      const words = exported.getByLabel("In words")
      await words.locator("[data-path='web']").click()
      await words.locator("[data-path='web/hash.ts']").click()
      await words.getByText("may be affected").waitFor()
      await exported.getByRole("checkbox", { name: "of tests" }).check()
      expect(await exported.evaluate(COLOURS)).toBeGreaterThan(3)
      expect(await exported.evaluate("[window.hacked, document.querySelectorAll('img').length]")).toEqual([
        undefined,
        0,
      ])
      expect(asked).toEqual([pathToFileURL(file).href])
      expect(await seriousFindings(exported)).toEqual([])
      await exported.close()
      await side.locator("button", { hasText: /^hash$/ }).click()
      await side.getByRole("link", { name: "What uses it" }).click()
      const nodes = page.locator(".graph .node")
      await nodes.filter({ hasText: "submit" }).waitFor()
      expect(await page.locator(".graph .arrow").count()).toBe(1)
      expect(await seriousFindings(page)).toEqual([])
      const download = page.waitForEvent("download")
      await page.getByRole("button", { name: "Mermaid" }).click()
      expect(readFileSync(await (await download).path(), "utf8")).toStartWith("flowchart LR\n")
      // More callers than are drawn at once: the page says so, without a reload.
      const callers = Array.from({ length: 60 }, (_, nth) => `export const caller${nth} = () => hash("")`)
      const start = 'export function start(form: LoginForm) {\n  form.submit("", "")\n}\n'
      const imports = 'import { hash } from "./hash"\nimport { LoginForm } from "./login"\n'
      space.write("web/many.ts", `${imports}${start}${callers.join("\n")}\n`)
      await page.getByText("50 of 61 callers are drawn").waitFor()
      await nodes.filter({ hasText: "LoginForm.submit" }).click()
      await nodes.filter({ hasText: "start" }).waitFor()
      expect([foreign, errors]).toEqual([[], []])
    },
    MINUTE,
  )

  test(
    "draws what the uncommitted changes may break, and the tests that reach a symbol",
    async () => {
      space.write("web/hash.ts", SHOP["web/hash.ts"]!.replace("5381", "5380"))
      await page.getByRole("link", { name: "Code map" }).click()
      await page.getByRole("link", { name: "Impact of uncommitted changes" }).click()
      await page.getByText(/^\d changed files?/).waitFor()
      const side = page.getByLabel("In words")
      await side
        .locator("li", { hasText: /^web.*\+\d+ −\d/ })
        .first()
        .waitFor()
      expect(await seriousFindings(page)).toEqual([])
      await page.getByRole("link", { name: "As a graph" }).click()
      const asked = page.locator(".graph .asked")
      await asked.filter({ hasText: "hash" }).first().waitFor()
      await page.locator(".graph .node", { hasText: "LoginForm.submit" }).waitFor()
      await page.getByLabel("Symbol", { exact: true }).fill("Ledger.RefundPayment")
      await page.getByRole("button", { name: "Show" }).click()
      await page.getByRole("link", { name: "Impact", exact: true }).click()
      await page.locator(".graph .test", { hasText: "TestRefundPayment" }).waitFor()
      await page.locator(".paths", { hasText: "billing/refund_test.go" }).waitFor()
      expect(await seriousFindings(page)).toEqual([])
      expect([foreign, errors]).toEqual([[], []])
    },
    MINUTE,
  )

  test(
    "draws the symbols of a file as one box in a wide impact, and each of them after a click",
    async () => {
      const users = Array.from(
        { length: 45 },
        (_, nth) => `export const user${nth} = () => wideTarget(${nth})\n`,
      )
      space.write("wide/target.ts", "export function wideTarget(n: number) {\n  return n\n}\n")
      space.write("wide/users.ts", `import { wideTarget } from "./target"\n${users.join("")}`)
      await space.json(["index"])
      await page.goto(`${own.origin}/#/map?symbol=wideTarget&view=impact`)
      await page.locator(".legend", { hasText: "45 of them in 1 file" }).waitFor()
      expect(await page.locator(".graph .node").count()).toBe(2)
      await page.locator(".graph .node", { hasText: "45 in users.ts" }).click()
      await page.locator(".graph .node", { hasText: "user44" }).waitFor()
    },
    MINUTE,
  )

  test(
    "searches the guides on its help page, typing errors included",
    async () => {
      await page.getByRole("link", { name: "Help" }).click()
      await page.getByLabel("Question about aman").fill("undo stup")
      await page.locator(".guide[open] summary", { hasText: "aman setup --remove" }).waitFor()
      expect(await seriousFindings(page)).toEqual([])
      expect([foreign, errors]).toEqual([[], []])
    },
    MINUTE,
  )

  test(
    "says that the server is gone, and after a restart that it needs the new link",
    async () => {
      const { port } = own
      await own[Symbol.asyncDispose]()
      await page.getByText("aman does not answer").waitFor()
      own = await UiServer.start(space, ["--port", String(port)])
      await page.getByText("open the link that it prints").waitFor()
      await page.goto(own.url)
      await page.locator(".query").waitFor()
      expect(await page.locator(".banner").count()).toBe(0)
    },
    MINUTE,
  )
})
