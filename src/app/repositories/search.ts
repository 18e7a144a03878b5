import { AmanError } from "../../base/errors.ts"
import { readState } from "../../index/index-state.ts"
import { newState, type RepoState } from "../../repos/manifest.ts"
import type { Answered } from "../../search/ask.ts"
import { type FoundIn, type MergedFile, mergeFound } from "../../search/rank/merge-found.ts"
import type { IndexReader } from "../../search/reader.ts"
import type { SearchAnswer, SearchedRepository, SearchRequest, SearchResult } from "../answers.ts"
import type { Project } from "../project/open-project.ts"
import { find, show } from "../search/search-project.ts"
import { nearestIn } from "../search/why-empty.ts"
import { chooseRepositories } from "./choose.ts"
import type { Configured, Repository } from "./configured.ts"
import { isStale } from "./status.ts"

/** Opens a clone as a project; null before it is cloned. The opener closes it. */
export type OpenClone = (repository: Repository) => Project | null

/**
 * Searches the current indexes of other repositories and merges the results on one scale. Fetches and writes
 * nothing; a repository that cannot answer is named in a notice and does not affect the others.
 */
export async function searchRepositories(
  configured: Configured,
  wanted: string,
  request: SearchRequest,
  open: OpenClone,
): Promise<SearchAnswer> {
  const started = performance.now()
  const chosen = chooseRepositories(configured, wanted)
  checkLike(request, chosen)
  const states = configured.states()
  const { limit, notice } = limitOf(request, configured)
  const offset = request.offset ?? 0
  const askAll = async (keepsOperators: boolean) => {
    const wide = { ...request, limit: offset + limit + 1, offset: 0, keepsOperators }
    const asked: Asked[] = []
    for (const repository of chosen) {
      asked.push(await ask(repository, states[repository.id] ?? newState(repository.url), wide, open))
    }
    return asked
  }
  // Operators are ignored only if they exclude all results in every repository.
  const strict = await askAll(chosen.length > 1)
  const isFound = strict.some(({ answer }) => answer?.found.found.isEmpty === false)
  const asked = isFound || chosen.length < 2 ? strict : await askAll(false)
  const answering = asked.filter((each) => each.answer !== null)
  const merged = mergeFound(answering.map(({ answer }) => answer!.found))
  const page = merged.slice(offset, offset + limit)
  const shown = page.map((file) => showIn(answering[file.source]!, file))
  const results = shown.filter((result) => result !== null)
  const nearest = nearestIn(
    answering.map(({ answer }) => answer!.found.found),
    request.mode,
  )
  const gone = shown.length - results.length
  return {
    query: request.query,
    class: answering[0]?.answer?.found.found.query.classification.class ?? "natural",
    results,
    offset,
    next_offset: merged.length > offset + limit ? offset + limit : null,
    partial: partialOf(asked),
    took_ms: Math.round((performance.now() - started) * 100) / 100,
    notices: [
      ...configured.problems,
      ...notice,
      ...asked.flatMap(({ notices }) => notices),
      ...staleNotices(answering, configured),
      ...(gone === 0 ? [] : [`${gone} changed since indexing and omitted; a sync is running`]),
      ...nothingFound(results, answering, request),
      ...nearest.notices,
    ],
    ...(nearest.nearest_only ? { nearest_only: true } : {}),
    repositories: answering.map((each) => searchedOf(each, configured)),
  }
}

type Asked = {
  readonly repository: Repository
  readonly state: RepoState
  readonly answer: { readonly project: Project; readonly reader: IndexReader; readonly found: FoundIn } | null
  readonly notices: readonly string[]
}

async function ask(
  repository: Repository,
  state: RepoState,
  request: SearchRequest,
  open: OpenClone,
): Promise<Asked> {
  const { name } = repository
  try {
    const project = open(repository)
    const reader = project?.reader() ?? null
    if (project === null || reader === null || readState(reader.store).indexedAt === null) {
      return { repository, state, answer: null, notices: [whyUnavailable(name, state)] }
    }
    const found: Answered = await find(project, reader, request)
    const { files, chunks } = reader.store.files.totals()
    const notices = found.notices.map((notice) => `${name}: ${notice}`)
    return { repository, state, answer: { project, reader, found: { found, files, chunks } }, notices }
  } catch (error) {
    if (isCallersFault(error)) throw error
    const why = error instanceof Error ? error.message : String(error)
    const notice = `${name} was skipped: ${why}; to repair it: aman repos sync ${name}`
    return { repository, state, answer: null, notices: [notice] }
  }
}

