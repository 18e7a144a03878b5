import { afterAll, beforeAll, describe, expect, test } from "bun:test"
import { type Connection, connect } from "./connect.ts"
import { Workspace } from "./harness.ts"
import { SHOP } from "./sample.ts"

type Found = {
  readonly query: string
  readonly results: readonly { readonly path: string; readonly text: string; readonly shown_for?: string }[]
  readonly next_offset: number | null
  readonly notices: readonly string[]
}

let shop: Workspace
let server: Connection
beforeAll(async () => {
  shop = new Workspace({
    ...SHOP,
    "drinks/café.md": "# Getränke\n\n注文を数える。Сколько чашек?\n",
    "other/digest.ts": SHOP["web/hash.ts"]!.replace("hash(text", "digest(words").replaceAll("letter", "part"),
  })
  await shop.run(["index"])
  server = await connect(shop)
})
afterAll(async () => {
  await server[Symbol.asyncDispose]()
  shop[Symbol.dispose]()
})

/** Asks the same question by command line and by MCP; the answers must be equal. */
async function ask(args: { readonly query?: string; readonly [name: string]: unknown }): Promise<Found> {
  const { query, ...rest } = args
  const flags = Object.entries(rest).flatMap(([name, value]) => [`--${name}`, String(value)])
  const { stdout, stderr } = await shop.run(["search", "--json", ...flags, "--", ...(query ? [query] : [])])
  const typed = JSON.parse(stdout || stderr) as Found
  const { structuredContent } = await server.call("search", args)
  const called = structuredContent as Found
  const pathsOf = ({ results }: Found) => results.map(({ path }) => path)
  expect(pathsOf(called)).toEqual(pathsOf(typed))
  expect(called.notices).toEqual(typed.notices)
  return called
}

describe("operators in a query", () => {
  test.each<[string, string[]]>([
    ["refund file:billing -file:_test", ["billing/refund.go"]],
    ["sym:LoginForm lang:ts", ["web/login.ts"]],
    ['"too late for a REFUND"', ["billing/refund.go"]],
    // No such phrase: by its words.
    ['"nowhere to be found"', ["README.md"]],
    ['"xyzzy plugh"', []],
    ["refund payment -testing file:billing", ["billing/refund.go"]],
  ])("%s", async (query, expected) => {
    const answer = await ask({ query, mode: "keyword" })
    expect(answer.query).toBe(query)
    expect(answer.results.map(({ path }) => path)).toEqual(expected)
  })
})

test("searches the words of a pasted issue over CLI and MCP, whatever it quotes", async () => {
  const issue =
    'Refund refused\n\nIt says "nothing of the kind"\n$ pay -payment file:web lang:ts kind:class\n'
  const { results, notices } = await ask({ query: issue, mode: "keyword" })
  expect(results[0]!.path).toStartWith("billing/refund")
  expect(notices).toContain(
    '"nothing of the kind" and 4 more were searched as text: the query has several lines',
  )
})

test("an operator that excludes everything is ignored with a notice, a flag is not", async () => {
  const { results, notices } = await ask({ query: "refund payment file:nowhere", mode: "keyword" })
  expect(results[0]!.path).toStartWith("billing/refund")
  expect(notices).toEqual(["nothing found with file:nowhere; searched without it"])
  const { stdout, code } = await shop.run([
    ...["search", "--json", "--mode", "keyword", "--path", "web", "refund payment"],
  ])
  expect([code, JSON.parse(stdout).notices]).toEqual([
    1,
    ['nothing found with path "web"; without it there are results'],
  ])
})

test("long prose with more names than can be scored is answered by search and context", async () => {
  const names = ["AlphaOne", "BetaTwo", "GammaThree", "DeltaFour", "EpsilonFive", "ZetaSix", "EtaSeven"]
  const filler = Array.from({ length: 30 }, (_, i) => `filler${String.fromCharCode(97 + (i % 26))}word${i}`)
  using space = new Workspace({
    "words.md": filler.join("\n"),
    ...Object.fromEntries(
      Array.from({ length: 5 }, (_, i) => [
        `file${i}.ts`,
        `${names.map((name) => `export class ${name} {}`).join("\n")}\n`,
      ]),
    ),
  })
  const prose = `${filler.join(" ")} ${names.join(" and ")}`
  for (const mode of ["keyword", "hybrid", "semantic"])
    expect((await space.json(["search", "--mode", mode, prose])).results.length).toBeGreaterThan(0)
  expect((await space.json(["context", prose])).files.length).toBeGreaterThan(0)
})

