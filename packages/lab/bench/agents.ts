import { existsSync } from "node:fs"
import { join } from "node:path"
import { type Cost, costOf, type Step } from "../../../src/doors/report/replay.ts"
import { type CountTokens, loadTokenizer } from "../../../src/text/index.ts"
import { readTasks, type Task } from "../learn/task.ts"
import { mean } from "./labels.ts"
import { runIndex } from "./processes.ts"
import type { Section } from "./section.ts"
import { Server } from "./server.ts"
import { percentile, sample } from "./stats.ts"
import type { Table } from "./table.ts"
import { type Baseline, bm25Baseline, grepBaseline, indexedSource } from "./task-baselines.ts"
import type { LinesOf } from "./task-score.ts"
import { lineReader, treeOf, wholeText } from "./tasks.ts"

/** Projects with at most so many files of source code are small. */
const SMALL_FILES = 50
/** Tokens of a page of a way without aman, and of a file that is read. */
const PAGE_TOKENS = 1500
const READ_TOKENS = 2000
/** A way ends after this many tokens or calls. */
const MAX_TOKENS = 20_000
const MAX_CALLS = 30

type Way = { readonly name: string; readonly steps: (query: string) => AsyncIterable<Step> | Iterable<Step> }
type Run = { readonly isSmall: boolean; readonly costs: ReadonlyMap<string, Found>; readonly files: number }
/** What a way costs until every changed file is named, and until the one that is named first. */
type Found = { readonly all: Cost; readonly first: Cost }

/** Measures the calls and tokens until an agent has been told the first, and every, file that a change touched. */
export const agentsSection: Section = {
  name: "agents",
  lacks: ({ tasks }) =>
    tasks === null ? "--tasks FILE --task-trees DIR, as packages/lab/learn.ts writes them" : null,
  async run(bench) {
    const { file, trees } = bench.tasks!
    const all = [...Map.groupBy(readTasks(file), ({ repo }) => repo)]
    const laidOut = all.filter(([repo]) => existsSync(treeOf(trees, repo)))
    const chosen = bench.repositories === null ? laidOut : sample(laidOut, bench.repositories)
    const count = await loadTokenizer()
    const runs: Run[] = []
    for (const [repo, tasks] of chosen) {
      const root = treeOf(trees, repo)
      const indexDir = join(bench.scratch, "tasks", repo.replace("/", "+"))
      runIndex(bench.binary, root, indexDir)
      const source = indexedSource(root, indexDir)
      const linesOf = lineReader(root)
      const server = new Server(bench.binary, root, indexDir)
      await server.initialize()
      const ways = [
        ...amanWays(server),
        ...[bm25Baseline(source, count), grepBaseline(source, count)].map((each) => paged(each, linesOf)),
        withReading(paged(grepBaseline(source, count), linesOf), linesOf, count),
      ]
      for (const task of tasks) runs.push(await runOf(task, ways, source.length <= SMALL_FILES))
      await server.kill()
      bench.note(`${repo}: ${tasks.length} tasks, ${source.length} files of source code`)
    }
    return [false, true].flatMap((isSmall) => {
      const own = runs.filter((run) => run.isSmall === isSmall)
      return own.length === 0 ? [] : [tableOf(own, isSmall)]
    })
  },
}

async function runOf(task: Task, ways: readonly Way[], isSmall: boolean): Promise<Run> {
  const files = task.files.map(({ path }) => path)
  const costs = new Map<string, Found>()
  for (const { name, steps } of ways) {
    const taken: Step[] = []
    const all = await costOf(recorded(steps(wholeText(task)), taken), files)
    const each = await Promise.all(files.map((file) => costOf(taken, [file])))
    const hits = each.filter(({ named }) => named > 0).sort((one, other) => one.tokens - other.tokens)
    const first = hits[0] ?? all
    costs.set(name, { all, first })
  }
  return { isSmall, costs, files: files.length }
}

async function* recorded(way: AsyncIterable<Step> | Iterable<Step>, taken: Step[]): AsyncGenerator<Step> {
  for await (const step of way) {
    taken.push(step)
    yield step
  }
}

type Answer = { readonly content: readonly { readonly text: string }[]; readonly structuredContent?: object }
type Places = readonly { readonly path: string }[]

