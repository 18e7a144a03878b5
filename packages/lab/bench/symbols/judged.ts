import { existsSync, readFileSync } from "node:fs"
import { join } from "node:path"
import { AmanError, compareTexts } from "../../../../src/base/index.ts"
import { indexProject, openProject, type Project } from "../../../../src/index/index.ts"
import {
  type RelatedAnswer,
  type Relation,
  type SymbolAnswer,
  symbolOf,
} from "../../../../src/symbols/index.ts"
import { layOut } from "../../learn/mirrors.ts"
import type { Bench } from "../section.ts"
import { judge, type Limit, type Table } from "../table.ts"

/** Max share of answers that lack a place without saying that they may be incomplete (issue 24). */
const MAX_SILENT = 0.01
const MIN_PRECISION = 0.95
const MIN_RECALL = 0.92
const MIN_UNUSED_PRECISION = 0.8
/** Languages to which the targets of precision and recall apply. */
const TARGETED: ReadonlySet<string> = new Set(["typescript", "python", "go", "rust", "java"])
const MAX_PLACES = 10_000
/** A definition may begin with decorators, annotations or modifiers some lines before its name. */
const MAX_HEAD_LINES = 8
/** Decorators of a test may list its cases, so that the name stands far below. */
const MAX_DECORATOR_LINES = 60

/**
 * Parts of the questions. develop: its misses may be read in order to improve the program; closed: scored only
 * once, at the end.
 */
const JUDGED_SPLITS = ["develop", "closed"] as const
export type JudgedSplit = (typeof JUDGED_SPLITS)[number]

export type JudgedRepository = {
  /** OWNER/NAME on GitHub. */
  readonly name: string
  readonly commit: string
  readonly split: JudgedSplit
  /** Tool that gave the truth, or "reading". */
  readonly truth: string
  /**
   * Endings of the files that the truth covers; a place in another file counts neither as right nor as wrong.
   * Null: all files.
   */
  readonly covers: readonly string[] | null
}

/** 1-based lines by path. */
type Places = Readonly<Record<string, readonly number[]>>

export type JudgedQuestion = {
  readonly repo: string
  readonly language: string
  readonly relation: Relation
  /** `name` or `Owner.name`; empty for "unused". */
  readonly name: string
  /** File that defines the name; for "unused" and "definition" a folder or nothing. */
  readonly path: string
  /** Lines of the places that a complete answer has; for "impact" line 1 of each affected file. */
  readonly truth: Places
  /**
   * Places that count neither as right nor as wrong, such as a prototype, or a call through the interface of a
   * method.
   */
  readonly neutral?: Places
}

type Verdict = {
  readonly question: JudgedQuestion
  readonly right: number
  readonly wrong: readonly string[]
  readonly missing: readonly string[]
  /** True when places are missing and the answer does not say that there may be more. */
  readonly isSilent: boolean
  /** True when nothing is missing and the answer says that there may be more. */
  readonly isNeedless: boolean
}

function readJudged(): {
  readonly repositories: readonly JudgedRepository[]
  readonly questions: readonly JudgedQuestion[]
} {
  const lines = readFileSync(join(import.meta.dir, "questions.jsonl"), "utf8")
    .trim()
    .split("\n")
  return {
    repositories: JSON.parse(readFileSync(join(import.meta.dir, "repositories.json"), "utf8")),
    questions: lines.map((line) => JSON.parse(line) as JudgedQuestion),
  }
}

export function isJudgedSplit(text: string): text is JudgedSplit {
  return (JUDGED_SPLITS as readonly string[]).includes(text)
}

