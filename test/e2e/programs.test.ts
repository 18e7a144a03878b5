import { expect, setDefaultTimeout, test } from "bun:test"
import { spawnSync } from "node:child_process"
import { existsSync, mkdirSync, readFileSync, symlinkSync, writeFileSync } from "node:fs"
import { dirname, join } from "node:path"
import { GitBox } from "../git-repository.ts"
import { binary, Workspace } from "./harness.ts"
import { closing } from "./opened.ts"

// Each test starts several processes, and some tests wait until a program has exceeded its time limit.
setDefaultTimeout(60_000)

const FILES = {
  "a/cats.ts": "/** Feeds the order of cats. */\nexport function feed(order: string) {\n  return order\n}\n",
  "b/pay.ts": "/** Pays an order. */\nexport function pay(order: string) {\n  return order\n}\n",
  "c/ship.ts": "/** Ships an order by sea. */\nexport function ship(order: string) {\n  return order\n}\n",
}
const PAGE = readFileSync(join(import.meta.dir, "../../docs/programs.md"), "utf8")
const opened = closing()

/** The program with this name on the page about programs. */
function example(name: string): string {
  return new RegExp(`\`\`\`js ${name}\\n([\\s\\S]*?)\`\`\``).exec(PAGE)![1]!
}

/** A project with programs beside it. */
class Shop extends Workspace {
  /** Settings, as the environment gives them: a process for each would take long. */
  private settings: Record<string, string> = {}

  constructor() {
    super(FILES)
    opened(this)
  }

  override get env(): Record<string, string> {
    return { ...super.env, ...this.settings }
  }

  /** Writes a program and returns the command that runs it. */
  program(name: string, source: string): string {
    const path = join(this.dir, name)
    writeFileSync(path, source)
    return `"${process.execPath}" "${path}"`
  }

  set(...settings: readonly (readonly [string, string])[]): void {
    for (const [key, value] of settings)
      this.settings[`AMAN_${key.replaceAll(".", "_").toUpperCase()}`] = value
  }

  unset(key: string): void {
    delete this.settings[`AMAN_${key.replaceAll(".", "_").toUpperCase()}`]
  }

  async search(query: string, ...flags: readonly string[]) {
    const { results, notices } = await this.json(["search", query, ...flags])
    return { paths: results.map(({ path }: { path: string }) => path), notices: notices.join() }
  }
}

/** A program that answers each request by the expression, which may use `request` and `count`. */
const answering = (expression: string) =>
  `import { createInterface } from "node:readline"
let count = 0
for await (const line of createInterface({ input: process.stdin })) {
  const request = JSON.parse(line)
  count++
  process.stdout.write(JSON.stringify({ id: request.id, ...(${expression}) }) + "\\n")
}
`
/** An expression for `answering` that writes lines as fast as they are read. */
const endless = (stream: string) =>
  `(await new Promise(() => {
    const more = () => process.${stream}.write('{"id":0}\\n'.repeat(5000), more)
    more()
  }))`
/** Scores by which the file of ships comes first. */
const SHIPS = "{ scores: request.documents.map((text) => (text.includes('ship') ? 1 : 0)) }"

test("the example of an embedder embeds a project, and searches use its vectors", async () => {
  const shop = new Shop()
  const command = shop.program("embed.mjs", example("embed.mjs"))
  shop.set(["embeddings.program", command], ["embeddings.provider", "program"])
  const { embedding } = await shop.json(["index"])
  expect(embedding.other).toMatchObject({ provider: "program", dimensions: 64, share: 1, serves: true })
  const { results } = await shop.json(["search", "--explain", "ships an order by sea"])
  expect(results[0].path).toBe("c/ship.ts")
  expect(results[0].explanation.channels.model).toBe(1)
  const doctor = await shop.run(["doctor"])
  expect(doctor.stdout).toContain("64 dimensions")
})

