/*
 * The search of the page: by words and meaning, or for text, in this project, in other repositories and in those of the
 * team, one or several of these at once. Code lines are coloured here, because the page shows text only.
 */

import {
  besideAnswer,
  loadSeveralSources,
  loadTeamSource,
  NO_OTHER_NODES,
  type OtherNodes,
  type Source,
  sourceOf,
  type UiOptions,
  valueOrError,
} from "../../../src/ask/index.ts"
import {
  AmanError,
  type SearchAnswer,
  type SearchRequest,
  type SearchResult,
} from "../../../src/base/index.ts"
import {
  type ArgumentsOf,
  fromQuery,
  loadSearchCommand,
  required,
  SEARCH,
  searchRequest,
  without,
} from "../../../src/doors/index.ts"
import { type Project, TEAM_PREFIX, teamClient, teamName, teamNameOf } from "../../../src/index/index.ts"
import { SYMBOL_KINDS } from "../../../src/parse/index.ts"
import {
  type GrepAnswer,
  type GrepQuestion,
  type GrepResult,
  loadGrepProject,
} from "../../../src/search/index.ts"
import { findWorkTree } from "../../../src/tree/index.ts"
import { type CodeLine, codeLines, withMarks } from "./code-lines.ts"
import type { UiContext } from "./reads.ts"

/** Where the page's questions about code and about aman go: to a project and what it reaches, or to a team's node. */
export type CodePlaces = Pick<UiOptions, "commands"> & {
  /** The name that is asked if the page gives none. */
  readonly usual: string
  /** The source of what a name selects. */
  readonly source: (name?: string) => Source
  /** The searches in what several names select. */
  readonly searches: (names: readonly string[]) => Pick<Source, "search" | "grep">
}

export const QUESTION = {
  ...without(SEARCH, "repository", "team", "queries", "max_tokens", "why_not"),
  query: required(SEARCH.query),
  ignore_case: { ...SEARCH.ignore_case, flag: "CASE" },
  whole_word: { ...SEARCH.whole_word, flag: "WORD" },
  /** Where to search: THIS, names of other repositories, "team:NAME"; none: the usual. A list of names, as `path` is. */
  repository: SEARCH.path,
}
type Question = ArgumentsOf<typeof QUESTION>

/** Stands for this project among names of repositories. */
const THIS = "."

/** Maximum lines of a result in one answer. */
const MAX_LINES = 2000
/** Lines of a file that are shown before it is opened, and files, in an answer to a search for text. */
const [TEXT_LINES, TEXT_FILES] = [8, 10]
/** Maximum number of results that are counted for a search for text, and for another one, which has to rank them. */
const [MAX_TEXT_FILES, MAX_RANKED] = [1000, 100]
/** Maximum number of results that are ranked if other places than this project are asked. */
const MAX_OF_OTHERS = 50
/** Maximum tokens of the lines in an answer to a search for text. */
const MAX_TOKENS = 100_000
/** Maximum number of values that are counted of a kind. */
const MAX_VALUES = 8

type Places = Pick<UiContext, "project" | "others">

/** The places of a project: itself, other repositories, and those of the team. */
export function placesOfProject(places: Places): Pick<CodePlaces, "usual" | "source" | "searches"> {
  return {
    usual: THIS,
    source: (name) => sourceFor(places, name),
    searches: (names) => ({
      search: (request, { signal } = {}) => foundRanked(places, names, request, signal),
      grep: (question, { signal } = {}) => foundText(places, names, question, signal),
    }),
  }
}

/** The source of what a name selects: this project, other repositories, or those of the team. */
function sourceFor({ project, others }: Places, name = THIS, insteadOfTeam: Source = project): Source {
  if (name === THIS) return project
  const team = teamName(name)
  if (team === null) return others.source(name)
  return sourceOf(async (verb, request, call) => {
    const { teamSource } = await loadTeamSource()
    const use = <T>(act: (opened: Project, source: Source) => Promise<T>) =>
      project.use((opened) => act(opened, project))
    return await teamSource(team, { source: insteadOfTeam, use })[verb](request, call)
  })
}

/**
 * The answer of `aman search` with coloured lines in place of text; `shown` are those that a terminal shows, with the words
 * that it marks. Of several places those that cannot answer are named in a notice.
 */
