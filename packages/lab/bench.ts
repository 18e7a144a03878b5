/**
 * Measures the quality, time, memory and disk space of aman, and compares them with targets and with other tools.
 *
 *   bun run bench [--only quality,questions,tasks,agents,docs,markdown,ctags,symbols,repositories,follower,cold,scale,peaks,hostile,query,client,context,watch,
 *                 http,compare,knowledge,knowledge-speed,workday,hooks,team,ui] [--corpus DIR] [--labels FILE] [--judge DIR]
 *                 [--tasks FILE --task-trees DIR] [--repositories N]
 *                 [--mirrors DIR [--split develop|closed]] [--scale N,N,…] [--tree DIR]…
 *                 [--server-memory FILE] [--conversations DIR] [--binary FILE] [--scratch DIR] [--json OUT]
 *
 * --corpus   folder with the repositories of the label file and the projects of markdown-questions.json, by name
 * --judge    folder of repositories that are in no label file, for finding functions by their doc comments
 * --tasks    file of tasks mined from real changes (packages/lab/learn.ts mine)
 * --task-trees  folder with the repositories of these tasks (packages/lab/learn.ts lay-out)
 * --repositories  uses only N repositories of the tasks and of the questions, for a quick run
 * --mirrors  folder with bare repositories (packages/lab/learn.ts bring), for the judged questions about symbols. Most
 *            answers come from the compilers of Go, TypeScript, Python (pyright), Rust (rust-analyzer) and Java, which
 *            must be installed; what they say is kept in the scratch folder
 * --split    part of these questions and of workday, develop (default) or closed, which is scored only once, at the end
 * --scale    numbers of files of the generated trees, ordinary and hostile
 * --tree     a real tree, measured in addition to the generated ones; repeatable
 * --server-memory  dist/index.js of @modelcontextprotocol/server-memory, if it is not among the packages
 * --conversations  folder with LoCoMo, REALTALK and BEAM, else AMAN_BENCH_CONVERSATIONS (packages/lab/bench/conversations.ts)
 * --scratch  folder for indexes and generated trees; the trees are kept for the next run
 */
import { existsSync, mkdirSync, writeFileSync } from "node:fs"
import { availableParallelism, cpus, platform, tmpdir, totalmem } from "node:os"
import { join, resolve } from "node:path"
import { parseArgs } from "node:util"
import { agentsSection } from "./bench/agents.ts"
import { clientSection } from "./bench/client.ts"
import { coldSection } from "./bench/cold.ts"
import { compareSection } from "./bench/compare.ts"
import { contextSection } from "./bench/context.ts"
import { ctagsSection } from "./bench/ctags.ts"
import { docsSection } from "./bench/docs.ts"
import { followerSection } from "./bench/follower.ts"
import { hooksSection } from "./bench/hooks.ts"
import { hostileSection } from "./bench/hostile.ts"
import { httpSection } from "./bench/http.ts"
import { rerunWithJitOptions } from "./bench/jit-options.ts"
import { knowledgeSection, knowledgeSpeedSection } from "./bench/knowledge.ts"
import { readLabels } from "./bench/labels.ts"
import { markdownSection } from "./bench/markdown.ts"
import { peaksSection } from "./bench/peaks.ts"
import { run } from "./bench/processes.ts"
import { qualitySection } from "./bench/quality.ts"
import { querySection } from "./bench/query.ts"
import { questionsSection } from "./bench/questions.ts"
import { repositoriesSection } from "./bench/repositories.ts"
import { scaleSection } from "./bench/scale.ts"
import type { Bench, Section } from "./bench/section.ts"
import { isJudgedSplit, type JudgedSplit } from "./bench/symbols/judged.ts"
import { symbolsSection } from "./bench/symbols.ts"
import { missedTargets, renderTable, type Table } from "./bench/table.ts"
import { tasksSection } from "./bench/tasks.ts"
import { teamSection } from "./bench/team.ts"
import { uiSection } from "./bench/ui.ts"
import { watchSection } from "./bench/watch.ts"
import { workdaySection } from "./bench/workday.ts"

const LABELS = "../shared/bench/code/dev.json"

// In the order of a report: first quality, then speed, then comparisons.
const SECTIONS: readonly Section[] = [
  qualitySection,
  questionsSection,
  tasksSection,
  agentsSection,
  docsSection,
  markdownSection,
  ctagsSection,
  symbolsSection,
  repositoriesSection,
  followerSection,
  coldSection,
  scaleSection,
  peaksSection,
  hostileSection,
  querySection,
  clientSection,
  contextSection,
  watchSection,
  httpSection,
  compareSection,
  knowledgeSection,
  knowledgeSpeedSection,
  workdaySection,
  hooksSection,
  teamSection,
  uiSection,
]

process.exitCode = rerunWithJitOptions() ?? (await main())

