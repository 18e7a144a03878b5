/*
 * Several repositories as one source. `several`: 1. chooses the repositories by name; 2. asks each of them, here or on
 * another node (ask-each.ts); 3. merges the answers: of a search on one scale (search.ts), of a text search in turn until
 * the page is full, of a symbol by its definitions (symbol.ts); a context is assembled from the merged search.
 */

import {
  AmanError,
  elapsedMs,
  messageWithHint,
  type ReadAnswer,
  type ResultCommit,
  type SearchAnswer,
} from "../../base/index.ts"
import {
  assemble,
  CONTEXT_LIMITS,
  type ContextBundle,
  type ContextRequest,
  fitBundle,
  inForm,
  type LocateResult,
  type MemoryHints,
  type SkippedPath,
  searchFor,
  skippedFiles,
} from "../../context/index.ts"
import { type Project, type ReadRequest, readFile } from "../../index/index.ts"
import type { GrepAnswer, GrepQuestion, GrepResult } from "../../search/index.ts"
import { graphIn } from "../../symbols/index.ts"
import { loadTokenizer, tokensIn } from "../../text/index.ts"
import type { Call, Source } from "../source.ts"
import { askEach, inRepository, isDivided, type PartAnswer, type PartOptions } from "./ask-each.ts"
import {
  type Configured,
  chooseRepositories,
  chooseRepository,
  commitsOf,
  type Repository,
} from "./configured.ts"
import { MAX_RESULTS, NO_OTHER_NODES, type OpenClone, type OtherNodes, searchRepositories } from "./search.ts"
import { symbolOfRepositories } from "./symbol.ts"

export type SeveralOptions = {
  readonly open: OpenClone
  readonly nodes?: OtherNodes | undefined
}

/** The questions asked of the repositories that a name selects. Their indexes are not updated, and nothing is written. */
export function several(configured: Configured, wanted: string, options: SeveralOptions): Source {
  const { open, nodes = NO_OTHER_NODES } = options
  const partOptions = ({ signal, caller }: Call = {}): PartOptions => ({ ...options, signal, caller })
  const places = () => resultLocator(configured, wanted, open)
  return {
    search: async (request) => {
      const answer = await searchRepositories(configured, wanted, request, open, nodes)
      if (!request.brief && request.passageTokens === undefined) return answer
      await nodes.prepare(repositoriesIn(answer, configured))
      return inForm(answer, request, places())
    },
    context: async (request, { memories = null } = {}) => {
      const search = searchFor(request)
      const limit = Math.min(search.limit, MAX_RESULTS)
      const answer = await searchRepositories(configured, wanted, { ...search, limit }, open, nodes)
      await nodes.prepare(repositoriesIn(answer, configured))
      return await contextFrom(answer, configured, request, places(), memories)
    },
    grep: (question, call) => grepRepositories(configured, wanted, question, partOptions(call)),
    symbol: (request, call) => symbolOfRepositories(configured, wanted, request, partOptions(call)),
    read: (request) => readRepositoryFile(configured, wanted, request, open),
  }
}

/** Max share of the token budget that is reserved for the commits of the repositories. */
const MAX_COMMITS_SHARE = 0.15

async function contextFrom(
  answer: SearchAnswer,
  configured: Configured,
  request: ContextRequest,
  places: LocateResult,
  memories: MemoryHints | null,
): Promise<ContextBundle> {
  const count = await loadTokenizer()
  const named = answer.results.slice(0, request.maxFiles ?? CONTEXT_LIMITS.files.usual)
  const reserved = count(JSON.stringify(commitsOf(configured, named)))
  const left = request.maxTokens - Math.min(reserved, Math.floor(request.maxTokens * MAX_COMMITS_SHARE))
  const bundle = await assemble(answer, places, { ...request, maxTokens: left }, memories)
  const commits = commitsOf(configured, bundle.files)
  return fitBundle({ ...bundle, commits }, request.maxTokens, count)
}

/** The repositories that contain results of an answer. */
function repositoriesIn({ results }: SearchAnswer, { repositories }: Configured): Repository[] {
  const names = new Set(results.map(({ repository }) => repository))
  return repositories.filter(({ name }) => names.has(name))
}

/** Returns a function that finds the open clone of a result, so that its file can be read. */
function resultLocator(configured: Configured, wanted: string, open: OpenClone): LocateResult {
  const named = new Map(chooseRepositories(configured, wanted).map((each) => [each.name, each]))
  return ({ repository = "" }) => {
    const chosen = named.get(repository)
    const project = chosen === undefined ? null : open(chosen)
    const store = project?.reader()?.store
    return project && store ? { project, graph: graphIn(project, store) } : null
  }
}

/** Reads a file of another repository, or some of its lines; refuses paths outside the clone, links followed. */
async function readRepositoryFile(
  configured: Configured,
  wanted: string,
  request: ReadRequest,
  open: OpenClone,
): Promise<ReadAnswer> {
  const { name, project } = openedRepository(configured, wanted, open)
  try {
    const [at] = commitsOf(configured, [{ repository: name }])
    return { repository: name, commit: at?.commit ?? null, ...(await readFile(project, request)) }
  } catch (error) {
    throw error instanceof AmanError ? inRepository(error, name, request.path) : error
  }
}