/**
 * True for an invalid filter, which is invalid in every repository; false for an error in a clone's own
 * settings file.
 */
function isCallersFault(error: unknown): boolean {
  return error instanceof AmanError && error.code === "USAGE" && !error.message.includes(".aman.yaml")
}

function whyUnavailable(name: string, { error, last_pull, last_commit }: RepoState): string {
  if (error !== undefined) return `${name} is not available: ${error}`
  if (last_pull !== null && last_commit === null) return `${name} has no commits yet`
  const progress = last_pull === null ? "has not been cloned yet" : "is being indexed"
  return `${name} ${progress}; try again shortly, or run: aman repos sync`
}

function showIn({ repository, answer }: Asked, { file, score }: MergedFile): SearchResult | null {
  const result = show(answer!.project, answer!.reader, file)
  if (result === null) return null
  return { repository: repository.name, ...result, score: Math.round(score * 1e4) / 1e4 }
}

/** Throws USAGE if `like` is used with several repositories, because it names a file of one. */
function checkLike({ like }: SearchRequest, chosen: readonly Repository[]): void {
  if (!like || chosen.length === 1) return
  throw new AmanError("USAGE", `like needs one repository, but ${chosen.length} match`, {
    hint: `name one of them: ${chosen
      .slice(0, 5)
      .map(({ name }) => name)
      .join(", ")}`,
  })
}

function limitOf(
  { limit }: SearchRequest,
  { config: { maxResults } }: Configured,
): { readonly limit: number; readonly notice: readonly string[] } {
  if (limit === undefined || limit <= maxResults) return { limit: limit ?? maxResults, notice: [] }
  const notice = `results from other repositories are limited to ${maxResults} files (repos.max_results)`
  return { limit: maxResults, notice: [notice] }
}

/** Share of repositories that answered; null if all did. */
function partialOf(asked: readonly Asked[]): SearchAnswer["partial"] {
  const total = asked.length
  const done = asked.filter(({ answer, state }) => answer !== null || isSettled(state)).length
  return done === total ? null : { done, total, share: done / total }
}

/** True if waiting would not help: no commits, or a failure. */
function isSettled({ error, last_pull, last_commit }: RepoState): boolean {
  return error !== undefined || (last_pull !== null && last_commit === null)
}

function staleNotices(answering: readonly Asked[], { config }: Configured): string[] {
  const now = new Date()
  const failed = answering.filter(({ state }) => state.error !== undefined)
  const old = answering.filter(({ state }) => state.error === undefined && isStale(state, config, now))
  const notices = failed.map(
    ({ repository, state }) =>
      `${repository.name} was last updated ${state.last_pull}; its sync failed at ${state.error_at}: ${state.error}`,
  )
  if (old.length === 0) return notices
  const oldest = old.map(({ state }) => state.last_pull ?? "").sort()[0]
  const subject = old.length === 1 ? `${old[0]!.repository.name} was` : `${old.length} repositories were`
  return [...notices, `${subject} last synced ${oldest}; to update: aman repos sync`]
}

function nothingFound(
  results: readonly SearchResult[],
  answering: readonly Asked[],
  request: SearchRequest,
): string[] {
  if (results.length > 0 || answering.length === 0 || (request.offset ?? 0) > 0) return []
  const where = answering.length === 1 ? answering[0]!.repository.name : `${answering.length} repositories`
  return [`no results in ${where}: try other words, or fewer filters`]
}

function searchedOf({ repository, state }: Asked, { config }: Configured): SearchedRepository {
  return {
    repository: repository.name,
    commit: state.last_indexed,
    last_pull: state.last_pull,
    stale: isStale(state, config, new Date()),
  }
}