test("the example of a re-ranker orders results, on every page of them", async () => {
  const shop = new Shop()
  await shop.run(["index"])
  const before = (await shop.search("order")).paths
  const byWords = (await shop.search("order", "--mode", "keyword")).paths
  shop.set(["rerank.program", shop.program("rerank.mjs", example("rerank.mjs"))])
  expect((await shop.search("order sea")).paths[0]).toBe("c/ship.ts")
  shop.set(["rerank.program", shop.program("ships.mjs", answering(SHIPS))])
  const after = (await shop.search("order")).paths
  expect(after).toEqual(["c/ship.ts", ...before.filter((path: string) => path !== "c/ship.ts")])
  const pages = [0, 1, 2].map((offset) => shop.search("order", "--limit", "1", "--offset", `${offset}`))
  expect((await Promise.all(pages)).flatMap(({ paths }) => paths)).toEqual(after)
  expect((await shop.search("order", "--mode", "keyword")).paths).toEqual(byWords)
})

test("a server with /v1/rerank orders results", async () => {
  const asked: { path: string; body: { model: string; top_n: number } }[] = []
  using server = Bun.serve({
    port: 0,
    hostname: "127.0.0.1",
    fetch: async (request) => {
      const body = (await request.json()) as { documents: string[]; model: string; top_n: number }
      asked.push({ path: new URL(request.url).pathname, body })
      const at = body.documents.findIndex((text) => text.startsWith("c/ship.ts"))
      return Response.json({ results: [{ index: at, relevance_score: 0.9 }] })
    },
  })
  const shop = new Shop()
  await shop.run(["index"])
  shop.set(["rerank.host", `http://127.0.0.1:${server.port}`], ["rerank.model", "m"])
  expect((await shop.search("order")).paths[0]).toBe("c/ship.ts")
  expect(asked).toMatchObject([{ path: "/v1/rerank", body: { model: "m", top_n: 3 } }])
})

test("a re-ranker orders the results of several repositories", async () => {
  const shop = new Shop()
  using box = new GitBox()
  await shop.json(["repos", "add", box.repository("cats", { "cats.ts": FILES["a/cats.ts"] })])
  await shop.json(["repos", "add", box.repository("ships", { "ship.ts": FILES["c/ship.ts"] })])
  const all = ["--repository", "*"]
  const first = (await shop.search("feeds an order", ...all)).paths
  expect(first).toEqual(["cats.ts", "ship.ts"])
  shop.set(["rerank.program", shop.program("ships.mjs", answering(SHIPS))])
  expect((await shop.search("feeds an order", ...all)).paths).toEqual(["ship.ts", "cats.ts"])
  const second = await shop.search("feeds an order", ...all, "--limit", "1", "--offset", "1")
  expect(second.paths).toEqual(["cats.ts"])
})

test("the example of a searcher finds a file without any word of the query", async () => {
  const shop = new Shop()
  shop.write(
    "OWNERS.txt",
    "lighthouse c/ship.ts\nlighthouse no/such.ts\nlighthouse /etc/passwd\norder a/cats.ts\n",
  )
  await shop.run(["index"])
  expect((await shop.search("lighthouse", "--content", "code")).paths).not.toContain("c/ship.ts")
  shop.set(["searcher.program", shop.program("search.mjs", example("search.mjs"))])
  const { results } = await shop.json(["search", "--explain", "--content", "code", "lighthouse"])
  expect(results[0]).toMatchObject({ path: "c/ship.ts", explanation: { channels: { program: 1 } } })
  // A file that aman and the program both find comes first. Filters also apply to files that the program finds. A
  // search in mode keyword does not use the program.
  expect((await shop.search("order", "--content", "code")).paths[0]).toBe("a/cats.ts")
  expect((await shop.search("lighthouse", "--path", "a")).paths).not.toContain("c/ship.ts")
  const byWords = ["search", "lighthouse", "--mode", "keyword", "--content", "code"]
  expect((await shop.run(byWords)).code).toBe(1)
})

