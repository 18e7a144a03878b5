import { afterAll, beforeAll, describe, expect, test } from "bun:test"
import { existsSync, mkdirSync } from "node:fs"
import { join } from "node:path"
import { binary, Workspace } from "./harness.ts"
import { SHOP } from "./sample.ts"

describe("index", () => {
  test("reports what was indexed, and only changes the next time", async () => {
    using shop = new Workspace(SHOP)
    const first = await shop.json(["index", "--root", shop.project], { cwd: shop.dir })
    expect(first).toMatchObject({ root: shop.project, files: 7, changed: 7 })
    expect(first.languages).toMatchObject({ go: 2, typescript: 2, python: 1, markdown: 1 })
    expect(first.chunks).toBeGreaterThan(6)
    expect(first.embedding).toEqual({
      other: null,
      provider: expect.any(String),
      model: expect.any(String),
      dimensions: expect.any(Number),
    })
    expect(first.duration_ms).toBeGreaterThan(0)

    expect(await shop.json(["index"])).toMatchObject({ files: 7, changed: 0, removed: 0 })
    shop.write("web/hash.ts", "export const hash = (text: string) => text.length\n")
    expect(await shop.json(["index"])).toMatchObject({ files: 7, changed: 1, removed: 0 })
  })

  test("hides the index from git and skips secrets, dependencies and binaries", async () => {
    using shop = new Workspace({ ...SHOP, ".env": "SECRET=1\n", "node_modules/x/index.js": "let secret\n" })
    shop.write("logo.dat", "\0\0\0binary")
    const report = await shop.json(["index"])
    expect(report.files).toBe(7)
    expect(await Bun.file(join(shop.project, ".aman/.gitignore")).text()).toBe("*\n")
    const { code, stdout } = await shop.run(["search", "--json", "--mode", "keyword", "secret"])
    expect(JSON.parse(stdout).results).toEqual([])
    expect(code).toBe(1)
  })
})