/** Like `skippedFiles`, for another repository. */
export function skippedInRepository(
  configured: Configured,
  wanted: string,
  reason: string | undefined,
  open: OpenClone,
): SkippedPath[] {
  return skippedFiles(openedRepository(configured, wanted, open).project, reason)
}

/** Throws NOT_FOUND for a repository that is not configured or not cloned yet. */
function openedRepository(
  configured: Configured,
  wanted: string,
  open: OpenClone,
): { readonly name: string; readonly project: Project } {
  const repository = chooseRepository(configured, wanted)
  const { name } = repository
  const project = open(repository)
  if (project !== null) return { name, project }
  throw new AmanError("NOT_FOUND", `${name} has not been cloned yet`, {
    hint: `run: aman repos sync ${name}`,
  })
}

/**
 * Searches the files of other repositories for text or a regular expression, one repository after the other. Other
 * nodes search all of theirs at once; those that contribute to the page are asked again for their part of it.
 */
async function grepRepositories(
  configured: Configured,
  wanted: string,
  question: GrepQuestion,
  options: PartOptions,
): Promise<GrepAnswer> {
  const chosen = chooseRepositories(configured, wanted).filter(({ name }) => name !== question.without)
  const ahead = isDivided(chosen, options)
    ? await askEach(chosen, { kind: "grep", question }, options)
    : new Map<string, PartAnswer<"grep">>()
  const sources = chosen.map((repository): GrepSource => {
    const ask = async (part: GrepQuestion) =>
      answerWithin(ahead.get(repository.id), question, part) ??
      (await askEach([repository], { kind: "grep", question: part }, options)).get(repository.id)!
    return { name: repository.name, ask }
  })
  const { notices, ...answer } = await grepInTurn(question, sources)
  const commits = commitsOf(configured, answer.results)
  return { ...answer, notices: [...configured.problems, ...notices], commits }
}

/** Something that answers a part of a text search. */
export type GrepSource = {
  /** Name of the repository; null if the results and notices of this source name theirs. */
  readonly name: string | null
  readonly ask: (part: GrepQuestion) => Promise<PartAnswer<"grep">>
}

/**
 * The answer of several sources, one after the other. Each is asked for the part of the page that those before it have
 * left, with limit 0 if they have left none, because its matches are counted. Throws NOT_FOUND if all sources do.
 */
export async function grepInTurn(
  question: GrepQuestion,
  sources: readonly GrepSource[],
): Promise<GrepAnswer> {
  const started = performance.now()
  const [results, notices, commits] = [[] as GrepResult[], [] as string[], [] as ResultCommit[]]
  const sums = { files: 0, matches: 0, searched: 0 }
  let tokens = question.tokens
  let complete = true
  const missing: AmanError[] = []
  for (const { name, ask } of sources) {
    const offset = Math.max(0, question.offset - sums.files)
    const limit = Math.max(0, question.limit - results.length)
    const answer = await ask({ ...question, offset, limit, tokens: Math.max(0, Math.floor(tokens)) })
    if (typeof answer === "string") {
      notices.push(answer)
      complete = false
      continue
    }
    if (answer instanceof AmanError) {
      missing.push(name === null ? answer : inRepository(answer, name, question.paths.join(", ")))
      continue
    }
    complete &&= answer.complete
    results.push(...answer.results.map((each) => (name === null ? each : { repository: name, ...each })))
    notices.push(...answer.notices.map((notice) => (name === null ? notice : `${name}: ${notice}`)))
    commits.push(...(answer.commits ?? []))
    for (const sum of ["files", "matches", "searched"] as const) sums[sum] += answer[sum]
    tokens -= tokensIn(answer.results.reduce((sum, { text }) => sum + text.length, 0))
  }
  const [first] = missing
  if (first !== undefined && missing.length === sources.length) throw first
  notices.push(...missing.slice(0, 3).map(messageWithHint))
  const { query, mode, offset } = question
  const next = offset + results.length
  return {
    ...{ query, class: mode, results, ...sums, offset, complete },
    next_offset: next < sums.files && results.length > 0 ? next : null,
    partial: null,
    took_ms: elapsedMs(started),
    notices,
    commits,
  }
}

/** The answer to `part` that an answer to the whole question already contains; null if the repository has to be asked. */
function answerWithin(
  aheadAnswer: PartAnswer<"grep"> | undefined,
  whole: GrepQuestion,
  part: GrepQuestion,
): PartAnswer<"grep"> | null {
  if (aheadAnswer === undefined) return null
  if (typeof aheadAnswer === "string" || aheadAnswer instanceof AmanError) return aheadAnswer
  const { offset, limit, tokens } = part
  if (limit === 0 || aheadAnswer.files <= offset) return { ...aheadAnswer, results: [] }
  // Matches were only counted, or files were left out that belong to this part.
  if (offset !== whole.offset || aheadAnswer.results.length === 0) return null
  const results = aheadAnswer.results.slice(0, limit)
  const characters = results.reduce((sum, { text }) => sum + text.length + 1, 0)
  return tokens === whole.tokens || tokensIn(characters) <= tokens ? { ...aheadAnswer, results } : null
}
