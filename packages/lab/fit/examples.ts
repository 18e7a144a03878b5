import { join } from "node:path"
import { compareTexts } from "../../../src/base/index.ts"
import { indexProject, openProject, type SearchSources } from "../../../src/index/index.ts"
import { linesReader } from "../../../src/search/answer/search-project.ts"
import {
  type CandidateSet,
  gatherCandidates,
  gatherGuessed,
} from "../../../src/search/channels/candidates.ts"
import { guessedText } from "../../../src/search/index.ts"
import type { SearchOptions } from "../../../src/search/options.ts"
import { createFilter } from "../../../src/search/query/filter.ts"
import type { QueryKind } from "../../../src/search/query/query.ts"
import { type CandidateFile, featuresOf } from "../../../src/search/rank/features.ts"
import { type BaseTable, rank, type WeightTable } from "../../../src/search/rank/rank.ts"
import { type LabelledQuery, type LabelledRepository, samePath } from "../bench/labels.ts"
import type { Example } from "./listwise.ts"

export type LabelledExample = Example & {
  readonly query: LabelledQuery
  /** Paths of the candidates, in the order of the rows. */
  readonly paths: readonly string[]
  readonly looksLikeSymbol: boolean
}

/** Selects the queries of a repository to fit, and their weight. */
export type ExampleRequest = {
  readonly table: BaseTable
  /** Folder of the indexes, which are at MODEL/NAME in it. */
  readonly work: string
  /** Only queries of this kind; null takes all, as questions; "guessed" those with guessed names, asked with them. */
  readonly kind: QueryKind | "guessed" | null
  /** Sum of the weights of the repository's queries. */
  readonly weight: number
  /** Max candidates of each query: the first by the current weights, and all right ones. */
  readonly maxRows: number
}

export type RepositoryExamples = {
  readonly name: string
  readonly language: string
  readonly examples: readonly LabelledExample[]
}

/** Model whose indexes are read for the table without vectors. */
const MODEL_OF_WORDS = "aman512"

/** Indexes a labelled repository if needed, and computes the features of each query's candidates. */
export async function examplesOf(
  repository: LabelledRepository,
  { table, work, kind, weight, maxRows }: ExampleRequest,
): Promise<RepositoryExamples> {
  const model = table === "keyword" ? MODEL_OF_WORDS : table
  const dir = join(work, model, repository.name)
  const settings = { "index.dir": dir }
  const project = openProject({ root: repository.root, cwd: repository.root, ...settings })
  // An index of an earlier run is used as it is, because the trees do not change.
  if (project.reader() === null) await indexProject(project)
  const reader = project.reader()!
  const sources = reader.sources({ vectors: table !== "keyword" })
  const request = { content: "all", paths: [], languages: [], kinds: [] } as const
  const mode: SearchOptions["mode"] = table === "keyword" ? "keyword" : "hybrid"
  const filter = createFilter(reader.store, request)
  const readLines = linesReader(project, reader)
  const options: SearchOptions = { limit: 10, mode, filter, folder: "", explain: false, readLines }
  const examples: LabelledExample[] = []
  for (const query of repository.queries) {
    const gathered = await gatherFor(query, kind, sources, options)
    if (gathered === null) continue
    const isRight = ({ hit }: CandidateFile) => query.targets.some(({ path }) => samePath(hit.path, path))
    const { query: parsed } = gathered
    const scale =
      kind === null ? { ...gathered.scale, query: { ...parsed, kind: "question" as const } } : gathered.scale
    const ranked = rank(gathered.candidates, scale, tableOf(table, kind), "")
    const candidates = ranked
      .map(({ candidate }) => candidate)
      .filter((candidate, at) => at < maxRows || isRight(candidate))
      .sort((a, b) => compareTexts(a.hit.path, b.hit.path))
    const paths = candidates.map((candidate) => candidate.hit.path)
    examples.push({
      query,
      paths,
      looksLikeSymbol: gathered.query.looksLikeSymbol,
      rows: candidates.map((candidate) => featuresOf(candidate, scale)),
      target: targetOf(paths, query),
      weight: weight / repository.queries.length,
    })
  }
  project.close()
  return { name: repository.name, language: repository.language, examples }
}

/** Reads the text of a file as search does; null for a file that cannot be read. */
/** The candidates of a query; null if it is not of the kind. */
async function gatherFor(
  { query, names }: LabelledQuery,
  kind: ExampleRequest["kind"],
  sources: SearchSources,
  options: SearchOptions,
): Promise<CandidateSet | null> {
  if (kind === "guessed")
    return names.length === 0 ? null : gatherGuessed(sources, query, guessedText(names), options)
  const gathered = await gatherCandidates(sources, query, options)
  return kind === null || gathered.query.kind === kind ? gathered : null
}

function tableOf(table: BaseTable, kind: ExampleRequest["kind"]): WeightTable {
  return kind === "task" || kind === "guessed" ? `${table}:${kind}` : table
}

/** Gives each target that is among the candidates an equal share. */
function targetOf(paths: readonly string[], query: LabelledQuery): Float64Array {
  const target = Float64Array.from(paths, (path) =>
    query.targets.some((wanted) => samePath(path, wanted.path)) ? 1 : 0,
  )
  const sum = target.reduce((a, b) => a + b, 0)
  return sum === 0 ? target : target.map((share) => share / sum)
}