describe("search", () => {
  let shop: Workspace
  beforeAll(() => {
    shop = new Workspace(SHOP)
  })
  afterAll(() => shop[Symbol.dispose]())

  test("builds the index first and answers in the documented format", async () => {
    const answer = await shop.json(["search", "--root", shop.project, "--limit", "3", "--", "RefundPayment"])
    expect(answer).toMatchObject({ query: "RefundPayment", class: expect.any(String), partial: null })
    expect(answer.took_ms).toBeGreaterThan(0)
    expect(answer.results.length).toBeLessThanOrEqual(3)
    const [best] = answer.results
    expect(best).toMatchObject({ path: "billing/refund.go", language: "go", also: expect.any(Array) })
    expect(best.symbol).toContain("RefundPayment")
    expect(best.text).toContain("func (l *Ledger) RefundPayment(id string) error {")
    const lines = SHOP["billing/refund.go"]!.split("\n").slice(best.start_line - 1, best.end_line)
    expect(best.text.trimEnd()).toBe(lines.join("\n").trimEnd())
    expect(typeof best.score).toBe("number")
  })

  test.each([
    ["how many failed logins are allowed before the account is locked", "web/login.ts"],
    ["sum of the sales per month", "tools/report.py"],
    ["limitAttempts", "web/login.ts"],
    ["when does the customer get money back", "README.md"],
  ])("finds %p in %s", async (query, path) => {
    const { results } = await shop.json(["search", "--limit", "3", query])
    expect(results.slice(0, 2).map((result: { path: string }) => result.path)).toContain(path)
  })

  test("returns each file once", async () => {
    const { results } = await shop.json(["search", "refund payment ledger hash login"])
    const paths = results.map((result: { path: string }) => result.path)
    expect(new Set(paths).size).toBe(paths.length)
  })

  test.each([
    [
      ["--lang", "go"],
      ["billing/refund.go", "billing/refund_test.go"],
    ],
    [
      ["--path", "billing", "--content", "code"],
      ["billing/refund.go", "billing/refund_test.go"],
    ],
    [["--path", "**/*_test.go"], ["billing/refund_test.go"]],
    [["--content", "docs", "--lang", "markdown"], ["README.md"]],
    [["--mode", "keyword", "--lang", "go", "--limit", "1"], ["billing/refund.go"]],
    [["--kind", "struct"], ["billing/refund.go"]],
  ])("%p narrows the results", async (flags, paths) => {
    const { results } = await shop.json(["search", ...flags, "RefundPayment"])
    expect(results.map((result: { path: string }) => result.path).sort()).toEqual(paths)
  })

  test("prints contributions that add up to the sum with --explain", async () => {
    const { results } = await shop.json(["search", "--explain", "RefundPayment"])
    for (const { explanation } of results) {
      const shares = explanation.features.map((feature: { contribution: number }) => feature.contribution)
      expect(shares.reduce((sum: number, share: number) => sum + share, 0)).toBeCloseTo(explanation.sum, 6)
    }
    expect(results.length).toBeGreaterThan(0)
    expect((await shop.run(["search", "--explain", "RefundPayment"])).stdout).toMatch(/\n +sum +[+-]\d/)
  })

  test("reads the query from stdin", async () => {
    const piped = await shop.run(["search", "--json"], { stdin: "RefundPayment\n" })
    const dash = await shop.run(["search", "--json", "-"], { stdin: "RefundPayment\n" })
    expect(JSON.parse(piped.stdout).query).toBe("RefundPayment")
    expect(JSON.parse(dash.stdout).results).toEqual(JSON.parse(piped.stdout).results)
  })

  test("treats words after -- as the query even if they look like flags", async () => {
    const { query, results } = await shop.json(["search", "--limit", "2", "--", "--limit", "RefundPayment"])
    expect(query).toBe("--limit RefundPayment")
    expect(results).toHaveLength(2)
  })

  test("fits a screen: five files of six lines; -n and --full show more", async () => {
    using project = new Workspace()
    for (let part = 0; part < 8; part++) {
      const body = Array.from({ length: 12 }, (_, line) => `    total += invoice.rate(${line})\n`).join("")
      project.write(`settle_${part}.py`, `import os\n\n\ndef settle_invoice_${part}(invoice):\n${body}`)
    }
    const places = ({ stdout }: { readonly stdout: string }) => stdout.match(/^\S+\.py:\S+(?= {2})/gm) ?? []
    const brief = await project.run(["search", "settle", "an", "invoice"])
    expect(places(brief)).toHaveLength(5)
    for (const place of places(brief)) expect(place).toEndWith(".py:4")
    expect(brief.stdout.trimEnd().split("\n")).toHaveLength(5 * (1 + 6) + 4)
    expect(places(await project.run(["search", "-n", "7", "settle", "an", "invoice"]))).toHaveLength(7)
    const full = await project.run(["search", "--full", "settle", "an", "invoice"])
    expect(places(full)).toHaveLength(8)
    expect(full.stdout).toContain("invoice.rate(11)")
  })

  test("prints places and code for people, without colour into a pipe", async () => {
    const { stdout, code } = await shop.run(["search", "RefundPayment"])
    expect(code).toBe(0)
    expect(stdout).toMatch(/^billing\/refund\.go:14 {2}.*RefundPayment \(method\)\n/)
    expect(stdout).toMatch(/\n *14 │ func \(l \*Ledger\) RefundPayment\(id string\) error \{\n/)
    expect(stdout).not.toContain("\x1b")
    const forced = await shop.run(["search", "RefundPayment"], { env: { FORCE_COLOR: "1" } })
    expect(forced.stdout).toContain("\x1b[")
    const refused = await shop.run(["search", "RefundPayment"], { env: { FORCE_COLOR: "1", NO_COLOR: "1" } })
    expect(refused.stdout).not.toContain("\x1b")
  })

  test("removes escape sequences in a file's text", async () => {
    using evil = new Workspace({ "evil.py": 'def evil_escape():\n    return "\x1b]0;owned\x07\x1b[2J"\n' })
    const { stdout } = await evil.run(["search", "evil_escape"], { env: { FORCE_COLOR: "1" } })
    expect(stdout).toContain("owned")
    for (const sequence of ["\x1b]", "\x07", "\x1b[2J"]) expect(stdout).not.toContain(sequence)
  })

  test("shows the current content of a file, not the indexed one", async () => {
    using project = new Workspace({ "a.py": "def zebra_one():\n    return 1\n" })
    await project.json(["index"])
    project.write("a.py", "\n\ndef zebra_two():\n    return 2\n")
    const { results } = await project.json(["search", "zebra_two"])
    expect(results[0]).toMatchObject({ path: "a.py", symbol: "zebra_two" })
    const old = await project.run(["search", "--json", "--mode", "keyword", "zebra_one"])
    expect(old.stdout).not.toContain("def zebra_one")
  })

  test("uses the index of the work tree in its subfolders", async () => {
    using work = new Workspace(SHOP)
    Bun.spawnSync(["git", "init", "-q"], { cwd: work.project })
    const folder = join(work.project, "web")
    const { results } = await work.json(["search", "hash"], { cwd: folder })
    expect(results[0].path).toBe("web/hash.ts")
    expect((await work.json(["status"], { cwd: folder })).root).toBe(work.project)
    expect((await work.json(["read", "hash.ts"], { cwd: folder })).path).toBe("web/hash.ts")
    expect((await work.json(["read", "web/hash.ts"], { cwd: folder })).path).toBe("web/hash.ts")
  })
})

describe("read and status", () => {
  test("print a range of lines, as JSON and unchanged", async () => {
    using shop = new Workspace(SHOP)
    const expected = {
      path: "web/login.ts",
      language: "typescript",
      start_line: 5,
      end_line: 6,
      total_lines: 14,
    }
    expect(await shop.json(["read", "web/login.ts:5-6"])).toMatchObject(expected)
    expect(await shop.json(["read", "--lines", "5-6", "web/login.ts"])).toMatchObject(expected)
    expect((await shop.run(["read", "web/hash.ts"])).stdout).toBe(SHOP["web/hash.ts"]!)
  })

  test("do not create an index for the status of a project without one", async () => {
    using shop = new Workspace(SHOP)
    expect(await shop.json(["status"])).toMatchObject({ root: shop.project, state: "missing", files: 0 })
    expect((await shop.run(["read", "go.mod"])).code).toBe(0)
    expect(await Bun.file(join(shop.project, ".aman/index.db")).exists()).toBe(false)
    await shop.json(["index"])
    expect(await shop.json(["status"])).toMatchObject({ state: "ready", files: 7, languages: { go: 2 } })
  })
})

describe("usage errors", () => {
  const MISTAKES: readonly (readonly [readonly string[], number, string])[] = [
    [["serach", "x"], 2, "did you mean aman search?"],
    [["search", "--limt", "3", "x"], 2, "did you mean --limit?"],
    [["callers", "x"], 2, "did you mean aman symbol NAME --callers?"],
    [["forget", "x"], 2, "did you mean aman memory delete ID?"],
    [["reconstruct", "x"], 2, "did you mean aman memory reconstruct?"],
    [["memory", "remove", "x"], 2, "did you mean aman memory delete ID?"],
    [["memory", "undo"], 2, "did you mean aman memory restore ID?"],
    [["memory", "supersede", "x"], 2, "did you mean aman remember TEXT --replaces ID?"],
    [["memory", "tag", "x"], 2, "write: aman memory tag IDS… --tag TAG"],
    [["memory", "delete"], 2, "write: aman memory delete [IDS…] | --topic TOPIC"],
    [["search", "--limit", "many", "x"], 2, "--limit must be a whole number"],
    [["search", "--limit", "-5", "x"], 2, 'not "-5"'],
    [["search", "--hidden should be x"], 2, 'put -- before it: -- "--hidden should be x"'],
    [["search", "--mode", "fuzzy", "x"], 2, "--mode must be one of hybrid, keyword, semantic"],
    [["search"], 2, "no search query given"],
    [["read"], 2, "read takes one path"],
    [["read", "a.py:9-3"], 2, "lines 9 to 3 do not exist"],
    [["read", "missing.py"], 1, "missing.py"],
    [["read", "../outside.txt"], 1, "outside"],
    [["index", "--root", "/no/such/folder"], 1, "/no/such/folder"],
    [["index", "--memory-limit", "lots"], 2, "--memory-limit"],
    [["repos", "add"], 2, "for example: aman repos add git@"],
    [["config", "get"], 2, "for example: aman config get search.limit"],
    [["symbol", "--outline"], 2, "no file given"],
    [["symbol", "a.py"], 1, 'aman symbol --outline "a.py"'],
    [["symbol", "nowhere"], 1, 'aman search "nowhere"'],
    [["status", "shop"], 2, "aman status --root shop"],
    [["map", "shop"], 2, "aman map --root shop"],
    [["version", "shop"], 2, "version takes no arguments"],
  ]
  test.each(MISTAKES)("aman %p exits with %d and explains why", async (args, code, message) => {
    using project = new Workspace({ "a.py": "x = 1\n" })
    const plain = await project.run(args)
    expect({ code: plain.code, stdout: plain.stdout }).toEqual({ code, stdout: "" })
    expect(plain.stderr).toContain(message)
    expect(plain.stderr).not.toMatch(/\n\s+at /)
    const asked = await project.run([...args, "--json"])
    expect(asked.code).toBe(code)
    const { error } = JSON.parse(asked.stdout)
    expect(`${error.code} ${error.message} ${error.hint}`).toContain(message)
  })

  test("shortens a long pasted name in the error", async () => {
    using project = new Workspace({ "a.py": "x = 1\n" })
    const { code, stderr } = await project.run(["symbol", "--", "word ".repeat(20_000)])
    expect(code).toBe(1)
    // On a busy machine the progress of the first index comes before it.
    expect(stderr).toContain('aman: no definition of "word word ')
    expect(stderr.length).toBeLessThan(5_000)
  })

  test("does not take the home folder for a project", async () => {
    using space = new Workspace()
    mkdirSync(join(space.home, "letters"))
    const { code, stderr } = await space.run(["index"], { cwd: space.home })
    expect(code).toBe(3)
    expect(stderr).toContain("--root")
    expect(await Bun.file(join(space.home, ".aman/index.db")).exists()).toBe(false)
  })

  test("ends quietly when its reader closes the pipe", async () => {
    using project = new Workspace({ "big.txt": "line\n".repeat(100_000) })
    const script = '"$0" read big.txt | head -n 1; "$0" search --quiet line | true'
    const shell = Bun.spawn(["sh", "-c", script, binary], {
      cwd: project.project,
      env: project.env,
      stdout: "pipe",
      stderr: "pipe",
    })
    expect(await shell.stdout.text()).toBe("line\n")
    expect(await shell.stderr.text()).toBe("")
  })

  test.skipIf(!existsSync("/dev/full"))("reports output that cannot be written (/dev/full)", async () => {
    using project = new Workspace({ "a.txt": "line\n" })
    for (const flag of ["", "--json"]) {
      const script = `"$0" read a.txt ${flag} > /dev/full; echo $?`
      const shell = Bun.spawnSync(["sh", "-c", script, binary], { cwd: project.project, env: project.env })
      expect(shell.stdout.toString()).toBe("3\n")
      expect(shell.stderr.toString()).toMatch(
        /^aman: cannot write the output: .*\nhint: free disk space there/,
      )
    }
  })
})

describe("help and version", () => {
  test("prints the version for all usual options", async () => {
    using space = new Workspace()
    const lines = await Promise.all([["version"], ["--version"], ["-v"]].map((args) => space.run(args)))
    for (const { stdout } of lines) expect(stdout).toMatch(/^aman \d+\.\d+\.\d+ \(\w+\)\n$/)
    expect(await space.json(["version"])).toMatchObject({ version: expect.stringMatching(/^\d+\.\d+\.\d+$/) })
  })

  test.each([
    "index",
    "search",
    "read",
    "status",
    "serve",
    "clean",
    "projects",
    "config",
    "doctor",
    "logs",
    "version",
  ])("aman %s --help has an example", async (name) => {
    using space = new Workspace()
    const { code, stdout } = await space.run([name, "--help"])
    expect(code).toBe(0)
    expect(stdout).toContain(`aman ${name}`)
    expect(stdout).toContain("Examples")
    expect((await space.run(["help", name])).stdout).toBe(stdout)
  })

  test("the help of a word of memory lists the flags of that word alone", async () => {
    using space = new Workspace()
    const { stdout } = await space.run(["memory", "related", "--help"])
    expect(stdout).toContain("aman memory related ENTITY [flags]")
    const flags = stdout.slice(stdout.indexOf("Flags\n"), stdout.indexOf("Flags of every command"))
    expect([...flags.matchAll(/--([a-z-]+)/g)].map(([, name]) => name)).toEqual([
      "type",
      "depth",
      "direction",
    ])
    expect((await space.run(["help", "memory", "related"])).stdout).toBe(stdout)
  })
})
