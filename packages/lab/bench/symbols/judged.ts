import { existsSync, readFileSync } from "node:fs"
import { join } from "node:path"
import { compareTexts } from "../../../../src/base/index.ts"
import type { RelatedAnswer, Relation, SymbolAnswer } from "../../../../src/symbols/index.ts"
import { layOut } from "../../learn/mirrors.ts"
import { runColdIndex } from "../processes.ts"
import type { Bench } from "../section.ts"
import { Server } from "../server.ts"
import { judge, type Limit, type Table } from "../table.ts"
import { drawQuestions } from "./draw.ts"
import { Facts } from "./facts.ts"
import { type Compiler, factsOf } from "./truth.ts"

/** Max share of answers that lack a place without saying that they may be incomplete (issue 41). */
const MAX_SILENT = 0.005
/** Max share of the places called certain that a compiler contradicts (issue 41). */
const MAX_CERTAIN_WRONG = 0.003
const MIN_PRECISION = 0.98
const MIN_RECALL = 0.95
const MIN_UNUSED_PRECISION = 0.8
/** Languages to which the targets of precision and recall apply. */
const TARGETED: ReadonlySet<string> = new Set(["typescript", "python", "go", "rust", "java"])
const MAX_PLACES = 10_000
const PAGE = 500
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
  /** Compiler whose facts give the questions; absent: they are in questions.jsonl. */
  readonly compiler?: Compiler
}

/** site: which definition is meant where a name is used; affected: an impact, judged by functions and not by files. */
export type JudgedRelation = Relation | "site" | "affected"

/** 1-based lines by path. */
type Places = Readonly<Record<string, readonly number[]>>

export type JudgedQuestion = {
  readonly repo: string
  readonly language: string
  readonly relation: JudgedRelation
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
  /** 1-based line of the use, for "site". */
  readonly line?: number
  /** True if the name is defined or used often in its project. */
  readonly isCommon?: boolean
  /** True if even the compiler does not know what some uses of the name mean. */
  readonly isUndecidable?: boolean
}

type Verdict = {
  readonly question: JudgedQuestion
  readonly right: number
  readonly wrong: readonly string[]
  readonly missing: readonly string[]
  /** Places that the answer calls certain, and those of them that are wrong. */
  readonly certain: number
  readonly certainWrong: readonly string[]
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
    if (repository.split !== bench.split || !existsSync(gitDirOf(mirrors, repository))) continue
    verdicts.push(...(await verdictsOn(bench, mirrors, repository, questions)))
  }
  if (verdicts.length === 0) return []
  const answers = verdicts.filter(({ question }) => question.relation !== "unused")
  const titled = (by: string) => `Judged answers about symbols, by ${by} (${bench.split})`
  return [
    table(titled("language"), answers, ({ question }) => question.language),
    table(
      titled("language and names"),
      answers,
      ({ question }) => `${question.language}${namesOf(question)}`,
    ),
    table(
      titled("language and relation"),
      answers,
      ({ question }) => `${question.language}, ${question.relation}`,
    ),
    table(titled("relation"), verdicts, ({ question }) => question.relation),
  ]
}

function gitDirOf(mirrors: string, { name }: JudgedRepository): string {
  return join(mirrors, name.replace("/", "+"), "repo")
}

function namesOf({ isCommon }: JudgedQuestion): string {
  if (isCommon === undefined) return ""
  return isCommon ? ", common names" : ", rare names"
}

async function verdictsOn(
  bench: Bench,
  mirrors: string,
  repository: JudgedRepository,
  judged: readonly JudgedQuestion[],
): Promise<Verdict[]> {
  const { name, commit, compiler } = repository
  const tree = join(bench.scratch, "judged", name.replace("/", "+"))
  layOut(gitDirOf(mirrors, repository), commit, tree)
  const facts = compiler === undefined ? null : new Facts(await factsOf(compiler, tree, bench))
  const questions =
    facts === null ? judged.filter(({ repo }) => repo === name) : drawQuestions(facts, name, compiler!)
  const verdicts = await judgeRepository(bench, tree, questions, coverage(repository, facts))
  const unknown = facts?.uses.filter(({ defs }) => defs === undefined).length ?? 0
  bench.note(`${name}: ${questions.length} questions; the compiler does not know ${unknown} uses`)
  // The misses of the closed part are not read before the end.
  const misses = bench.split === "closed" ? [] : verdicts.flatMap((each) => missesOf(each, facts))
  for (const line of misses) bench.note(line)
  return verdicts
}

type Covered = (path: string) => boolean

/** Whether the truth says anything about a file: the compiler has read it, or it has one of the endings. */
function coverage({ covers }: JudgedRepository, facts: Facts | null): Covered {
  if (facts !== null) return (path) => facts.files.has(path)
  return (path) => covers === null || covers.some((ending) => path.endsWith(ending))
}

async function judgeRepository(
  bench: Bench,
  root: string,
  questions: readonly JudgedQuestion[],
  isCovered: Covered,
): Promise<Verdict[]> {
  const index = join(bench.scratch, "judged-index")
  runColdIndex(bench.binary, root, index)
  const server = new Server(bench.binary, root, index)
  const verdicts: Verdict[] = []
  try {
    await server.initialize()
    for (const question of questions)
      verdicts.push(verdictOn(question, await answerTo(server, question), isCovered))
  } finally {
    await server.kill()
  }
  return verdicts
}

