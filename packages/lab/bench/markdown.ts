import { join } from "node:path"
import type { ContentKind } from "../../../src/base/answers.ts"
import type { SearchMode, SearchResult } from "../../../src/base/index.ts"
import { openProject, type Project } from "../../../src/index/index.ts"
import { searchProject } from "../../../src/search/answer/search-project.ts"
import { chunksOf, fts5Engine } from "./engines.ts"
import { mean, ndcg } from "./labels.ts"
import {
  type Lines,
  type MarkdownProject,
  type MarkdownQuestion,
  missingProjects,
  readMarkdownQuestions,
} from "./markdown-labels.ts"
import { runColdIndex } from "./processes.ts"
import { ASK_ALL } from "./quality.ts"
import type { Bench, Section } from "./section.ts"
import type { Cell, Table } from "./table.ts"

type Verdict = {
  readonly project: string
  readonly kind: string
  readonly content: ContentKind
  readonly mode: SearchMode
  readonly ndcg: number
  /** 1-based rank of the first file that answers, and of the first that shows the section; null: none. */
  readonly file: number | null
  readonly section: number | null
  /** NDCG@10 of SQLite's full-text index over the same chunks. */
  readonly fts5: number
}

const MODES = ["hybrid", "keyword"] as const
const CONTENTS = ["docs", "all"] as const

/** Asks questions about the documentation of projects that are in no label file. */
export const markdownSection: Section = {
  name: "markdown",
  lacks: ({ corpus }) => {
    if (corpus === null)
      return "--corpus DIR, with the projects of packages/lab/bench/markdown-questions.json"
    const missing = missingProjects(corpus)
    return missing.length === 0 ? null : `in ${corpus}: ${missing.join(", ")}`
  },
  async run(bench) {
    const verdicts: Verdict[] = []
    for (const project of readMarkdownQuestions(bench.corpus!)) {
      verdicts.push(...(await judgeProject(bench, project)))
      bench.note(`${project.name}: ${project.questions.length} questions`)
    }
    return CONTENTS.flatMap((content) => {
      const own = verdicts.filter((verdict) => verdict.content === content)
      return [tableOf(content, "project", own), tableOf(content, "kind", own)]
    })
  },
}

async function judgeProject(bench: Bench, { name, root, questions }: MarkdownProject): Promise<Verdict[]> {
  const indexDir = join(bench.scratch, "markdown", name)
  runColdIndex(bench.binary, root, indexDir)
  using project = openProject({ root, cwd: root, "index.dir": indexDir })
  const engines = { all: fts5Engine(":memory:"), docs: fts5Engine(":memory:") }
  const documents = documentsOf(project)
  await engines.all.build(chunksOf(project))
  await engines.docs.build(chunksOf(project).filter(({ path }) => documents.has(path)))
  const verdicts: Verdict[] = []
  for (const question of questions) {
    const { query, kind, targets } = question
    for (const content of CONTENTS) {
      const fts5 = ndcg([...new Set(await engines[content].query(query))], targets)
      for (const mode of MODES) {
        const results = await ask(project, query, content, mode)
        const ranks = ranksIn(results, question)
        const paths = results.map(({ path }) => path)
        verdicts.push({ project: name, kind, content, mode, ndcg: ndcg(paths, targets), ...ranks, fts5 })
        if (mode === "hybrid" && content === "docs" && ranks.section === null) {
          bench.note(`${name}: no section that answers in the first ten documents: ${query}`)
        }
      }
    }
  }
  return verdicts
}

function documentsOf(project: Project): ReadonlySet<string> {
  const { files } = project.reader()!.store
  const ids = new Set(files.idsWhere({ languages: [], contents: ["docs"] }))
  return new Set([...files.known()].filter(([, id]) => ids.has(id)).map(([path]) => path))
}

async function ask(project: Project, query: string, content: ContentKind, mode: SearchMode) {
  const request = { ...ASK_ALL, query, content, mode }
  return (await searchProject(project, request, { refresh: false })).results
}

function ranksIn(results: readonly SearchResult[], { targets }: MarkdownQuestion) {
  const rank = (answers: (result: SearchResult) => boolean) => {
    const index = results.findIndex(answers)
    return index < 0 ? null : index + 1
  }
  return {
    file: rank(({ path }) => targets.some((target) => target.path === path)),
    section: rank((result) =>
      targets.some(({ path, sections }) => path === result.path && shows(result, sections)),
    ),
  }
}

/** True if the result's place, or one of those in `also`, overlaps a section. */
function shows(result: SearchResult, sections: readonly Lines[]): boolean {
  return [result, ...result.also].some((place) =>
    sections.some((lines) => place.end_line >= lines.start_line && place.start_line <= lines.end_line),
  )
}

function tableOf(content: ContentKind, by: "project" | "kind", verdicts: readonly Verdict[]): Table {
  const groups = [...Map.groupBy(verdicts, (verdict) => verdict[by])]
  const filter = content === "docs" ? "among documents" : "among everything"
  return {
    title: `Questions about documentation, ${filter}, by ${by}`,
    columns: [
      { name: "" },
      { name: "questions", digits: 0 },
      ...MODES.flatMap((mode) =>
        ["NDCG@10", "file@1", "file@10", "section@1", "section@10"].map((name) => ({
          name: mode === "hybrid" ? name : `${mode}: ${name}`,
          digits: 3,
        })),
      ),
      { name: "FTS5: NDCG@10", digits: 3 },
    ],
    rows: [...groups, ["all", verdicts] as const].map(([name, list]) => rowOf(name, list)),
    ...(by === "kind" ? { notes: NOTES } : {}),
  }
}

const NOTES = [
  "named: the question uses the section's words; paraphrased: mostly others",
  "file: of a section that answers; section: a place of that result (`also` included) overlaps it",
]

function rowOf(name: string, verdicts: readonly Verdict[]): Cell[] {
  const own = (mode: SearchMode) => verdicts.filter((verdict) => verdict.mode === mode)
  const within = (list: readonly Verdict[], of: "file" | "section", max: number) =>
    mean(list.map((verdict) => ((verdict[of] ?? Number.POSITIVE_INFINITY) <= max ? 1 : 0)))
  const figures = MODES.map(own).flatMap((list) => [
    mean(list.map((verdict) => verdict.ndcg)),
    within(list, "file", 1),
    within(list, "file", 10),
    within(list, "section", 1),
    within(list, "section", 10),
  ])
  return [name, own("hybrid").length, ...figures, mean(verdicts.map((verdict) => verdict.fts5))]
}