/** The tools of aman as an agent calls them: the text of each answer counts, whose files the structured one lists. */
function amanWays(server: Server): Way[] {
  const ask = async (name: string, args: object) => {
    const { content, structuredContent } = (await server.request("tools/call", {
      name,
      arguments: args,
    })) as Answer
    return { text: content[0]!.text, answer: { ...structuredContent } as Record<string, unknown> }
  }
  async function* pages(query: string, from: number): AsyncGenerator<Step> {
    for (let offset: number | null = from; offset !== null; ) {
      const { text, answer } = await ask("search", { query, limit: 10, offset })
      yield { text, paths: ((answer["results"] ?? []) as Places).map(({ path }) => path) }
      offset = (answer["next_offset"] ?? null) as number | null
    }
  }
  async function* contextFirst(query: string): AsyncGenerator<Step> {
    const { text, answer } = await ask("context", { query })
    yield { text, paths: (answer["files"] as Places).map(({ path }) => path) }
    yield* pages(query, 20)
  }
  /** Without any search: uses of the names in the text, then what calls these definitions and what they call. */
  async function* graph(query: string): AsyncGenerator<Step> {
    const found: string[] = []
    const follow = async (name: string, relation: string): Promise<Step> => {
      const { text, answer } = await ask("symbol", { name, relation })
      const definitions = (answer["definitions"] ?? []) as readonly { path: string; symbol: string }[]
      if (relation === "references") found.push(...definitions.slice(0, 2).map(({ symbol }) => symbol))
      const listed = (part: string) => (answer[part] ?? []) as Places
      const places = [...definitions, ...listed("references"), ...listed("related")]
      return { text, paths: places.map(({ path }) => path) }
    }
    for (const name of namesIn(query)) yield await follow(name, "references")
    for (const name of new Set(found)) {
      yield await follow(name, "callers")
      yield await follow(name, "callees")
    }
  }
  return [
    { name: "aman: context, then pages of search", steps: contextFirst },
    { name: "aman: pages of search", steps: (query) => pages(query, 0) },
    { name: "graph: symbol for the names in the text", steps: graph },
  ]
}

/** Words of a text that are written like names of code, else its longer words; each once. */
function namesIn(text: string): string[] {
  const words = text.match(/[\p{L}_$][\p{L}\p{N}_$]*/gu) ?? []
  const names = words.filter((word) => /[a-z\d][A-Z]|[\p{L}\d]_[\p{L}\d]/u.test(word))
  const chosen = names.length > 0 ? names : words.filter((word) => word.length >= 5)
  return [...new Set(chosen)].slice(0, MAX_CALLS)
}

/** What another way shows, in pages of PAGE_TOKENS. */
function paged({ name, lines }: Baseline, linesOf: LinesOf): Way {
  const budgets = Array.from({ length: MAX_TOKENS / PAGE_TOKENS }, (_, i) => (i + 1) * PAGE_TOKENS)
  function* steps(query: string): Generator<Step> {
    let shown = 0
    for (const places of lines(query, budgets)) {
      const page = places.slice(shown)
      if (page.length === 0) continue
      shown = places.length
      const texts = page.map(
        ({ path, start, end }) => `${path}\n${(linesOf(path) ?? []).slice(start - 1, end).join("\n")}`,
      )
      yield { text: texts.join("\n"), paths: page.map(({ path }) => path) }
    }
  }
  return { name, steps }
}

/** The same, where a file counts only once it is read: the first READ_TOKENS of each, in the order of the pages. */
function withReading({ name, steps }: Way, linesOf: LinesOf, count: CountTokens): Way {
  async function* read(query: string): AsyncGenerator<Step> {
    const seen = new Set<string>()
    for await (const { text, paths } of steps(query)) {
      yield { text, paths: [] }
      for (const path of paths) {
        if (seen.has(path)) continue
        seen.add(path)
        yield { text: startOf(linesOf(path) ?? [], count), paths: [path] }
      }
    }
  }
  return { name: `${name}, and reading`, steps: read }
}

function startOf(lines: readonly string[], count: CountTokens): string {
  let left = READ_TOKENS
  const end = lines.findIndex((line) => {
    left -= count(`${line}\n`)
    return left < 0
  })
  return lines.slice(0, end < 0 ? lines.length : end).join("\n")
}

function tableOf(runs: readonly Run[], isSmall: boolean): Table {
  const ways = [...runs[0]!.costs.keys()]
  const rows = ways.map((way) => {
    const found = runs.map(({ costs, files }) => ({ ...costs.get(way)!, files }))
    const firsts = found.map(({ first }) => (first.named > 0 ? first : null))
    const whole = found.map(({ all, files }) => (all.named === files ? all : null))
    return [way, ...cells(firsts), ...cells(whole)]
  })
  const columns = ["first file named", "tokens", "median", "calls", "all named", "tokens", "median", "calls"]
  return {
    title: `An agent's way to the changed files, ${isSmall ? "small" : "other"} projects (${runs.length} tasks)`,
    columns: [{ name: "" }, ...columns.map((name) => ({ name, digits: name.endsWith("named") ? 3 : 0 }))],
    rows,
    notes: [
      `tokens and calls: means and median until then; ${MAX_TOKENS} and ${MAX_CALLS} where a way does not get there`,
      `small: at most ${SMALL_FILES} files of source code`,
    ],
  }
}

/** Share of the tasks that got there, mean and median of tokens, mean of calls. */
function cells(got: readonly ({ readonly tokens: number; readonly calls: number } | null)[]): number[] {
  const tokens = got.map((each) => Math.min(MAX_TOKENS, each?.tokens ?? MAX_TOKENS))
  const calls = got.map((each) => Math.min(MAX_CALLS, each?.calls ?? MAX_CALLS))
  return [mean(got.map((each) => Number(each !== null))), mean(tokens), percentile(tokens, 0.5), mean(calls)]
}