test("finds code similar to that at a given path and line", async () => {
  expect((await ask({ like: "web/hash.ts:2" })).results[0]!.path).toBe("other/digest.ts")
  expect((await ask({ query: "like: web/hash.ts:2" })).results[0]!.path).toBe("other/digest.ts")
  const { code, stderr } = await shop.run(["search", "--like", "web/nowhere.ts:2"])
  expect([code, stderr]).toEqual([1, expect.stringContaining("no indexed file is named web/nowhere.ts")])
  const { isError, content } = await server.call("search", { like: "web/nowhere.ts:2" })
  expect([isError, content[0]!.text]).toEqual([true, expect.stringContaining("no indexed file is named")])
})

test("returns consecutive pages", async () => {
  const whole = await ask({ query: "refund payment login", limit: 50 })
  const first = await ask({ query: "refund payment login", limit: 2 })
  const second = await ask({ query: "refund payment login", limit: 2, offset: first.next_offset! })
  const places = (results: Found["results"]) => results.map((each) => ({ ...each, passages: undefined }))
  expect(places([...first.results, ...second.results])).toEqual(places(whole.results.slice(0, 4)))
  const pageText = async (more: object) =>
    (await server.call("search", { query: "refund payment login", limit: 2, ...more })).content[0]!.text!
  const later = await pageText({ offset: 2 })
  expect(later).toContain(`3. ${second.results[0]!.path}`)
  expect(later).toContain('There is more: the same call with "offset": 4.')
  // The first page has passages, a later one a line of each file, unless it is given tokens.
  for (const more of [{}, { offset: 2, max_tokens: 500 }]) expect(await pageText(more)).toContain("```")
  expect(later).not.toContain("```")
})

test("answers several queries in turn and shows each line once", async () => {
  const queries = ["RefundPayment", "sym:RefundPayment", "LoginForm"]
  const { stdout } = await shop.run(["search", "--json", "-n1", ...queries.flatMap((query) => ["-e", query])])
  const typed = JSON.parse(stdout) as { answers: readonly Found[] }
  const { structuredContent, content } = await server.call("search", { queries, limit: 1 })
  const called = structuredContent as { answers: readonly Found[] }
  for (const { answers } of [typed, called]) {
    expect(answers.map(({ query }) => query)).toEqual(queries)
    expect(answers[0]!.results[0]!.text).toContain("func (l *Ledger) RefundPayment")
    expect(answers[1]!.results[0]).toMatchObject({ text: "", shown_for: "RefundPayment" })
    expect(answers[2]!.results[0]!.text).toContain("class LoginForm")
  }
  expect(content[0]!.text).toContain("## sym:RefundPayment")
  expect((await shop.run(["search", "-e", "RefundPayment", "-e", "LoginForm"])).stdout).toContain(
    "# LoginForm",
  )
})

test("cuts the text to a token budget and says so", async () => {
  const { stdout } = await shop.run(["search", "--json", "--max-tokens", "60", "refund"])
  const { results } = JSON.parse(stdout) as { results: readonly { text: string; cut: boolean }[] }
  expect(results.some(({ cut }) => cut)).toBe(true)
  expect((await shop.run(["search", "--max-tokens", "60", "refund"])).stdout).toContain(
    "cut to the token budget",
  )
})

test("replaces a word that nothing contains by one that differs by a single typing error, and says so", async () => {
  const { results, notices } = await ask({ query: "Refnud payment" })
  expect(results[0]!.path).toBe("billing/refund.go")
  expect(notices).toEqual(["nothing contains `refnud`; searched for `refund`"])
  const { stderr } = await shop.run(["search", "Refnud payment"])
  expect(stderr).toContain("note: nothing contains `refnud`; searched for `refund`")
})

test.each(["cafe", "CAFE\u0301", "getranke", "注文", "数", "сколько", "ЧАШЕК"])(
  "finds words of any script by their parts: %s",
  async (query) => {
    const { results } = await ask({ query, mode: "keyword" })
    expect(results.map(({ path }) => path)).toEqual(["drinks/café.md"])
  },
)

