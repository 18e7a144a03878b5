import { cpSync, existsSync } from "node:fs"
import { join } from "node:path"
import { openProject, type Project } from "../../../src/index/index.ts"
import { searchIndex } from "../../../src/search/index.ts"
import type { FoundIn } from "../../../src/search/rank/merge-found.ts"
import { mergeFound } from "../../../test/merge-found.ts"
import { type LabelledQuery, type LabelledRepository, mean, ndcg } from "./labels.ts"
import { runColdIndex } from "./processes.ts"
import { ASK_ALL } from "./quality.ts"
import { type Bench, lacksCorpus, type Section } from "./section.ts"
import type { Table } from "./table.ts"

const DEPTH = 20
const SHOWN = 10

/** Score of one way to rank the files of all repositories for a query. */
type Score = { readonly ndcg: number; readonly isRight: boolean }
type Scores = Readonly<Record<"alone" | "apart" | "merged" | "one", Score>>
type Ranked = { readonly repository: string; readonly path: string }

/**
 * Asks each question of all labelled repositories at once; only files of the question's own repository are
 * right.
 */
export const repositoriesSection: Section = {
  name: "repositories",
  lacks: lacksCorpus,
  async run(bench) {
    const projects = bench.labels.map((repository) => ({ repository, project: indexed(bench, repository) }))
    const whole = indexWhole(bench)
    const scores: Scores[] = []
    for (const { repository } of projects) {
      for (const query of repository.queries) scores.push(await scoreOf(query, repository, projects, whole))
      bench.note(`${repository.name}: ${mean(scores.map(({ merged }) => merged.ndcg)).toFixed(3)}`)
    }
    for (const { project } of projects) project.close()
    whole.close()
    return [tableOf(scores)]
  },
}

type Opened = { readonly repository: LabelledRepository; readonly project: Project }

async function scoreOf(
  { query, targets }: LabelledQuery,
  { name }: LabelledRepository,
  projects: readonly Opened[],
  whole: Project,
): Promise<Scores> {
  const judge = (ranked: readonly Ranked[]): Score => ({
    ndcg: ndcg(
      ranked.slice(0, SHOWN).map(({ repository, path }) => (repository === name ? path : `${repository}//`)),
      targets,
    ),
    isRight: ranked[0]?.repository === name,
  })
  const founds: FoundIn[] = []
  for (const { project } of projects) founds.push(await ask(project, query))
  const nameOf = (source: number) => projects[source]!.repository.name
  const apart = founds
    .flatMap(({ found }, source) =>
      found.files.map(({ path, score }) => ({ repository: nameOf(source), path, score })),
    )
    .sort((a, b) => b.score - a.score)
  const merged = mergeFound(founds).map(({ source, file }) => ({
    repository: nameOf(source),
    path: file.path,
  }))
  const one = (await ask(whole, query)).found.files.map(({ path }) => {
    const [repository = "", ...rest] = path.split("/")
    return { repository, path: rest.join("/") }
  })
  const alone = merged.filter(({ repository }) => repository === name)
  return { alone: judge(alone), apart: judge(apart), merged: judge(merged), one: judge(one) }
}

async function ask(project: Project, query: string): Promise<FoundIn> {
  const reader = project.reader()!
  const found = await searchIndex(project, reader, { ...ASK_ALL, query, mode: "hybrid", limit: DEPTH })
  return { found, ...reader.store.files.totals() }
}

function indexed(bench: Bench, { name, root }: LabelledRepository): Project {
  const indexDir = join(bench.scratch, "labelled", name)
  runColdIndex(bench.binary, root, indexDir)
  return openProject({ root, cwd: root, "index.dir": indexDir })
}

/** A project that contains copies of all repositories. */
function indexWhole(bench: Bench): Project {
  const root = join(bench.scratch, "all-labelled")
  if (!existsSync(root))
    for (const { name, root: from } of bench.labels) cpSync(from, join(root, name), { recursive: true })
  return indexed(bench, { name: "all-labelled", root, language: "", queries: [] })
}

const ROWS: readonly (readonly [keyof Scores, string])[] = [
  ["alone", "its own repository alone"],
  ["apart", "all, by the scores they have in their own index"],
  ["merged", "all, merged on one scale: what aman does"],
  ["one", "all in one index"],
]

function tableOf(scores: readonly Scores[]): Table {
  return {
    title: "Several repositories searched as one",
    columns: [
      { name: "" },
      { name: "NDCG@10", digits: 3 },
      { name: "best file of the right repository, %", digits: 0 },
    ],
    rows: ROWS.map(([name, title]) => [
      title,
      mean(scores.map((score) => score[name].ndcg)),
      100 * mean(scores.map((score) => (score[name].isRight ? 1 : 0))),
    ]),
  }
}