test("a searcher is asked once for the reason why a file is not found", async () => {
  const shop = new Shop()
  await shop.run(["index"])
  const seen = join(shop.dir, "seen")
  const noting = `(appendFileSync(${JSON.stringify(seen)}, request.query + "\\n"), { results: [{ path: "c/ship.ts" }] })`
  const source = `import { appendFileSync } from "node:fs"\n${answering(noting)}`
  shop.set(["searcher.program", shop.program("noting.mjs", source)])
  const filters = ["--lang", "python", "--path", "b", "--content", "code"]
  const { excluded_by } = await shop.json(["search", "--why-not", "c/ship.ts", ...filters, "lighthouse"])
  expect(excluded_by.length).toBeGreaterThan(0)
  expect(readFileSync(seen, "utf8")).toBe("lighthouse\n")
})

test("a searcher's line is the place that is shown, and its pages follow each other", async () => {
  const shop = new Shop()
  const functions = Array.from(
    { length: 3 },
    (_, n) => `export function f${n}() {\n  return ${"1 + ".repeat(200)}${n}\n}\n`,
  )
  shop.write("d/many.ts", functions.join("\n"))
  await shop.run(["index"])
  const places = "{ results: [{ path: 'd/many.ts', line: 9 }, { path: './b/pay.ts' }] }"
  shop.set(["searcher.program", shop.program("places.mjs", answering(places))])
  const { results } = await shop.json(["search", "ships an order"])
  const many = results.find(({ path }: { path: string }) => path === "d/many.ts")
  expect(many).toMatchObject({ symbol: "f2", start_line: 9 })
  const paths = results.map(({ path }: { path: string }) => path)
  const pages = paths.map((_: string, at: number) =>
    shop.search("ships an order", "--limit", "1", "--offset", `${at}`),
  )
  expect((await Promise.all(pages)).flatMap((page) => (page as { paths: string[] }).paths)).toEqual(paths)
})

test("a searcher that fails leaves the results, and a notice says why", async () => {
  const shop = new Shop()
  await shop.run(["index"])
  const before = (await shop.search("order")).paths
  for (const [expression, message] of [
    ["process.exit(3)", "ended before it answered (exit code 3)"],
    ["{ results: [{ line: 1 }] }", "gave no list of places"],
    ["{ results: [{ path: 'a/cats.ts', line: 'x' }] }", "gave no list of places"],
  ] as const) {
    shop.set(["searcher.program", shop.program("bad.mjs", answering(expression))])
    const { paths, notices } = await shop.search("order")
    expect(paths).toEqual(before)
    expect(notices).toContain(message)
  }
})

/** A short limit for the program that never answers, so that a busy machine does not end the others. */
const timeoutFor = (message: string) => (message.includes("within") ? "500ms" : "10min")

const BAD_RERANKERS = [
  ["process.exit(3)", "ended before it answered (exit code 3)"],
  ["(console.error('no GPU'), process.exit(1))", "its last words: no GPU"],
  ["{ error: 'no model' }", "answered with an error: no model"],
  ["{ scores: [1] }", "gave no score for the documents"],
  ["await new Promise((resolve) => setTimeout(resolve, 1e6))", "did not answer within 0.5 s"],
  ["(process.stdout.write('hello\\n'), {})", "no JSON object"],
] as const

test("a re-ranker that fails leaves the order, and a notice says why", async () => {
  const shop = new Shop()
  await shop.run(["index"])
  const before = (await shop.search("order")).paths
  for (const [expression, message] of BAD_RERANKERS) {
    shop.set(
      ["rerank.program", shop.program("bad.mjs", answering(expression))],
      ["programs.timeout", timeoutFor(message)],
    )
    const { paths, notices } = await shop.search("order")
    expect(paths).toEqual(before)
    expect(notices).toContain(message)
  }
})

test.each(["stdout", "stderr"])("a program that writes to %s without end is ended", async (stream) => {
  const shop = new Shop()
  await shop.run(["index"])
  shop.set(["searcher.program", shop.program("bad.mjs", answering(endless(stream)))])
  shop.set(["programs.timeout", "10min"])
  expect((await shop.search("order")).notices).toContain("bad.mjs wrote more than 64 MiB")
})