async function answerTo(server: Server, { relation, name, path, line }: JudgedQuestion): Promise<Said> {
  if (relation === "site") {
    const meant = await symbol(server, { name: `${path}:${line}#${name}` })
    if (meant === "other") return null
    // Older versions take the place for an owner, and answer with names that only look alike.
    const isMeant = typeof meant === "object" && meant?.definitions[0]?.name.endsWith(name)
    return isMeant === true ? meant : symbol(server, { name, relation: "references" })
  }
  return symbol(server, {
    ...(relation === "unused" ? {} : { name }),
    relation: relation === "affected" ? "impact" : relation,
    ...(path === "" ? {} : { path }),
  })
}

/**
 * An answer; null: the project does not define the name; "used": it does not, but its files use the name; "other": the
 * name means something outside of the project or a local.
 */
type Said = SymbolAnswer | "used" | "other" | null

/** All pages of an answer as one. */
async function symbol(server: Server, asked: object): Promise<Said> {
  let whole: SymbolAnswer | undefined
  for (let offset: number | null = 0; offset !== null && offset < MAX_PLACES; ) {
    const page = (await server.request("tools/call", {
      name: "symbol",
      arguments: { ...asked, limit: PAGE, offset },
    })) as SymbolPage
    if (page.isError) return refusal(asked, page.content[0]!.text)
    const answer: SymbolAnswer = page.structuredContent
    whole = {
      ...answer,
      references: [...(whole?.references ?? []), ...answer.references],
      related: [...(whole?.related ?? []), ...answer.related],
    }
    offset = answer.next_offset
  }
  return whole ?? null
}

function refusal(asked: object, text: string): Said {
  if (/ is (?:defined outside|a local|not used)/.test(text)) return "other"
  if (!/^no |^nothing /.test(text)) throw new Error(`${JSON.stringify(asked)}: ${text}`)
  return /files? uses? that name/.test(text) ? "used" : null
}

type SymbolPage = {
  readonly isError?: boolean
  readonly content: readonly { readonly text: string }[]
  readonly structuredContent: SymbolAnswer
}

export function verdictOn(question: JudgedQuestion, said: Said, isCovered: Covered = () => true): Verdict {
  const answer = typeof said === "string" ? null : said
  const found = answer === null ? [] : foundIn(question, answer).filter(({ path }) => isCovered(path))
  const { hit, wrong, certain } = compare(question, found)
  const missing = [...new Set(placesIn(question.truth)).difference(hit)]
  // A site has one answer or none.
  const isList = question.relation !== "site" && question.relation !== "unused"
  const saysComplete = said !== "used" && !admitsMissing(answer, Math.max(1, missing.length))
  return {
    ...{ question, right: hit.size, wrong: [...wrong], missing },
    ...{ certain: certain.size, certainWrong: [...wrong.intersection(certain)] },
    isSilent: isList && missing.length > 0 && saysComplete,
    isNeedless: isList && missing.length === 0 && answer !== null && !saysComplete && !question.isUndecidable,
  }
}

function compare(question: JudgedQuestion, found: readonly Range[]) {
  const truth = new Set(placesIn(question.truth))
  const neutral = new Set(placesIn(question.neutral ?? {}))
  const hit = new Set<string>()
  const wrong = new Set<string>()
  const certain = new Set<string>()
  for (const { path, from, to, declaredAt, isCertain } of found) {
    const places = [...linesOf(path, from, to), ...(declaredAt === undefined ? [] : [declaredAt])]
    const known = places.find((place) => truth.has(place))
    if (known === undefined && places.some((place) => neutral.has(place))) continue
    if (known === undefined) wrong.add(`${path}:${from}`)
    else hit.add(known)
    if (isCertain) certain.add(known ?? `${path}:${from}`)
  }
  return { hit, wrong, certain }
}

/** True when the answer names as many unresolved uses as are missing, or says that it may be incomplete. */
function admitsMissing(answer: SymbolAnswer | null, missing: number): boolean {
  if (answer === null) return false
  if (answer.unresolved.total >= missing || answer.unseen_files > 0 || answer.next_offset !== null)
    return true
  return answer.notices.some((notice) => INCOMPLETE.test(notice))
}

/** Matches notices that uses in the project may be missing; callers outside of the code are no such uses. */
const INCOMPLETE =
  /partial|may use|may be|(?<!outside of the code )may call|could not be parsed|not analysed|not checked|further uses|not read|only the/

type Range = {
  readonly path: string
  readonly from: number
  readonly to: number
  /** Place of Rust's `impl Trait for Type`, which rust-analyzer names instead of the type. */
  readonly declaredAt?: string
  readonly isCertain: boolean
}

/** An answer's place: in words, or as older versions in numbers. */
type Place = { readonly certainty?: string; readonly confidence?: number }

const MIN_CERTAIN = 0.85