test("an unknown kind or language is an error over CLI and MCP, and text in a query", async () => {
  for (const [flags, message] of [
    [{ kind: "klass" }, "kind: must be one of function, "],
    [{ language: "klingon" }, "unknown language"],
  ] as const) {
    const typed = Object.entries(flags).flatMap(([name, value]) => [
      `--${name.replace("language", "lang")}`,
      value,
    ])
    const { code, stderr } = await shop.run(["search", ...typed, "refund"])
    expect([code, stderr]).toEqual([
      2,
      expect.stringMatching(/unknown language|--kind must be one of function, /),
    ])
    const { isError, content } = await server.call("search", { query: "refund", ...flags })
    expect([isError, content[0]!.text]).toEqual([true, expect.stringContaining(message)])
  }
  const { notices } = await ask({ query: "refund kind:klass" })
  expect(notices).toContain("kind:klass was searched as text: no kind of symbol is named klass")
})

describe("any query gets an answer or a clear error:", () => {
  const WILD: readonly (readonly [string, string])[] = [
    ["nothing", ""],
    ["blanks", " \n\t "],
    ["100 KB of words", "refund payment ".repeat(7_000)],
    ["100 KB without a space", "x".repeat(100_000)],
    ["100 KB of dots", ".".repeat(100_000)],
    ["100 KB of quotation marks", '"'.repeat(100_000)],
    ["100 KB of operators", "file:a ".repeat(15_000)],
    ["control characters", "re\u0001fund\u001b[31m\u0007 \u009b"],
    ["NUL", "refund\0payment"],
    ["an unmatched quotation mark", 'refund "payment'],
    ["operators without operands", "file: lang: sym: kind: like: -"],
    ["stars without end", `file:${"*a".repeat(500)}b refund`],
    ["half a surrogate pair", "refund \ud800"],
  ]
  test.each(WILD)("%s", async (_, query) => {
    const { code, stdout, stderr } = await shop.run(["search", "--json", "-"], { stdin: query })
    expect([0, 1, 2]).toContain(code)
    const answer = JSON.parse(code === 2 ? stderr || stdout : stdout) as { error?: { code: string } }
    if (code === 2) expect(answer.error!.code).toBe("USAGE")
    const { content, isError } = await server.call("search", { query })
    expect(content[0]!.text.length).toBeGreaterThan(10)
    if (isError) expect(content[0]!.text).toContain("no search query given")
  })
})

test("an answer tells programs when results are only the nearest ones", async () => {
  const answerTo = (query: string) => shop.json(["search", "--", query])
  expect((await answerTo("zorblax quuxly")).nearest_only).toBe(true)
  expect(await answerTo("hash")).not.toHaveProperty("nearest_only")
})

test("a pasted message finds the file that contains it, at that line", async () => {
  const filler = Array.from({ length: 150 }, (_, at) => `export const reply${at} = "some reply number ${at}"`)
  using space = new Workspace({
    "src/tokens.ts":
      "/** An expired token of a session cannot be used: renew it. */\nexport function again(token: string): string {\n  return token\n}\n",
    "src/replies.ts": `${filler.join("\n")}\nexport const gone = "cannot renew an expired session token"\n${filler.join("\n").replaceAll("reply", "answer")}\n`,
  })
  const { results } = await space.json([
    "search",
    "--explain",
    "--",
    "Error: cannot renew an expired session token",
  ])
  expect(results[0].path).toBe("src/replies.ts")
  expect(results[0].start_line).toBeLessThanOrEqual(151)
  expect(results[0].end_line).toBeGreaterThanOrEqual(151)
  expect(results[0].explanation.features.map(({ name }: { name: string }) => name)).toContain("verbatim")
})

test("a hyphenated key finds the files that have it before those full of its parts", async () => {
  const parts =
    "/* lazy eviction: lazyfree of evicted keys, lazy */\nint lazyfree_eviction(int lazy) { return lazy; }\n"
  using space = new Workspace({
    "store.conf": "# memory\nmaxmemory 0\nlazyfree-lazy-eviction no\nlazyfree-lazy-expire no\n",
    "src/lazyfree.c": parts,
    "src/evict.c": `${parts}/* eviction */\nvoid evict(void) {}\n`,
    "tests/lazyfree_eviction.c": parts,
  })
  for (const query of ["lazyfree-lazy-eviction", "what does lazyfree-lazy-eviction do"]) {
    const { results } = await space.json(["search", "--", query])
    expect(results[0].path).toBe("store.conf")
  }
})