test("a program that is missing, or that takes too much memory, is named", async () => {
  const shop = new Shop()
  await shop.run(["index"])
  shop.set(["rerank.program", "no-such-program --fast"])
  expect((await shop.search("order")).notices).toContain("the program no-such-program is not found")
  if (process.platform !== "linux") return
  const greedy =
    "(await new Promise((resolve) => { globalThis.x = Buffer.alloc(3e8, 1); setTimeout(resolve, 1e6) }))"
  shop.set(
    ["rerank.program", shop.program("greedy.mjs", answering(greedy))],
    ["programs.memory_limit", "200MB"],
    ["programs.timeout", "30s"],
  )
  expect((await shop.search("order")).notices).toContain("MiB of memory")
})

test.skipIf(process.platform === "win32")(
  "a program given by name is never one of the project, nor are git and the programs that it starts",
  async () => {
    const shop = new Shop()
    const ran = join(shop.dir, "ran")
    const executable = (path: string, text: string) => {
      mkdirSync(dirname(path), { recursive: true })
      writeFileSync(path, text, { mode: 0o755 })
    }
    for (const name of ["finder", "helper", "git"])
      executable(join(shop.project, "bin", name), `#!/bin/sh\necho ${name} >> ${ran}\nexit 1\n`)
    symlinkSync(join(shop.project, "bin"), join(shop.dir, "linked-folder"))
    mkdirSync(join(shop.dir, "links"))
    for (const name of ["finder", "git"])
      symlinkSync(join(shop.project, "bin", name), join(shop.dir, "links", name))
    const tools = join(shop.dir, "tools")
    executable(join(tools, "helper"), `#!/bin/sh\nexec "${process.execPath}" "$1.mjs"\n`)
    const finds = "{ results: [{ path: 'c/ship.ts' }] }"
    executable(join(tools, "finder"), "#!/usr/bin/env helper\n")
    writeFileSync(join(tools, "finder.mjs"), answering(finds))
    const wrong = [join(shop.project, "bin"), "bin", "../bin", ".", "", "linked-folder", "links"]
    const folders = wrong.map((folder) => (folder.startsWith("link") ? join(shop.dir, folder) : folder))
    const { PATH = "" } = shop.env
    shop.set(["searcher.program", "finder"])
    spawnSync("git", ["init", "-q", shop.project])
    for (const cwd of [shop.project, join(shop.project, "a")]) {
      const env = { PATH: [...folders, tools, PATH].join(":") }
      const asked = await shop.json(["search", "lighthouse", "--content", "code"], { cwd, env })
      expect(asked.results.map(({ path }: { path: string }) => path)).toContain("c/ship.ts")
      await shop.run(["log", "order"], { cwd, env })
      await shop.run(["repos", "add", `file://${shop.dir}/none`], { cwd, env })
      await shop.run(["doctor"], { cwd, env })
    }
    const env = { PATH: [...folders, PATH].join(":") }
    const missing = await shop.json(["search", "order"], { env })
    expect(missing.notices.join()).toContain("the program finder is not found")
    expect(existsSync(ran)).toBe(false)
  },
)

test("a project's settings cannot name a program", async () => {
  const shop = new Shop()
  const touched = join(shop.dir, "touched")
  const command = shop.program(
    "evil.mjs",
    `import { writeFileSync } from "node:fs"\nwriteFileSync(${JSON.stringify(touched)}, "")\n`,
  )
  shop.write(
    ".aman.yaml",
    `embeddings:\n  provider: program\n  program: ${JSON.stringify(command)}\nrerank:\n  provider: program\n  program: ${JSON.stringify(command)}\nsearcher:\n  program: ${JSON.stringify(command)}\n`,
  )
  await shop.run(["index"])
  await shop.run(["search", "order"])
  expect(await Bun.file(touched).exists()).toBe(false)
})

const SQL = {
  "q.sql":
    "SELECT orders\nFROM shop;\n\nSELECT lamp\nFROM lights;\nDELETE FROM cats\nWHERE age > 20;\n-- a zebra at the end\n",
  "r.sql": "SELECT ships FROM sea;\nSELECT boats FROM sea;\n",
}

