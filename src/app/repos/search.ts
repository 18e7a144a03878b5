import { AmanError } from "../../base/errors.ts"
import { readState } from "../../indexing/index-state.ts"
import { newState, type RepoState, readManifest } from "../../repos/manifest.ts"
import type { Answered } from "../../search/ask.ts"
import { type FoundIn, type MergedFile, mergeFound } from "../../search/merge-found.ts"
import type { IndexReader } from "../../search/reader.ts"
import type { SearchAnswer, SearchedRepository, SearchRequest, SearchResult } from "../answers.ts"
import { nearestIn } from "../nearest-only.ts"
import type { Project } from "../open-project.ts"
import { find, show } from "../search-project.ts"
import { chooseRepositories } from "./choose.ts"
import type { Configured, Repository } from "./configured.ts"
import { isStale } from "./due.ts"

/** A clone as a project; null before it is cloned. It stays the opener's to close. */
export type OpenClone = (repository: Repository) => Project | null

/**
 * Asks the indexes of other repositories as they are, and merges what they find on one scale. Nothing is fetched and
 * nothing written; a repository that cannot answer is named in a notice, and costs the others nothing.
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
  const { repos } = readManifest(configured.places.manifest).manifest
  const { limit, notice } = limitOf(request, configured)
  const offset = request.offset ?? 0
  const asked: Asked[] = []
  for (const repository of chosen) {
    const state = repos[repository.id] ?? newState(repository.url)
    asked.push(await ask(repository, state, { ...request, limit: offset + limit + 1, offset: 0 }, open))
  }
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
      ...(gone === 0 ? [] : [`${gone} changed since indexing and left out; a sync is under way`]),
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
      return { repository, state, answer: null, notices: [notThere(name, state)] }
    }
    const found: Answered = await find(project, reader, request)
    const { files, chunks } = reader.store.files.totals()
    const notices = found.notices.map((notice) => `${name}: ${notice}`)
    return { repository, state, answer: { project, reader, found: { found, files, chunks } }, notices }
  } catch (error) {
    if (isCallersFault(error)) throw error
    const why = error instanceof Error ? error.message : String(error)
    const notice = `${name} was left out: ${why}; aman repos sync ${name} may mend it`
    return { repository, state, answer: null, notices: [notice] }
  }
}

/** A filter that means nothing means nothing in all of them; a clone's own settings file may be wrong, too. */
function isCallersFault(error: unknown): boolean {
  return error instanceof AmanError && error.code === "USAGE" && !error.message.includes(".aman.yaml")
}

function notThere(name: string, { error, last_pull, last_commit }: RepoState): string {
  if (error !== undefined) return `${name} is not there: ${error}`
  if (last_pull !== null && last_commit === null) return `${name} has no commits yet`
  const doing = last_pull === null ? "has not been cloned yet" : "is being indexed"
  return `${name} ${doing}; ask again shortly, or run: aman repos sync`
}

function showIn({ repository, answer }: Asked, { file, score }: MergedFile): SearchResult | null {
  const result = show(answer!.project, answer!.reader, file)
  if (result === null) return null
  return { repository: repository.name, ...result, score: Math.round(score * 1e4) / 1e4 }
}

/** A place to be like is one of a file, so of one repository. */
function checkLike({ like }: SearchRequest, chosen: readonly Repository[]): void {
  if (!like || chosen.length === 1) return
  throw new AmanError("USAGE", `like names a line of one repository, and ${chosen.length} are meant`, {
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
  const notice = `an answer from other repositories has at most ${maxResults} files (repos.max_results)`
  return { limit: maxResults, notice: [notice] }
}

/** Where some are there and others are not yet. */
function partialOf(asked: readonly Asked[]): SearchAnswer["partial"] {
  const total = asked.length
  const done = asked.filter(({ answer, state }) => answer !== null || isSettled(state)).length
  return done === total ? null : { done, total, share: done / total }
}

/** Nothing is going to come of it before something changes: no commits, or a failure. */
function isSettled({ error, last_pull, last_commit }: RepoState): boolean {
  return error !== undefined || (last_pull !== null && last_commit === null)
}

function staleNotices(answering: readonly Asked[], { config }: Configured): string[] {
  const now = new Date()
  const failed = answering.filter(({ state }) => state.error !== undefined)
  const old = answering.filter(({ state }) => state.error === undefined && isStale(state, config, now))
  const notices = failed.map(
    ({ repository, state }) =>
      `${repository.name} is as of ${state.last_pull}: its last sync failed at ${state.error_at}: ${state.error}`,
  )
  if (old.length === 0) return notices
  const oldest = old.map(({ state }) => state.last_pull ?? "").sort()[0]
  const who = old.length === 1 ? `${old[0]!.repository.name} was` : `${old.length} repositories were`
  return [...notices, `${who} last synced ${oldest}; aman repos sync brings the latest`]
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