export async function searchAnswer(places: CodePlaces, query: URLSearchParams, signal: AbortSignal) {
  const asked = fromQuery(QUESTION, query)
  const source = places.searches(namesAsked(asked, places))
  if (isOfText(asked)) {
    const page = { limit: asked.limit ?? TEXT_FILES, tokens: MAX_TOKENS }
    const answer = await source.grep(textQuestion(asked, page), { signal })
    const results: readonly GrepResult[] = answer.results
    return { ...answer, results: await Promise.all(results.map((each) => textResult(each, asked))) }
  }
  const request = { ...searchRequest(asked), query: asked.query, explain: true, brief: true }
  const answer = await source.search(request, { signal })
  const { queryWords } = await loadSearchCommand()
  const words = queryWords(answer)
  return { ...answer, results: await Promise.all(answer.results.map((each) => rankedResult(each, words))) }
}

/**
 * Number of results in each folder below that of the question, in each language, of each kind and in each repository, the
 * most frequent first. `of`: number of results that are counted; `is_all`: there are no others.
 */
export async function searchFacets(places: CodePlaces, query: URLSearchParams, signal: AbortSignal) {
  const asked = fromQuery(QUESTION, query)
  const isText = isOfText(asked)
  const names = namesAsked(asked, places)
  const source = places.searches(names)
  const limit = names.every((name) => name === THIS) ? MAX_RANKED : MAX_OF_OTHERS
  const { results, next_offset } = isText
    ? await source.grep(textQuestion(asked, { limit: MAX_TEXT_FILES, tokens: 0 }), { signal })
    : await source.search({ ...searchRequest(asked), query: asked.query, limit }, { signal })
  const folder = asked.path[0]?.replace(/\/*$/, "/") ?? ""
  const below = results.flatMap(({ path }) => {
    const end = path.startsWith(folder) ? path.indexOf("/", folder.length) : -1
    return end < 0 ? [] : [path.slice(0, end)]
  })
  return {
    ...{ of: results.length, is_all: next_offset === null },
    folder: countsOf(below),
    language: countsOf(results.map(({ language }) => language)),
    kind: isText ? [] : countsOf(results.flatMap(({ kind }) => (KINDS.has(kind) ? [kind] : []))),
    in: countsOf(results.map(({ repository = THIS }) => repository)),
  }
}

/** Kinds by which a search can be narrowed; other results are text or settings. */
const KINDS: ReadonlySet<string> = new Set(SYMBOL_KINDS)

function countsOf(values: readonly string[]): { readonly value: string; readonly count: number }[] {
  return [...Map.groupBy(values, (value) => value)]
    .map(([value, all]) => ({ value, count: all.length }))
    .sort((a, b) => b.count - a.count)
    .slice(0, MAX_VALUES)
}

type TextQuestion = Question & { readonly mode: "exact" | "regex" }

function isOfText(asked: Question): asked is TextQuestion {
  return asked.mode === "exact" || asked.mode === "regex"
}

/** The names of the places of a question. */
function namesAsked({ repository }: Question, { usual }: CodePlaces): readonly string[] {
  return repository.length === 0 ? [usual] : [...new Set(repository)]
}

/** Returns whether a result is shown: one of this project's repository in the team is not, if the project is asked, too. */
function shownOf(names: readonly string[], { project }: Places) {
  const workTree = names.length > 1 && names.includes(THIS) ? findWorkTree(project.root) : null
  const own = workTree && teamNameOf(workTree)
  return ({ repository }: SearchResult) => own === null || repository !== `${TEAM_PREFIX}${own}`
}

/** The name of this project among the repositories that are searched together; its notices have it. */
const OWN = "this project"

/** The answer of one place, or of several together: all files are ranked on one scale. */
async function foundRanked(
  place: Places,
  names: readonly string[],
  request: SearchRequest,
  signal: AbortSignal | undefined,
): Promise<SearchAnswer> {
  if (names.length === 1) return await sourceFor(place, names[0]).search(request, { signal })
  const team = names.find((name) => teamName(name) !== null)
  const beside = team === undefined ? undefined : teamBeside(team, request, shownOf(names, place))
  const nodes = { ...NO_OTHER_NODES, ...(beside && { beside }) }
  const others = names.filter((name) => name !== THIS && name !== team)
  const search = (own: Project | null) =>
    place.others.searchAll(others, own && { name: OWN, project: own }, request, nodes)
  const answer = names.includes(THIS) ? await place.project.use(search) : await search(null)
  const results = answer.results.map(({ repository, ...result }) =>
    repository === undefined || repository === OWN ? result : { repository, ...result },
  )
  return { ...answer, results }
}

/** Asks the team's server for its results, ranked on the scale of all places. */
function teamBeside(
  team: string,
  request: SearchRequest,
  isShown: (result: SearchResult) => boolean,
): NonNullable<OtherNodes["beside"]> {
  return async (part) => {
    const asked = async () =>
      await teamClient().ask<SearchAnswer>("search", teamName(team)!, { ...request, ...part })
    const answer = await valueOrError(asked())
    return besideAnswer(answer, isShown)
  }
}

/** Answers in place of a team's server that cannot be reached, where other places answer beside it anyway. */
const NOTHING = sourceOf(() => {
  throw new AmanError("TEAM", "the team's repositories are missing", {
    hint: "to test the server: aman doctor",
  })
})

/** The files with a line that matches, those of one place after those of the other, in the order of a terminal. */
async function foundText(
  place: Places,
  names: readonly string[],
  question: GrepQuestion,
  signal: AbortSignal | undefined,
): Promise<GrepAnswer> {
  const sources = names.map((name) => sourceFor(place, name, names.length === 1 ? undefined : NOTHING))
  if (sources.length === 1) return await sources[0]!.grep(question, { signal })
  const { grepInTurn } = await loadSeveralSources()
  const ask = (source: Source) => (part: GrepQuestion) => valueOrError(source.grep(part, { signal }))
  const answer = await grepInTurn(
    question,
    sources.map((source) => ({ name: null, ask: ask(source) })),
  )
  const results: readonly GrepResult[] = answer.results
  return { ...answer, results: results.filter(shownOf(names, place)) }
}

function textQuestion({ query, mode, ...rest }: TextQuestion, page: { limit: number; tokens: number }) {
  return { query, mode, ...textOptions(rest), ...page, offset: rest.offset ?? 0, isAll: true }
}

function textOptions(asked: Omit<Question, "query" | "mode">) {
  const { path: paths, language: languages, extension: extensions, context } = asked
  return { ignoreCase: asked.ignore_case, wholeWord: asked.whole_word, context, paths, languages, extensions }
}

async function rankedResult(result: SearchResult, words: readonly string[]) {
  const { briefExcerpt, highlightPattern } = await loadSearchCommand()
  const { text, passages: _, explanation, ...place } = result
  const pattern = highlightPattern(result, words)
  const coloured = async (part: string, first: number) =>
    withMarks(await codeLines(result.language, part, first), pattern)
  const lines = await coloured(text, result.start_line)
  const { shown, further } = briefExcerpt(result, words)
  const others = await Promise.all(further.map(({ text: line, start_line }) => coloured(line, start_line)))
  const from = (shown[0]?.number ?? result.start_line) - result.start_line
  return {
    ...place,
    lines: lines.slice(0, MAX_LINES),
    shown: [...lines.slice(from, from + shown.length), ...others.flat()],
    explanation: explanation && {
      ...explanation,
      features: explanation.features.filter(({ contribution }) => contribution !== 0),
    },
  }
}

/** The lines of a file that match, with the places that match marked. */
async function textResult({ text, ...result }: GrepResult, { query, mode, ...rest }: TextQuestion) {
  const { grepText, linesIn } = await loadGrepProject()
  const rows = linesIn(text)
  const whole = rows.map((row) => row.text).join("\n")
  const scope = {
    ...{ globs: [], before: 0, after: 0, invert: false, withSpans: true },
    maxCount: rows.length,
  }
  const request = {
    ...scope,
    ...textOptions(rest),
    pattern: query,
    mode,
    timeoutMs: Number.POSITIVE_INFINITY,
  }
  const marks = new Map(
    (await grepText(whole, request))
      .lines()
      .map(({ line, spans = [] }) => [line, spans.flatMap(([start, end]) => [start, end - start])]),
  )
  const coloured = await codeLines(result.language, whole, 1)
  const lines = coloured.slice(0, MAX_LINES).map((row, nth): CodeLine => {
    return { ...row, line: rows[nth]!.line, marks: marks.get(row.line) ?? [] }
  })
  return { ...result, lines, shown: lines.slice(0, TEXT_LINES) }
}