async function main(): Promise<number> {
  const { bench, sections, json } = readOptions()
  if (!existsSync(bench.binary)) {
    console.error(`bench: there is no ${bench.binary}; run: npm run build`)
    return 2
  }
  mkdirSync(bench.scratch, { recursive: true })
  const machine = describeMachine(bench)
  console.log(`${Object.values(machine).join(", ")}\n`)
  const tables: Record<string, readonly Table[]> = {}
  for (const section of sections) {
    const lacking = section.lacks(bench)
    if (lacking === null) tables[section.name] = await runSection(section, bench)
    else console.log(`${section.name}: skipped, needs ${lacking}\n`)
  }
  summarise(Object.values(tables).flat())
  if (json !== undefined) writeFileSync(json, `${JSON.stringify({ machine, tables }, null, 2)}\n`)
  return 0
}

function readOptions() {
  const { values } = parseArgs({
    options: {
      only: { type: "string" },
      corpus: { type: "string" },
      labels: { type: "string" },
      judge: { type: "string" },
      tasks: { type: "string" },
      "task-trees": { type: "string" },
      repositories: { type: "string" },
      mirrors: { type: "string" },
      split: { type: "string", default: "develop" },
      scale: { type: "string", default: "1000,5000" },
      tree: { type: "string", multiple: true, default: [] },
      "server-memory": { type: "string" },
      conversations: { type: "string" },
      binary: { type: "string", default: join(import.meta.dir, "../../dist/aman") },
      scratch: { type: "string", default: join(tmpdir(), "aman-bench") },
      json: { type: "string" },
    },
  })
  const corpus = values.corpus === undefined ? null : resolve(values.corpus)
  const bench: Bench = {
    binary: resolve(values.binary),
    corpus,
    labels: corpus === null ? [] : labelsIn(corpus, values.labels),
    judge: values.judge === undefined ? null : resolve(values.judge),
    tasks: tasksIn(values.tasks, values["task-trees"]),
    repositories: values.repositories === undefined ? null : positive("repositories", values.repositories),
    mirrors: values.mirrors === undefined ? null : resolve(values.mirrors),
    split: splitOf(values.split),
    scales: values.scale.split(",").map((text) => positive("scale", text)),
    trees: values.tree.map((tree) => resolve(tree)),
    serverMemory: values["server-memory"] ?? null,
    conversations: values.conversations ?? process.env["AMAN_BENCH_CONVERSATIONS"] ?? null,
    scratch: resolve(values.scratch),
    note: (line) => console.error(`  ${line}`),
  }
  return { bench, sections: chosen(values.only), json: values.json }
}

/**
 * The labels of the given file, else of the default file. Empty without both, because some sections need no
 * labels.
 */
function labelsIn(corpus: string, file: string | undefined) {
  if (file === undefined && !existsSync(LABELS)) return []
  return readLabels(file ?? LABELS, corpus)
}

function tasksIn(file: string | undefined, trees: string | undefined): Bench["tasks"] {
  if (file === undefined && trees === undefined) return null
  if (file === undefined || trees === undefined) throw new Error("--tasks and --task-trees go together")
  return { file: resolve(file), trees: resolve(trees) }
}

function splitOf(text: string): JudgedSplit {
  if (!isJudgedSplit(text)) throw new Error(`--split takes develop or closed, not ${text}`)
  return text
}

function positive(flag: string, text: string): number {
  const number = Number(text)
  if (!Number.isInteger(number) || number < 1)
    throw new Error(`--${flag} takes whole numbers above 0, not ${text}`)
  return number
}

function chosen(only: string | undefined): readonly Section[] {
  if (only === undefined) return SECTIONS
  const names = only.split(",")
  const known = SECTIONS.map(({ name }) => name)
  const unknown = names.find((name) => !known.includes(name))
  if (unknown !== undefined) throw new Error(`--only knows ${known.join(", ")}, not ${unknown}`)
  return SECTIONS.filter(({ name }) => names.includes(name))
}

function describeMachine(bench: Bench) {
  return {
    aman: run([bench.binary, "version"]).stdout.trim(),
    processor: `${availableParallelism()} × ${cpus()[0]?.model.trim() ?? "?"}`,
    memory: `${Math.round(totalmem() / 2 ** 30)} GiB`,
    system: platform(),
    date: new Date().toISOString().slice(0, 10),
  }
}

async function runSection(section: Section, bench: Bench): Promise<readonly Table[]> {
  const started = performance.now()
  const tables = await section.run(bench)
  for (const table of tables) console.log(`${renderTable(table)}\n`)
  bench.note(`${section.name} took ${((performance.now() - started) / 1000).toFixed(0)} s`)
  return tables
}

function summarise(tables: readonly Table[]): void {
  if (tables.length === 0) {
    console.log("Nothing was measured.")
    return
  }
  const missed = tables.flatMap(missedTargets)
  console.log(missed.length === 0 ? "No target of these is missed." : "Targets missed:")
  for (const line of missed) console.log(`  ✗ ${line}`)
}