/** Precision, recall and silent incompleteness of the answers to the judged questions, by language and relation. */
export async function judgedTables(bench: Bench, mirrors: string): Promise<Table[]> {
  const { repositories, questions } = readJudged()
  const verdicts: Verdict[] = []
  for (const repository of repositories) {
    if (repository.split !== bench.split) continue
    const gitDir = join(mirrors, repository.name.replace("/", "+"), "repo")
    if (!existsSync(gitDir)) continue
    const own = questions.filter(({ repo }) => repo === repository.name)
    const tree = join(bench.scratch, "judged", repository.name.replace("/", "+"))
    layOut(gitDir, repository.commit, tree)
    verdicts.push(...(await judgeRepository(tree, repository, own)))
    bench.note(`${repository.name}: ${own.length} questions`)
  }
  for (const each of verdicts) for (const line of missesOf(each)) bench.note(line)
  if (verdicts.length === 0) return []
  const answers = verdicts.filter(({ question }) => question.relation !== "unused")
  return [
    table(
      `Judged answers about symbols, by language (${bench.split})`,
      answers,
      ({ question }) => question.language,
    ),
    table(
      `Judged answers about symbols, by relation (${bench.split})`,
      verdicts,
      ({ question }) => question.relation,
    ),
  ]
}

async function judgeRepository(
  root: string,
  { covers }: Pick<JudgedRepository, "covers">,
  questions: readonly JudgedQuestion[],
): Promise<Verdict[]> {
  using project = openProject({ root, cwd: root })
  await indexProject(project)
  const verdicts: Verdict[] = []
  for (const question of questions)
    verdicts.push(verdictOn(question, await answerTo(project, question), covers))
  return verdicts
}

/**
 * The answer; null if the program says that nothing has the name, "used" if it says so but adds that files use the
 * name.
 */
async function answerTo(
  project: Project,
  { relation, name, path }: JudgedQuestion,
): Promise<SymbolAnswer | "used" | null> {
  const request = {
    relation,
    ...(relation === "unused" ? {} : { name }),
    ...(path === "" ? {} : { path }),
    limit: MAX_PLACES,
    offset: 0,
  }
  return await symbolOf(project, request, { refresh: false, isPatient: true }).catch((error: unknown) => {
    if (error instanceof AmanError && error.code === "NOT_FOUND")
      return /files? uses? that name/.test(error.hint ?? "") ? "used" : null
    throw error
  })
}

export function verdictOn(
  question: JudgedQuestion,
  said: SymbolAnswer | "used" | null,
  covers: JudgedRepository["covers"] = null,
): Verdict {
  const answer = said === "used" ? null : said
  const truth = new Set(placesIn(question.truth))
  const neutral = new Set(placesIn(question.neutral ?? {}))
  const found = answer === null ? [] : foundIn(question, answer)
  const hit = new Set<string>()
  const wrong: string[] = []
  for (const { path, from, to, declaredAt } of found) {
    if (covers !== null && !covers.some((ending) => path.endsWith(ending))) continue
    const places = [...linesOf(path, from, to), ...(declaredAt === undefined ? [] : [declaredAt])]
    const known = places.find((place) => truth.has(place))
    if (known !== undefined) hit.add(known)
    else if (!places.some((place) => neutral.has(place))) wrong.push(`${path}:${from}`)
  }
  const missing = [...truth.difference(hit)]
  const isSilent =
    question.relation !== "unused" &&
    missing.length > 0 &&
    said !== "used" &&
    !admitsMissing(answer, missing.length)
  const isNeedless = answer !== null && missing.length === 0 && admitsMissing(answer, 1)
  return { question, right: hit.size, wrong: [...new Set(wrong)], missing, isSilent, isNeedless }
}

/** True when the answer names as many unresolved uses as are missing, or says that it may be incomplete. */
function admitsMissing(answer: SymbolAnswer | null, missing: number): boolean {
  if (answer === null) return false
  if (answer.unresolved.total >= missing || answer.unseen_files > 0 || answer.next_offset !== null)
    return true
  return answer.notices.some((notice) => INCOMPLETE.test(notice))
}

const INCOMPLETE =
  /partial|may use|may be|may call|could not be parsed|not analysed|not checked|further uses|not read|only the/

type Range = {
  readonly path: string
  readonly from: number
  readonly to: number
  /** Place of Rust's `impl Trait for Type`, which rust-analyzer names instead of the type. */
  readonly declaredAt?: string
}