function isCertainly({ certainty, confidence = 1 }: Place): boolean {
  return certainty === undefined ? confidence >= MIN_CERTAIN : certainty === "certain"
}

function foundIn(question: JudgedQuestion, answer: SymbolAnswer): Range[] {
  const { relation, path } = question
  const { definitions, related, references } = answer
  const headWithin =
    (lines: number) =>
    (each: { path: string; start_line: number; end_line: number } & Place): Range => ({
      isCertain: isCertainly(each),
      path: each.path,
      from: each.start_line,
      to: Math.min(each.end_line, each.start_line + lines),
    })
  const head = headWithin(MAX_HEAD_LINES)
  const lines = references.map((each) => rangeAt(each.path, each.line, each))
  switch (relation) {
    case "site":
      return meantAt(question, answer).map(head)
    case "affected":
      return related
        .filter(({ kind }) => /^(?:method|function)$/.test(kind))
        .map(headWithin(Number.POSITIVE_INFINITY))
    case "definition":
      return definitions.filter(({ kind }) => DEFINING.test(kind)).map(headWithin(MAX_DECORATOR_LINES))
    case "implementations":
      return [
        ...related
          .filter(({ kind }) => question.isCommon !== undefined || !MEMBER.test(kind))
          .map((each) => ({ ...head(each), ...declaredAt(each) })),
        ...lines,
      ]
    case "unused":
      return related.filter((each) => each.path.startsWith(path)).map(head)
    case "impact":
      return [...answer.tests, ...answer.files].map((file) => rangeAt(file, 1, {}))
    case "callers":
      return [
        ...related.flatMap((each) => each.lines.map((line) => rangeAt(each.path, line, each))),
        ...lines,
      ]
    default:
      return lines
  }
}

const MEMBER = /^(?:method|function|property|field)$/

function rangeAt(path: string, line: number, place: Place): Range {
  return { path, from: line, to: line, isCertain: isCertainly(place) }
}

/** The definition that an answer calls the likeliest at a place; none if it says that another name is meant there. */
function meantAt(
  { path, line }: JudgedQuestion,
  { relation, definitions, references, notices }: SymbolAnswer,
) {
  if (relation === "definition") {
    const isUndecided =
      definitions.length > 1 || notices.some((notice) => notice.includes("could not be followed"))
    return definitions
      .slice(0, 1)
      .map((each) => ({ ...each, certainty: isUndecided ? "possible" : "certain" }))
  }
  const use = references.find((each) => each.path === path && each.line === line)
  if (use === undefined) return []
  const [target] = use.targets ?? []
  const meant = definitions.filter(
    (each) => target === undefined || target === each.name || target.startsWith(`${each.path}:`),
  )
  return meant.slice(0, 1).map((each) => ({ ...each, ...placeIn(use) }))
}

function placeIn({ confidence, certainty }: Place): Place {
  return { ...(confidence !== undefined && { confidence }), ...(certainty !== undefined && { certainty }) }
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

function recallOf({ right, missing }: Verdict): number {
  return right + missing.length === 0 ? 1 : right / (right + missing.length)
}

/** Share of the complete answers that say that they may not be. */
function ofComplete(verdicts: readonly Verdict[]): number {
  const complete = verdicts.filter(({ missing }) => missing.length === 0)
  return complete.filter(({ isNeedless }) => isNeedless).length / Math.max(1, complete.length)
}

function missesOf(
  { question, missing, wrong, certainWrong, isSilent }: Verdict,
  facts: Facts | null,
): string[] {
  if (missing.length + wrong.length === 0) return []
  const { repo, relation, name, path, line } = question
  const last = name.slice(name.lastIndexOf(".") + 1)
  const some = (what: string, places: readonly string[]) =>
    places.length === 0
      ? ""
      : `; ${places.length} ${what}: ${places
          .slice(0, 4)
          .map((place) => `${place}${facts?.meaningAt(place, last) ?? ""}`)
          .join(", ")}`
  const unsure = new Set(wrong).difference(new Set(certainWrong))
  return [
    `${isSilent ? "SILENT " : ""}${repo} ${relation} ${name} (${path}${line === undefined ? "" : `:${line}`})${some("missing", missing)}${some("wrong", [...unsure])}${some("CERTAIN and wrong", certainWrong)}`,
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
      { name: "recall of a question", digits: 3 },
      { name: "complete", digits: 3 },
      { name: "incomplete without saying so", digits: 3 },
      { name: "complete, said it may not be", digits: 3 },
      { name: "certain", digits: 0 },
      { name: "certain and wrong", digits: 4 },
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
        isUnused ? null : sum(recallOf) / own.length,
        isUnused ? null : share((each) => each.missing.length === 0),
        isUnused
          ? null
          : judge(
              share((each) => each.isSilent),
              { max: MAX_SILENT },
              3,
            ),
        isUnused ? null : ofComplete(own),
        sum((each) => each.certain),
        judge(
          sum((each) => each.certainWrong.length) /
            Math.max(
              1,
              sum((each) => each.certain),
            ),
          { max: MAX_CERTAIN_WRONG },
          4,
        ),
      ]
    }),
    notes: ["places of all answers together; a place is a path and a line"],
  }
}