/** A project with files of SQL and a chunker program. */
class Statements extends Shop {
  constructor() {
    super()
    for (const [path, text] of Object.entries(SQL)) this.write(path, text)
  }

  chunker(source: string, name = "chunk.mjs"): void {
    this.set(["chunker.program", this.program(name, source)], ["chunker.extensions", ".sql"])
  }

  /** The lines of all chunks of q.sql, by searching for a word of each. */
  async linesWith(...words: readonly string[]): Promise<(readonly [number, number])[]> {
    const answers = words.map((word) => this.json(["search", word, "--path", "q.sql"]))
    return (await Promise.all(answers)).map(({ results: [{ start_line, end_line }] }) => [
      start_line,
      end_line,
    ])
  }

  async chunked(): Promise<readonly { path: string; failure: string | null }[]> {
    return (await this.json(["status", "--chunked"])).chunked
  }
}

test("the example of a chunker divides a file, aman the rest of it, and status says which files it divided", async () => {
  const shop = new Statements()
  const whole = await shop.json(["index"])
  expect(await shop.linesWith("lamp", "zebra")).toEqual([
    [1, 8],
    [1, 8],
  ])
  shop.chunker(example("chunk.mjs"))
  const { changed, chunks, notices } = await shop.json(["index"])
  expect([changed, chunks, notices]).toEqual([5, whole.chunks + 4, []])
  expect(await shop.linesWith("orders", "lamp", "cats", "zebra")).toEqual([
    [1, 2],
    [4, 5],
    [6, 7],
    [8, 8],
  ])
  expect(await shop.chunked()).toEqual(
    ["q.sql", "r.sql"].map((path) => ({ path, program: "chunk.mjs", failure: null })),
  )
  expect((await shop.json(["status"])).chunkers).toEqual({ "chunk.mjs": { files: 2, failed: 0 } })
  expect((await shop.run(["status"])).stdout).toContain("chunk.mjs divided 2 files")
  // Only an edited file is divided again.
  shop.write("r.sql", "SELECT masts FROM sea;\n")
  expect((await shop.json(["index"])).changed).toBe(1)
  // Without the program, all files are indexed as before.
  shop.unset("chunker.program")
  expect((await shop.json(["index"])).changed).toBe(5)
  expect(await shop.linesWith("lamp")).toEqual([[1, 8]])
  expect((await shop.run(["status", "--chunked"])).code).toBe(1)
})

test("another command divides the files again, and other extensions do", async () => {
  const shop = new Statements()
  shop.chunker(example("chunk.mjs"))
  await shop.run(["index"])
  expect((await shop.json(["index"])).changed).toBe(0)
  shop.chunker(answering("{ chunks: request.files.map(() => [[2, 3]]) }"), "two.mjs")
  expect((await shop.json(["index"])).changed).toBe(5)
  // The lines that no chunk of the program has are those of aman's own chunks.
  expect(await shop.linesWith("shop", "orders", "zebra")).toEqual([
    [2, 2],
    [1, 1],
    [4, 8],
  ])
  shop.set(["chunker.extensions", "ts"])
  await shop.run(["index"])
  expect((await shop.chunked()).map(({ path }) => path)).toEqual(["a/cats.ts", "b/pay.ts", "c/ship.ts"])
})

const BAD_CHUNKERS = [
  ["process.exit(3)", "ended before it answered (exit code 3)"],
  ["{ error: 'no model' }", "answered with an error: no model"],
  ["await new Promise((resolve) => setTimeout(resolve, 1e6))", "did not answer within 0.5 s"],
  ["{ chunks: request.files.slice(1).map(() => []) }", "gave no list of chunks for each file"],
  ["{ chunks: request.files.map(() => [[1, 900]]) }", "beyond the last line"],
  ["{ chunks: request.files.map(() => [[1, 2], [2, 2]]) }", "overlap"],
  ["{ chunks: request.files.map(() => [[0, 1]]) }", "no pair of line numbers"],
  [
    "{ chunks: request.files.map(() => Array.from({ length: 4097 }, (_, n) => [n + 1, n + 1])) }",
    "more than 4096 chunks",
  ],
] as const

