import { appendFileSync, existsSync, mkdirSync, readFileSync, writeFileSync } from "node:fs"
import { join } from "node:path"
import { type CountTokens, decodeText, loadTokenizer } from "../../../src/text/index.ts"
import { readTasks, type Task } from "../learn/task.ts"
import { mean } from "./labels.ts"
import { runIndex } from "./processes.ts"
import type { Bench, Section } from "./section.ts"
import { sample } from "./stats.ts"
import type { Cell, Column, Table } from "./table.ts"
import { Asked } from "./task-answers.ts"
import { type Baseline, bm25Baseline, grepBaseline, indexedSource } from "./task-baselines.ts"
import { type FileScore, type LineScore, type LinesOf, scoreFiles, scoreLines } from "./task-score.ts"

const BUDGETS = [1000, 2000, 4000, 8000]
/** Max files of an answer that are judged; later ones count as not found. */
const MAX_FILES = 20
const AMAN = "aman, title and body"
const BM25 = "BM25, code without tests"
const GREP = "ripgrep, any word"

/** File in the scratch folder with one task per line, so that two runs can be compared task by task. */
const SCORES = "task-scores.jsonl"

type TaskScore = {
  readonly task: Task
  /** By the name of the way to search. */
  readonly files: ReadonlyMap<string, FileScore>
  /** By the name of the way to search and the number of tokens. */
  readonly lines: ReadonlyMap<string, ReadonlyMap<number, LineScore & { readonly tokens: number | null }>>
}

/** Measures whether the files, definitions and lines are found that changes of real projects touched. */
export const tasksSection: Section = {
  name: "tasks",
  lacks: ({ tasks }) =>
    tasks === null ? "--tasks FILE --task-trees DIR, as packages/lab/learn.ts writes them" : null,
  async run(bench) {
    const { file, trees } = bench.tasks!
    const all = Map.groupBy(readTasks(file), ({ repo }) => repo)
    const laidOut = [...all].filter(([repo]) => existsSync(treeOf(trees, repo)))
    const chosen = bench.repositories === null ? laidOut : sample(laidOut, bench.repositories)
    const count = await loadTokenizer()
    const scores: TaskScore[] = []
    mkdirSync(bench.scratch, { recursive: true })
    const log = join(bench.scratch, SCORES)
    writeFileSync(log, "")
    for (const [repo, tasks] of chosen) {
      const own = await scoreRepository(bench, repo, tasks, count)
      scores.push(...own)
      appendFileSync(log, own.map(scoreLine).join(""))
      const at = (way: string) => mean(own.map(({ files }) => Number(files.get(way)!.file === 1)))
      bench.note(`${repo}: ${own.length} tasks, hit@1 ${at(AMAN).toFixed(2)}, BM25 ${at(BM25).toFixed(2)}`)
    }
    if (scores.length === 0) return []
    return [filesTable(scores), linesTable(scores), languageFilesTable(scores), languageLinesTable(scores)]
  },
}

function scoreLine({ task: { id, language }, files, lines }: TaskScore): string {
  const byBudget = Array.from(lines, ([way, scores]) => [way, Object.fromEntries(scores)])
  return `${JSON.stringify({ id, language, files: Object.fromEntries(files), lines: Object.fromEntries(byBudget) })}\n`
}

export function treeOf(trees: string, repo: string): string {
  return join(trees, repo.replace("/", "+"))
}

async function scoreRepository(
  bench: Bench,
  repo: string,
  tasks: readonly Task[],
  count: CountTokens,
): Promise<TaskScore[]> {
  const root = treeOf(bench.tasks!.trees, repo)
  const indexDir = join(bench.scratch, "tasks", repo.replace("/", "+"))
  runIndex(bench.binary, root, indexDir)
  const linesOf = lineReader(root)
  const source = indexedSource(root, indexDir)
  const baselines = [bm25Baseline(source, count), grepBaseline(source, count)]
  await using asked = await Asked.start(bench.binary, root, indexDir)
  const scores: TaskScore[] = []
  for (const task of tasks) scores.push(await scoreTask(task, asked, baselines, linesOf))
  return scores
}

export function lineReader(root: string): LinesOf {
  const read = new Map<string, readonly string[] | null>()
  return (path) => {
    let lines = read.get(path)
    if (lines === undefined) {
      const file = join(root, path)
      lines = existsSync(file) ? (decodeText(readFileSync(file))?.text.split("\n") ?? null) : null
      read.set(path, lines)
    }
    return lines
  }
}

async function scoreTask(
  task: Task,
  asked: Asked,
  baselines: readonly Baseline[],
  linesOf: LinesOf,
): Promise<TaskScore> {
  const whole = wholeText(task)
  const files = new Map<string, FileScore>()
  for (const [way, query] of [
    [AMAN, whole],
    ["aman, title", task.title],
    ["aman, without names of the answer", wholeText(task.hidden)],
  ] as const)
    files.set(way, scoreFiles(task, await asked.search(query, MAX_FILES)))
  const lines = new Map<string, Map<number, LineScore & { tokens: number | null }>>([["aman", new Map()]])
  for (const budget of BUDGETS) {
    const { named, shown, tokens } = await asked.context(whole, budget, linesOf)
    lines.get("aman")!.set(budget, { ...scoreLines(task, shown, named, linesOf), tokens })
  }
  for (const baseline of baselines) {
    files.set(baseline.name, scoreFiles(task, baseline.files(whole, MAX_FILES)))
    if (baseline.name === BM25)
      files.set(`${BM25}, title`, scoreFiles(task, baseline.files(task.title, MAX_FILES)))
    const shown = baseline.lines(whole, BUDGETS)
    const scores = BUDGETS.map((budget, i) => {
      const named = shown[i]!.map(({ path }) => path)
      return [budget, { ...scoreLines(task, shown[i]!, named, linesOf), tokens: null }] as const
    })
    lines.set(baseline.name, new Map(scores))
  }
  return { task, files, lines }
}