function foundIn({ relation, path }: JudgedQuestion, answer: SymbolAnswer): Range[] {
  const { definitions, related, references } = answer
  const headWithin =
    (lines: number) =>
    (each: { path: string; start_line: number; end_line: number }): Range => ({
      path: each.path,
      from: each.start_line,
      to: Math.min(each.end_line, each.start_line + lines),
    })
  const head = headWithin(MAX_HEAD_LINES)
  const lines = references.map(({ path: file, line }) => ({ path: file, from: line, to: line }))
  switch (relation) {
    case "definition":
      return definitions.filter(({ kind }) => DEFINING.test(kind)).map(headWithin(MAX_DECORATOR_LINES))
    case "implementations":
      return [
        ...related
          .filter(({ kind }) => !/^(?:method|function|property|field)$/.test(kind))
          .map((each) => ({ ...head(each), ...declaredAt(each) })),
        ...lines,
      ]
    case "unused":
      return related.filter((each) => each.path.startsWith(path)).map(head)
    case "impact":
      return [...answer.tests, ...answer.files].map((file) => ({ path: file, from: 1, to: 1 }))
    case "callers":
      return [
        ...related.flatMap((each) => each.lines.map((line) => ({ path: each.path, from: line, to: line }))),
        ...lines,
      ]
    default:
      return lines
  }
}

function declaredAt({ declared_at: at }: RelatedAnswer): Pick<Range, "declaredAt"> {
  return at === undefined ? {} : { declaredAt: `${at.path}:${at.line}` }
}

const DEFINING = /^(?:function|method|class|interface|type|struct|enum|trait|macro|object|record|module)$/

function linesOf(path: string, from: number, to: number): string[] {
  return Array.from({ length: to - from + 1 }, (_, at) => `${path}:${from + at}`)
}

function placesIn(places: Places): string[] {
  return Object.entries(places).flatMap(([path, lines]) => lines.map((line) => `${path}:${line}`))
}

function missesOf({ question, missing, wrong, isSilent }: Verdict): string[] {
  if (missing.length + wrong.length === 0) return []
  const { repo, relation, name, path } = question
  const some = (what: string, places: readonly string[]) =>
    places.length === 0 ? "" : `; ${places.length} ${what}: ${places.slice(0, 4).join(", ")}`
  return [
    `${isSilent ? "SILENT " : ""}${repo} ${relation} ${name} (${path})${some("missing", missing)}${some("wrong", wrong)}`,
  ]
}

function table(title: string, verdicts: readonly Verdict[], keyOf: (verdict: Verdict) => string): Table {
  const groups: (readonly [string, readonly Verdict[]])[] = [...Map.groupBy(verdicts, keyOf)].sort(
    ([one], [other]) => compareTexts(one, other),
  )
  groups.push(["all", verdicts])
  return {
    title,
    columns: [
      { name: "" },
      { name: "questions", digits: 0 },
      { name: "precision", digits: 3 },
      { name: "recall", digits: 3 },
      { name: "complete", digits: 3 },
      { name: "incomplete without saying so", digits: 3 },
      { name: "complete, said it may not be", digits: 3 },
    ],
    rows: groups.map(([name, own]) => {
      const sum = (count: (verdict: Verdict) => number) => own.reduce((total, each) => total + count(each), 0)
      const right = sum((each) => each.right)
      const share = (count: (verdict: Verdict) => boolean) => own.filter(count).length / own.length
      const isUnused = name === "unused"
      const least = (value: number): Limit | null =>
        TARGETED.has(name) ? { min: value } : isUnused ? { min: MIN_UNUSED_PRECISION } : null
      return [
        name,
        own.length,
        judge(right / Math.max(1, right + sum((each) => each.wrong.length)), least(MIN_PRECISION), 3),
        isUnused
          ? null
          : judge(right / Math.max(1, right + sum((each) => each.missing.length)), least(MIN_RECALL), 3),
        isUnused ? null : share((each) => each.missing.length === 0),
        isUnused
          ? null
          : judge(
              share((each) => each.isSilent),
              { max: MAX_SILENT },
              3,
            ),
        isUnused ? null : share((each) => each.isNeedless),
      ]
    }),
    notes: ["places of all answers together; a place is a path and a line"],
  }
}