test("a chunker that fails leaves aman's chunks, and one notice says why", async () => {
  const shop = new Statements()
  const { chunks } = await shop.json(["index"])
  for (const [expression, message] of BAD_CHUNKERS) {
    shop.chunker(answering(expression), "bad.mjs")
    shop.set(["programs.timeout", timeoutFor(message)])
    // The next `aman index` asks again, also if no file has changed.
    const report = await shop.json(["index"])
    expect(report.chunks).toBe(chunks)
    expect(report.notices).toEqual([expect.stringContaining(message)])
    expect(report.notices[0]).toStartWith("2 files have the chunks of aman's own chunker")
    expect((await shop.chunked()).map(({ failure }) => failure?.includes(message))).toEqual([true, true])
  }
  expect((await shop.search("lamp")).notices).toBe("")
  shop.program("bad.mjs", example("chunk.mjs"))
  const mended = await shop.json(["index"])
  expect([mended.changed, mended.notices]).toEqual([2, []])
  expect(await shop.linesWith("lamp")).toEqual([[4, 5]])
})

test.each([
  ["ends", "process.exit(3)"],
  ["answers with an error", "{ error: 'no parser' }"],
])("a chunker that %s for one file divides the other files of the request", async (_, expression) => {
  const shop = new Statements()
  shop.write("a.sql", "SELECT bad FROM nowhere;\n")
  shop.write("b.sql", "SELECT bad FROM nowhere;\n")
  shop.chunker(
    answering(
      `request.files.some(({ text }) => text.includes("bad")) ? ${expression} : { chunks: request.files.map(() => [[1, 1]]) }`,
    ),
  )
  await shop.json(["index"])
  expect((await shop.chunked()).map(({ path, failure }) => [path, failure !== null])).toEqual([
    ["a.sql", true],
    ["b.sql", true],
    ["q.sql", false],
    ["r.sql", false],
  ])
})

test("a long chunk of a program is cut, and definitions are found as without it", async () => {
  const shop = new Statements()
  const lines = Array.from({ length: 500 }, (_, n) => `-- line ${n} of the lighthouse keeper's log\n`)
  shop.write("log.sql", lines.join(""))
  shop.chunker(answering("{ chunks: request.files.map(({ text }) => [[1, text.split('\\n').length - 1]]) }"))
  shop.set(["chunker.extensions", "ts"])
  await shop.run(["index"])
  expect((await shop.json(["symbol", "pay"])).definitions[0]).toMatchObject({
    path: "b/pay.ts",
    start_line: 2,
  })
  const { chunks } = await shop.json(["status"])
  expect(chunks).toBeGreaterThan(6)
})

test("Ctrl-C ends an index run and the chunker that it waits for", async () => {
  const shop = new Statements()
  const seen = join(shop.dir, "seen")
  const waiting = `(renameSync(${JSON.stringify(seen)} + ".new", ${JSON.stringify(seen)}), await new Promise(() => setInterval(() => {}, 1e6)))`
  shop.chunker(
    `import { renameSync, writeFileSync } from "node:fs"
writeFileSync(${JSON.stringify(seen)} + ".new", String(process.pid))
${answering(waiting)}`,
  )
  shop.set(["programs.timeout", "10min"])
  const run = Bun.spawn([binary, "index"], { cwd: shop.project, env: shop.env, stderr: "ignore" })
  while (!existsSync(seen)) await Bun.sleep(20)
  run.kill("SIGINT")
  expect(await run.exited).toBe(130)
  const pid = Number(readFileSync(seen, "utf8"))
  while (isRunning(pid)) await Bun.sleep(20)
})

function isRunning(pid: number): boolean {
  try {
    process.kill(pid, 0)
    return true
  } catch {
    return false
  }
}
