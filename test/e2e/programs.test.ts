import { expect, setDefaultTimeout, test } from "bun:test"
import { readFileSync, writeFileSync } from "node:fs"
import { join } from "node:path"
import { GitBox } from "../git-repository.ts"
import { Workspace } from "./harness.ts"
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
  constructor() {
    super(FILES)
    opened(this)
  }

  /** Writes a program and returns the command that runs it. */
  program(name: string, source: string): string {
    const path = join(this.dir, name)
    writeFileSync(path, source)
    return `"${process.execPath}" "${path}"`
  }

  async set(...settings: readonly (readonly [string, string])[]): Promise<void> {
    for (const [key, value] of settings) {
      const { code, stderr } = await this.run(["config", "set", key, value])
      expect([code, stderr]).toEqual([0, ""])
    }
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
/** Scores by which the file of ships comes first. */
const SHIPS = "{ scores: request.documents.map((text) => (text.includes('ship') ? 1 : 0)) }"

test("the example of an embedder embeds a project, and searches use its vectors", async () => {
  const shop = new Shop()
  const command = shop.program("embed.mjs", example("embed.mjs"))
  await shop.set(["embeddings.program", command], ["embeddings.provider", "program"])
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
  await shop.set(
    ["rerank.program", shop.program("rerank.mjs", example("rerank.mjs"))],
    ["rerank.provider", "program"],
  )
  expect((await shop.search("order sea")).paths[0]).toBe("c/ship.ts")
  await shop.set(["rerank.program", shop.program("ships.mjs", answering(SHIPS))])
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
  await shop.set(
    ["rerank.host", `http://127.0.0.1:${server.port}`],
    ["rerank.model", "m"],
    ["rerank.provider", "server"],
  )
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
  await shop.set(
    ["rerank.program", shop.program("ships.mjs", answering(SHIPS))],
    ["rerank.provider", "program"],
  )
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
  await shop.set(["searcher.program", shop.program("search.mjs", example("search.mjs"))])
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
  await shop.set(["searcher.program", shop.program("noting.mjs", source)])
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
  await shop.set(["searcher.program", shop.program("places.mjs", answering(places))])
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
    await shop.set(["searcher.program", shop.program("bad.mjs", answering(expression))])
    const { paths, notices } = await shop.search("order")
    expect(paths).toEqual(before)
    expect(notices).toContain(message)
  }
})

test.each([
  ["ends", "process.exit(3)", "ended before it answered (exit code 3)"],
  ["says why it ends", "(console.error('no GPU'), process.exit(1))", "its last words: no GPU"],
  ["answers with an error", "{ error: 'no model' }", "answered with an error: no model"],
  ["answers too few scores", "{ scores: [1] }", "gave no score for the documents"],
  [
    "does not answer",
    "await new Promise((resolve) => setTimeout(resolve, 1e6))",
    "did not answer within 0.5 s",
  ],
  ["writes no JSON", "(process.stdout.write('hello\\n'), {})", "no JSON object"],
])("a re-ranker that %s leaves the order, and a notice says why", async (_, expression, message) => {
  const shop = new Shop()
  await shop.run(["index"])
  const before = (await shop.search("order")).paths
  await shop.set(
    ["rerank.program", shop.program("bad.mjs", answering(expression))],
    ["rerank.provider", "program"],
    ["rerank.timeout", "500ms"],
  )
  const { paths, notices } = await shop.search("order")
  expect(paths).toEqual(before)
  expect(notices).toContain(message)
})

test("a program that is missing, or that takes too much memory, is named", async () => {
  const shop = new Shop()
  await shop.run(["index"])
  await shop.set(["rerank.provider", "program"], ["rerank.program", "no-such-program --fast"])
  expect((await shop.search("order")).notices).toContain("the program no-such-program is not found")
  if (process.platform !== "linux") return
  const greedy =
    "(await new Promise((resolve) => { globalThis.x = Buffer.alloc(3e8, 1); setTimeout(resolve, 1e6) }))"
  await shop.set(
    ["rerank.program", shop.program("greedy.mjs", answering(greedy))],
    ["programs.memory_limit", "200MB"],
    ["rerank.timeout", "30s"],
  )
  expect((await shop.search("order")).notices).toContain("MiB of memory")
})

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