export function wholeText({ title, body }: { readonly title: string; readonly body: string }): string {
  return body === "" ? title : `${title}\n\n${body}`
}

const FILE_COLUMNS: readonly Column[] = [
  { name: "hit@1", digits: 3 },
  { name: "hit@5", digits: 3 },
  { name: "hit@10", digits: 3 },
  { name: "MRR", digits: 3 },
]

function filesTable(scores: readonly TaskScore[]): Table {
  const ways = [...scores[0]!.files.keys()]
  return {
    title: `Tasks of real changes: a changed file is found (${scores.length} tasks of ${repositoriesOf(scores)} repositories)`,
    columns: [
      { name: "" },
      ...FILE_COLUMNS,
      { name: "definition@1", digits: 3 },
      { name: "@5", digits: 3 },
      { name: "@10", digits: 3 },
    ],
    rows: ways.map((way) => [
      way,
      ...rankCells(scores.map(({ files }) => files.get(way)!.file)),
      ...rankCells(scores.filter(hasDefinitions).map(({ files }) => files.get(way)!.definition)).slice(0, 3),
    ]),
    notes: [
      `definition: a shown place of the file overlaps a changed definition; MRR over the first ${MAX_FILES} files`,
    ],
  }
}

function hasDefinitions({ task }: TaskScore): boolean {
  return task.files.some(({ definitions }) => definitions.length > 0)
}

/** hit@1, @5, @10 and MRR. */
function rankCells(ranks: readonly (number | null)[]): number[] {
  const hitAt = (max: number) => mean(ranks.map((rank) => Number(rank !== null && rank <= max)))
  return [hitAt(1), hitAt(5), hitAt(10), mean(ranks.map((rank) => (rank === null ? 0 : 1 / rank)))]
}

function linesTable(scores: readonly TaskScore[]): Table {
  const ways = [...scores[0]!.lines.keys()]
  const rows = BUDGETS.flatMap((budget) =>
    ways.map((way) => {
      const own = scores.map(({ lines }) => lines.get(way)!.get(budget)!)
      const tokens = own.flatMap((score) => score.tokens ?? [])
      return [
        `${budget} tokens, ${way}`,
        mean(own.map(({ recall }) => recall)),
        mean(own.map(({ precision }) => precision)),
        mean(own.map(({ f1 }) => f1)),
        mean(own.flatMap(({ definitions }) => definitions ?? [])),
        mean(own.map(({ files }) => files)),
        tokens.length === 0 ? null : mean(tokens),
      ] satisfies Cell[]
    }),
  )
  return {
    title: "Tasks of real changes: changed lines shown by context",
    columns: [
      { name: "" },
      { name: "recall", digits: 3 },
      { name: "precision", digits: 3 },
      { name: "F1", digits: 3 },
      { name: "definitions", digits: 3 },
      { name: "files named", digits: 3 },
      { name: "tokens used", digits: 0 },
    ],
    rows,
    notes: [
      "means over tasks; definitions: share of the changed ones of which a changed line is shown",
      "where lines are only added, the lines before and after the place count as changed",
    ],
  }
}

function byLanguage(scores: readonly TaskScore[]): [string, TaskScore[]][] {
  return [...Map.groupBy(scores, ({ task }) => task.language)].sort(([, a], [, b]) => b.length - a.length)
}

function languageFilesTable(scores: readonly TaskScore[]): Table {
  const ways = [AMAN, BM25, GREP]
  return {
    title: "Tasks of real changes by language: a changed file is found",
    columns: [
      { name: "" },
      { name: "tasks", digits: 0 },
      ...ways.flatMap((way) => [{ name: `${shortName(way)} hit@1`, digits: 3 }, ...FILE_COLUMNS.slice(1)]),
    ],
    rows: byLanguage(scores).map(([language, list]) => [
      language,
      list.length,
      ...ways.flatMap((way) => rankCells(list.map(({ files }) => files.get(way)!.file))),
    ]),
  }
}

function languageLinesTable(scores: readonly TaskScore[]): Table {
  const ways = ["aman", BM25, GREP]
  const figures = [
    ...ways.map((way) => ({ way, figure: "recall" as const })),
    ...ways.map((way) => ({ way, figure: "f1" as const })),
  ]
  return {
    title: "Tasks of real changes by language: changed lines shown by context",
    columns: [
      { name: "" },
      { name: "tasks", digits: 0 },
      ...figures.flatMap(({ way, figure }) =>
        BUDGETS.map((budget, at) => ({
          name: at === 0 ? `${shortName(way)} ${figure === "f1" ? "F1" : figure} at ${budget}` : `${budget}`,
          digits: figure === "f1" ? 3 : 2,
        })),
      ),
    ],
    rows: byLanguage(scores).map(([language, list]) => [
      language,
      list.length,
      ...figures.flatMap(({ way, figure }) =>
        BUDGETS.map((budget) => mean(list.map(({ lines }) => lines.get(way)!.get(budget)![figure]))),
      ),
    ]),
  }
}

/** The name of a way to search up to its first comma. */
function shortName(way: string): string {
  return way.split(",")[0]!
}

function repositoriesOf(scores: readonly TaskScore[]): number {
  return new Set(scores.map(({ task }) => task.repo)).size
}