test("translations of a program's messages are variants of the original and no results of their own", async () => {
  const messages = (word: string) =>
    `{ "backup": { "start": "${word} backup restore", "done": "backup ok" } }\n`
  using space = new Workspace({
    "src/locales/en.json": messages("Start"),
    "src/locales/de.json": messages("Starte"),
    "src/locales/fr.json": messages("Commencer"),
    "src/backup.ts": "export function restoreBackup(name: string): string {\n  return name\n}\n",
  })
  const { results } = await space.json(["search", "--", "how is a backup restored"])
  expect(results.map(({ path }: { path: string }) => path)).toEqual(["src/backup.ts", "src/locales/en.json"])
})

describe("pasted text", () => {
  // Two functions, each too large for one chunk, with carriage returns that do not end a line. The first
  // contains more words of the pasted text.
  const steps = Array.from({ length: 200 }, (_, at) => `    print("step\r${at}\rdone")`).join("\n")
  const tokens = `def main():\n    # The traceback of the most recent call of the module: its file and line last, a ValueError of a token or session.\n${steps.replace("\r100\r", " halfway ")}\n\n\ndef renew(token):\n${steps}\n    raise ValueError("cannot renew an expired session token")\n`
  const line = tokens.slice(0, tokens.indexOf("cannot renew")).split("\n").length
  const files = {
    "src/session.rs":
      'pub fn renew(id: u64, user: &str) {\n    panic!("cannot renew session {} of {}", id, user)\n}\n',
    "docs/debugging.md":
      "# Debugging\n\nA program says:\n\n    note: run with `RUST_BACKTRACE=1` environment variable to display a backtrace\n",
    "docs/errors.md": "# Errors\n\nA report begins with\n\n    Traceback (most recent call last):\n",
    "app/tokens.py": tokens,
  }
  const rust =
    "thread 'main' panicked at src/session.rs:2:5:\ncannot renew session 4711 of ines\nnote: run with `RUST_BACKTRACE=1` environment variable to display a backtrace"
  const python =
    'Traceback (most recent call last):\n  File "/srv/main.py", line 12, in <module>\n    main()\nValueError: cannot renew an expired session token'

  test("a line that all pages contain ranks none of them above the source of the message", async () => {
    using space = new Workspace(files)
    const { results } = await space.json(["search", "--explain", "--", rust])
    expect(results[0].path).toBe("src/session.rs")
    const page = results.find(({ path }: { path: string }) => path === "docs/debugging.md")
    const names = page.explanation.features.map(({ name }: { name: string }) => name)
    expect(names).not.toContain("verbatim")
  })

  test("finds the line of a message despite quotation marks in the pasted text", async () => {
    using space = new Workspace(files)
    const { results } = await space.json(["search", "--", python])
    const { start_line, end_line } = results.find(({ path }: { path: string }) => path === "app/tokens.py")
    expect(start_line).toBeLessThanOrEqual(line)
    expect(end_line).toBeGreaterThanOrEqual(line)
  })

  test("a flag in a command line excludes nothing", async () => {
    using space = new Workspace({ "ci/build.md": "# Build\n\nThe compiler is called with -Werror.\n" })
    const query = "compiler stopped:\n  cc -Wall -Werror main.c"
    const { results } = await space.json(["search", "--", query])
    expect(results.map(({ path }: { path: string }) => path)).toEqual(["ci/build.md"])
    // In a typed query, -Werror would exclude the only file, so it is ignored and a notice says so.
    expect((await space.run(["search", "--", "compiler -Werror"])).stderr).toContain(
      "nothing found with -Werror; searched without it",
    )
  })

  test("a result for a quoted phrase includes the line with the phrase", async () => {
    using space = new Workspace(files)
    const { results } = await space.json(["search", "--", '"step halfway done"'])
    expect(results).toHaveLength(1)
    expect(results[0].start_line).toBeLessThanOrEqual(103)
    expect(results[0].end_line).toBeGreaterThanOrEqual(103)
  })
})
