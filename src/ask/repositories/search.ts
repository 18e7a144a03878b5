/*
 * Searches other repositories. `searchRepositories`: 1. chooses the repositories by name; 2. of many, estimates how good
 * the best file of each is, and keeps the most promising ones; 3. asks each for its statistics, here or on another node;
 * 4. if operators exclude every result everywhere, asks again without them; 5. ranks the best files
 * of all repositories on a common scale; 6. reranks, reads the lines of the page and adds notices about repositories
 * that did not answer.
 */

import {
  AmanError,
  type Config,
  compareTexts,
  type ErrorCode,
  loadConfig,
  messageOf,
  messageWithHint,
  type SearchAnswer,
  type SearchedRepository,
  type SearchRequest,
  type SearchResult,
  type SearchScale,
  userDataDir,
} from "../../base/index.ts"
import { type IndexReader, type Project, readState, TEAM_PREFIX } from "../../index/index.ts"
import {
  bestAndPage,
  guessedText,
  type IndexSize,
  isReranked,
  jointScale,
  mergeRanked,
  nearestIn,
  onScale,
  type QueryAnswer,
  type QueryClass,
  RERANKED,
  type RerankedRows,
  reranked,
  resultLimit,
  resultWithText,
  type SharedScale,
  type SharedSum,
  scaleIn,
  searchIndex,
  shareScale,
  sumsOn,
  typedWords,
} from "../../search/index.ts"
import { newState, type RepoState } from "../clones/manifest.ts"
import type { Part, PartAnswer, PartKind } from "./ask-each.ts"
import { type Configured, chooseRepositories, isStale, type Repository } from "./configured.ts"

/**
 * Searches the current indexes of other repositories and merges the results on one scale. Fetches and writes nothing.
 * A notice names each repository that cannot answer; it does not affect the others. In a search of several,
 * repositories that contain no typed word of the query are skipped, unless none contains one.
 */
export async function searchRepositories(
  configured: Configured,
  wanted: string,
  request: SearchRequest,
  open: OpenClone,
  nodes: OtherNodes = NO_OTHER_NODES,
): Promise<SearchAnswer> {
  const started = performance.now()
  // In the order of their names, so that sums of floating-point numbers are the same on every machine.
  const chosen = chooseRepositories(configured, wanted).toSorted((one, other) =>
    compareTexts(one.name, other.name),
  )
  checkLike(request, chosen)
  const question = { chosen, states: configured.states(), open, nodes }
  const limit = resultLimit(request, MAX_RESULTS)
  const offset = request.offset ?? 0
  const { rerank } = loadConfig(userDataDir())
  const reordered = isReranked(rerank, request) ? RERANKED : 0
  const wide = { ...request, limit: Math.max(reordered, offset + limit) + 1, offset: 0 }
  const ask = async (keepsOperators: boolean) => {
    const all = await askAll(question, { ...wide, keepsOperators })
    const searches = all.searches.map((each) => ({ ...each, state: stateIn(question, each.repository) }))
    const answering = searches.filter((each) => each.answer !== null)
    const found = await rankWithTeam(all, answering, { ...wide, offset, keepsOperators }, nodes)
    return { ...found, all, searches, answering }
  }
  const asked = await askStrictFirst(ask, request, chosen.length < 2 && nodes.beside === undefined)
  const { ranked, unreachable, team, scale, all, searches, answering } = asked
  const best = ranked[0]?.sum ?? 0
  // Files that the caller merges with others, which decide what is before the offset, begin with the best.
  const shown = scale === undefined ? { offset, limit } : { offset: 0, limit: ranked.length }
  const page = await shownPage(ranked, request, { rerank, reordered, best, ...shown })
  const results = page.rows.flatMap(({ result }) => result ?? [])
  const nearest = nearestAmong(answering, team, request)
  const gone = page.rows.length - results.length
  const searched = searches.filter((each) => each.answer !== null || each.without !== null)
  return {
    query: request.query,
    ...(guessedText(request.names) === "" ? {} : { names: request.names }),
    class: answering[0]?.answer?.class ?? "natural",
    results,
    offset,
    next_offset: ranked.length > offset + limit ? offset + limit : null,
    partial: partialAnswer(searches),
    took_ms: Math.round((performance.now() - started) * 100) / 100,
    notices: [
      ...configured.problems,
      ...team.notices,
      ...searches.flatMap(({ notices }) => notices),
      ...unreachable.map(lateNotice),
      ...(all.ranked === null ? [] : [rankedNotice(all.ranked)]),
      ...page.notices,
      ...staleNotices(searched, configured),
      ...(gone === 0 ? [] : [`${gone} changed since indexing and omitted; a sync is running`]),
      ...nothingFoundNotices(results, searched, request),
      ...(scale === undefined ? nearest.notices : []),
    ],
    ...(nearest.nearest_only ? { nearest_only: true } : {}),
    repositories: searched.map((each) => searchedOf(each, configured)),
    ...(all.ranked === null ? {} : { ranked: all.ranked }),
    ...(scale && { scale }),
  }
}

function stateIn({ states }: Pick<SearchScope, "states">, { id, url }: Repository): RepoState {
  return states[id] ?? newState(url)
}

/** Operators are ignored only if they exclude all results everywhere, which a caller that merges them decides. */
async function askStrictFirst<T extends { searches: readonly RepositorySearch[]; team: TeamAnswer }>(
  ask: (keepsOperators: boolean) => Promise<T>,
  { beside, keepsOperators }: SearchRequest,
  isSole: boolean,
): Promise<T> {
  const strict = await ask(keepsOperators ?? (!isSole || beside !== undefined))
  if (isSole || beside || strict.team.files.length > 0) return strict
  return strict.searches.some(({ answer }) => answer?.isEmpty === false) ? strict : ask(false)
}

/**
 * Like `rankAll`, with the files of a server beside the repositories. `scale`: for the answer, if the request asks for it.
 * Where only one side has words of the query, the other's nearest files by meaning are left out.
 */
async function rankWithTeam(
  all: RepositorySearches,
  answering: readonly RepositorySearch[],
  request: SearchRequest & { readonly limit: number; readonly offset: number },
  nodes: OtherNodes,
) {
  const { beside, limit, offset, keepsOperators } = request
  const numbers = [...answering.map(({ answer }) => answer!.statistics), ...(beside ? [beside] : [])]
  const own = jointScale(numbers, sizesWithout(all))
  const scale = beside && own
  if (nodes.beside === undefined)
    return { ...(await rankAll(all, answering, limit, scale)), scale, team: NO_TEAM }
  const isNearestHere = isNearest(answering, request)
  const isFoundHere = answering.some((each) => each.answer!.count > 0) && !isNearestHere
  for (let more = 0; ; more = 2 * more + limit) {
    const answer = await nodes.beside({ keepsOperators, offset: offset + more, beside: own })
    const team = isFoundHere && answer.isNearest ? { ...answer, files: [], next: null } : answer
    const here = hasFound(team) && isNearestHere ? [] : answering
    const found = await rankAll(all, here, limit, team.scale ?? undefined, team.files)
    if (more > MAX_MORE || !mayFollow(team, found.ranked[limit - 1])) return { ...found, scale, team }
  }
}

/** True if a file that the server has after those that are left out may belong before the last one. */
function mayFollow({ next }: TeamAnswer, last: RepositoryFile | undefined): boolean {
  return next !== null && (last === undefined || last.sum < next)
}

/** Number of further files of a server from which no more are asked for. */
const MAX_MORE = 5000

function hasFound({ files, isNearest }: TeamAnswer): boolean {
  return files.length > 0 && !isNearest
}

function isNearest(answering: readonly RepositorySearch[], request: SearchRequest): boolean {
  return nearestAmong(answering, NO_TEAM, request).nearest_only === true
}

function nearestAmong(answering: readonly RepositorySearch[], team: TeamAnswer, { mode }: SearchRequest) {
  const here = answering.map(({ answer }) => ({
    ...{ hasMatch: answer!.statistics.hasMatch, hasConfiguredChannel: answer!.hasConfiguredChannel },
    files: { length: answer!.count },
  }))
  const there = { files: team.files, hasMatch: hasFound(team), hasConfiguredChannel: false }
  return nearestIn([...here, there], mode)
}

type SearchWithState = RepositorySearch & { readonly state: RepoState }

type SearchScope = {
  readonly chosen: readonly Repository[]
  readonly states: Readonly<Record<string, RepoState>>
  readonly open: OpenClone
  readonly nodes: OtherNodes
}

/** The searches of all repositories of a question, in the order of the request, and the nodes that did some of them. */
type RepositorySearches = {
  readonly searches: readonly RepositorySearch[]
  readonly elsewhere: readonly OtherNode[]
  /** See SearchAnswer; null if all repositories that match were ranked in full. */
  readonly ranked: RankedCounts | null
}

type RankedCounts = NonNullable<SearchAnswer["ranked"]>

async function askAll(scope: SearchScope, request: SearchRequest): Promise<RepositorySearches> {
  const { chosen } = scope
  for (const words of (chosen.length > 1 ? typedWords(request) : null) ?? []) {
    const found = await askContaining(scope, request, words)
    if (found !== null) return found
  }
  const firstOfAll = firstPass(chosen, request)
  const everywhere = await askThese(scope, chosen, firstOfAll, null)
  return firstOfAll.isEstimate ? rankPromising(scope, everywhere, request, null) : everywhere
}

/** The searches of the repositories that contain any of these words; null if none does. */
async function askContaining(
  scope: SearchScope,
  request: SearchRequest,
  words: readonly bigint[],
): Promise<RepositorySearches | null> {
  const { chosen, nodes } = scope
  const without = await nodes.without(words)
  const candidates = chosen.filter(({ id }) => !without.has(id))
  const first = firstPass(candidates, request)
  let correctable: readonly string[] = []
  let asked = await askThese(scope, candidates, { ...first, correctable }, words)
  correctable = unknownToAll(asked.searches)
  if (correctable.length > 0) asked = await askThese(scope, candidates, { ...first, correctable }, words)
  if (!asked.searches.some((each) => each.without === null && each.answer !== null)) return null
  const partial = first.isEstimate
    ? await rankPromising(scope, asked, { ...request, correctable }, words)
    : asked
  const byId = new Map(partial.searches.map((each) => [each.repository.id, each]))
  const searches = chosen.map(
    (repository): RepositorySearch =>
      byId.get(repository.id) ?? {
        ...{ repository, answer: null, notices: [] },
        without: without.get(repository.id) ?? null,
      },
  )
  return { ...partial, searches }
}

/**
 * Maximum number of repositories that are ranked in full, which takes three times as long as an estimate.
 * docs/decisions/12-team.md has the share of questions whose answer is the same as if all were.
 */
const MAX_IN_FULL = 50

/** The request for the first pass over these repositories: for an estimate if there are many, else the whole search. */
function firstPass({ length }: readonly Repository[], request: SearchRequest): SearchRequest {
  return length > MAX_IN_FULL ? { ...request, isEstimate: true } : request
}

/**
 * Ranks those repositories in full whose best files have the highest estimates; with `rankAll`, all. The others
 * contribute the statistics of their estimates to the common scale, but no files.
 */
async function rankPromising(
  scope: SearchScope,
  estimated: RepositorySearches,
  request: SearchRequest,
  words: readonly bigint[] | null,
): Promise<RepositorySearches> {
  const answering = estimated.searches.filter(({ answer }) => answer !== null)
  const { ranked, unreachable } = await rankAll(estimated, answering, Number.MAX_SAFE_INTEGER)
  const byEstimate = [...new Set(ranked.map(({ repository }) => repository.id))]
  const promising = new Set(byEstimate.slice(0, MAX_IN_FULL))
  const isInFull = ({ repository: { id } }: RepositorySearch) => request.rankAll || promising.has(id)
  const repositories = answering.filter(isInFull).map(({ repository }) => repository)
  const inFull = await askThese(scope, repositories, request, words)
  const byId = new Map(inFull.searches.map((each) => [each.repository.id, each]))
  const lost = new Set(unreachable)
  const searches = estimated.searches.map((each): RepositorySearch => {
    const { repository, answer } = each
    if (lost.has(repository)) return { ...each, answer: null, notices: [lateNotice(repository)] }
    const whole = answer === null ? each : byId.get(repository.id)
    if (whole === undefined) return { ...each, notices: [], answer: answer && { ...answer, here: null } }
    if (promising.has(repository.id) || whole.answer === null || answer === null) return whole
    // An unpromising repository has the same effect on the scores of the others whether it is ranked in full or not.
    return { ...whole, answer: { ...whole.answer, statistics: answer.statistics } }
  })
  const isCut = !request.rankAll && byEstimate.length > promising.size
  return {
    searches,
    elsewhere: inFull.elsewhere,
    ranked: isCut ? { full: promising.size, of: byEstimate.length } : null,
  }
}

function rankedNotice({ full, of }: RankedCounts): string {
  return `of ${of} repositories that match, the ${full} with the best estimates were ranked in full; to rank all: --rank-all, or name a repository`
}

function lateNotice({ name }: Repository): string {
  return `${name} was not asked: its node did not answer in time; try again`
}

/** The words of a question that none of the repositories contains. Only those are misspelled. */
function unknownToAll(searches: readonly RepositorySearch[]): readonly string[] {
  const [first, ...others] = searches.flatMap(({ answer }) => (answer === null ? [] : [answer.unknownWords]))
  return (first ?? []).filter((word) => others.every((unknown) => unknown.includes(word)))
}

/**
 * Asks the repositories here and on other nodes in parallel. Repositories of a node that cannot be reached are then
 * asked here.
 */
async function askThese(
  scope: SearchScope,
  repositories: readonly Repository[],
  request: SearchRequest,
  words: readonly bigint[] | null,
): Promise<RepositorySearches> {
  const { here, elsewhere } = scope.nodes.divide(repositories)
  const [localSearches, ...nodeSearches] = await Promise.all([
    askAllHere(scope, here, request, words),
    ...elsewhere.map((node) => node.ask(request, words)),
  ])
  const unanswered = elsewhere
    .filter((_, at) => nodeSearches[at] === null)
    .flatMap((node) => node.repositories)
  const fallbackSearches = await askAllHere(scope, unanswered, request, words)
  const byId = new Map(
    [localSearches, ...nodeSearches, fallbackSearches]
      .flatMap((each) => each ?? [])
      .map((each) => [each.repository.id, each]),
  )
  return {
    searches: repositories.flatMap(({ id }) => byId.get(id) ?? []),
    elsewhere: elsewhere.filter((_, at) => nodeSearches[at] !== null),
    ranked: null,
  }
}

async function askAllHere(
  { states, open, nodes }: SearchScope,
  repositories: readonly Repository[],
  request: SearchRequest,
  words: readonly bigint[] | null,
): Promise<RepositorySearch[]> {
  const unready = await nodes.prepare(repositories)
  const searches: RepositorySearch[] = []
  for (const repository of repositories) {
    const notice = unready.get(repository.id)
    const state = stateIn({ states }, repository)
    searches.push(
      notice === undefined
        ? await askRepository(repository, state, request, { open, words })
        : { repository, answer: null, without: null, notices: [notice] },
    )
  }
  return searches
}

/**
 * The best files of all repositories, best first, and the repositories of nodes that did not answer. With a `scale`, in the
 * order of their sums on it, for a caller that merges them, unless `ofTeam` is what they are merged with.
 */
async function rankAll(
  { searches, elsewhere }: RepositorySearches,
  answering: readonly RepositorySearch[],
  limit: number,
  scale?: SearchScale,
  ofTeam?: readonly RepositoryFile[],
): Promise<{ readonly ranked: readonly RepositoryFile[]; readonly unreachable: readonly Repository[] }> {
  const numbers = answering.map(({ answer }) => answer!.statistics)
  const shared = scale ? onScale(numbers, scale) : shareScale(numbers, sizesWithout({ searches }))
  const others = await Promise.all(elsewhere.map((node) => node.best(answering, shared, limit)))
  const unreachable = elsewhere.filter((_, at) => others[at] === null).flatMap((node) => node.repositories)
  const all = [bestHere(answering, shared, limit), ...others, ofTeam].flatMap((each) => each ?? [])
  const isPart = scale !== undefined && ofTeam === undefined
  return { ranked: isPart ? bestAndPage(all, limit) : mergeRanked(all).slice(0, limit), unreachable }
}

function sizesWithout({ searches }: Pick<RepositorySearches, "searches">): IndexSize[] {
  return searches.flatMap(({ without }) => without ?? [])
}

type PageRequest = {
  readonly rerank: Config["rerank"]
  /** Number of the first files that the user's re-ranker orders; 0 without one. */
  readonly reordered: number
  /** Score of the best file: the weighted sum of its features. */
  readonly best: number
  readonly offset: number
  readonly limit: number
}

/** The files of a page with their text, null for those that have changed; in the order of the user's re-ranker. */
async function shownPage(
  ranked: readonly RepositoryFile[],
  { query, beside }: SearchRequest,
  { rerank, reordered, best, offset, limit }: PageRequest,
): Promise<RerankedRows<{ readonly result: SearchResult | null }>> {
  const row = (file: RepositoryFile) => ({ result: showIn(file, best, beside !== undefined) })
  if (offset >= reordered) return { rows: ranked.slice(offset, offset + limit).map(row), notices: [] }
  const { rows, notices } = await reranked(rerank, query, ranked.slice(0, reordered).map(row))
  const others = ranked.slice(reordered, offset + limit).map(row)
  return { rows: [...rows, ...others].slice(offset, offset + limit), notices }
}

function showIn(file: RepositoryFile, best: number, hasSum: boolean): SearchResult | null {
  const { repository, sum, sumAsCode, show } = file
  const result = show()
  if (result === null) return null
  const score = Math.round(Math.exp(sum - best) * 1e4) / 1e4
  return { repository: repository.name, ...result, score, ...(hasSum && { sum, sum_as_code: sumAsCode }) }
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

/** Max files in an answer. */
export const MAX_RESULTS = 20
/** Max repositories whose failed update a notice explains. */
const MAX_FAILED = 5

/** Share of repositories that answered; null if all did. */
function partialAnswer(searches: readonly SearchWithState[]): SearchAnswer["partial"] {
  const total = searches.length
  const done = searches.filter(
    ({ answer, without, state }) => answer !== null || without !== null || isSettled(state),
  ).length
  return done === total ? null : { done, total, share: done / total }
}

/** True if the repository has no commits or its sync failed, so that waiting for its index does not help. */
function isSettled({ error, last_pull, last_commit }: RepoState): boolean {
  return error !== undefined || (last_pull !== null && last_commit === null)
}

function staleNotices(answering: readonly SearchWithState[], { config }: Configured): string[] {
  const now = new Date()
  const failed = answering.filter(({ state }) => state.error !== undefined)
  const old = answering.filter(({ state }) => state.error === undefined && isStale(state, config, now))
  const reasons = failed
    .slice(0, MAX_FAILED)
    .map(({ repository, state }) => `${repository.name} (last updated ${state.last_pull}): ${state.error}`)
  if (failed.length > MAX_FAILED) reasons.push(`${failed.length - MAX_FAILED} more`)
  const notices = failed.length === 0 ? [] : [`could not be updated: ${reasons.join("; ")}`]
  if (old.length === 0) return notices
  const oldest = old.map(({ state }) => state.last_pull ?? "").sort()[0]
  const subject = old.length === 1 ? `${old[0]!.repository.name} was` : `${old.length} repositories were`
  return [...notices, `${subject} last synced ${oldest}; to update: aman repos sync`]
}

function nothingFoundNotices(
  results: readonly SearchResult[],
  answering: readonly RepositorySearch[],
  request: SearchRequest,
): string[] {
  if (results.length > 0 || answering.length === 0 || (request.offset ?? 0) > 0 || request.beside) return []
  const where = answering.length === 1 ? answering[0]!.repository.name : `${answering.length} repositories`
  return [`no results in ${where}: try other words, or fewer filters`]
}

function searchedOf({ repository, state }: SearchWithState, { config }: Configured): SearchedRepository {
  return {
    repository: repository.name,
    commit: state.last_indexed,
    last_pull: state.last_pull,
    stale: isStale(state, config, new Date()),
  }
}

/** Opens a clone as a project, which the caller closes; null if the repository is not cloned yet. */
export type OpenClone = (repository: Repository) => Project | null

/**
 * One repository in a search of several. A search has two steps: each repository returns its statistics; then, on a
 * scale made from all statistics, each returns its best files.
 */
export type RepositorySearch = {
  readonly repository: Repository
  /** Null if the repository was skipped, or cannot answer; in the second case a notice says why. */
  readonly answer: StatisticsAnswer | null
  /**
   * Size of the repository's index if it was skipped because it contains no typed word of the query; null if it was
   * searched.
   */
  readonly without: IndexSize | null
  readonly notices: readonly string[]
}

/** The result of the first step, which does not depend on other repositories. */
export type StatisticsAnswer = {
  readonly statistics: SearchScale
  readonly class: QueryClass
  readonly isEmpty: boolean
  /** Number of files found in this repository, at most the limit of the request. */
  readonly count: number
  readonly hasConfiguredChannel: boolean
  /** See QueryAnswer. */
  readonly unknownWords: readonly string[]
  /** The files found by this process; null if another node searched the repository, or if it was not ranked in full. */
  readonly here: {
    readonly project: Project
    readonly reader: IndexReader
    readonly found: QueryAnswer
  } | null
}

/**
 * A file with its score on the common scale. `show` reads its text: null if the file has changed since it was indexed,
 * and for an estimate.
 */
export type RepositoryFile = SharedSum & {
  readonly repository: Pick<Repository, "id" | "name">
  readonly path: string
  /** Position of the file's repository among those that answer. */
  readonly source: number
  readonly show: () => SearchResult | null
}

/**
 * Searches one repository. With `words` (see `typedWords`), a repository that contains none of them is not searched. A
 * fault of the repository becomes a notice, not an exception.
 */
export async function askRepository(
  repository: Repository,
  state: RepoState = newState(repository.url),
  request: SearchRequest,
  { open, words }: { readonly open: OpenClone; readonly words: readonly bigint[] | null },
): Promise<RepositorySearch> {
  const { name } = repository
  const noAnswer = { repository, answer: null, without: null, notices: [] }
  try {
    const project = open(repository)
    const reader = project?.reader() ?? null
    const size = reader === null ? null : sizeOf(reader)
    if (project === null || reader === null || size === null) {
      return { ...noAnswer, notices: [whyUnavailable(name, state)] }
    }
    const { files, chunks } = size
    if (words !== null && !containsAny(reader, words)) return { ...noAnswer, without: size }
    const found: QueryAnswer = await searchIndex(project, reader, request)
    const { query, isEmpty, hasConfiguredChannel, unknownWords } = found
    const answer = {
      ...{ statistics: scaleIn({ found, files, chunks }), class: query.classification.class, isEmpty },
      ...{ count: found.files.length, hasConfiguredChannel, unknownWords, here: { project, reader, found } },
    }
    return { ...noAnswer, answer, notices: found.notices.map((notice) => `${name}: ${notice}`) }
  } catch (error) {
    if (isCallersFault(error)) throw error
    const why = messageOf(error)
    return { ...noAnswer, notices: [`${name} was skipped: ${why}; to repair it: aman repos sync ${name}`] }
  }
}

/** The size of an index; null until the index has been completed. */
function sizeOf(reader: IndexReader): IndexSize | null {
  const known = FIXED_SIZES.get(reader)
  if (known !== undefined) return known
  if (readState(reader.store).indexedAt === null) return null
  const { files, chunks } = reader.store.files.totals()
  if (reader.isFixed) FIXED_SIZES.set(reader, { files, chunks })
  return { files, chunks }
}

/** Sizes of complete indexes that nothing replaces. */
const FIXED_SIZES = new WeakMap<IndexReader, IndexSize>()

function containsAny(reader: IndexReader, words: readonly bigint[]): boolean {
  const keyword = reader.keyword()
  return words.some((hash) => keyword.estimate(Number(hash >> 32n), Number(hash & 0xffff_ffffn)) > 0)
}

/**
 * The best `limit` files that this process has found, best first, on the scale that all answering repositories share,
 * and the best page if it comes later.
 */
export function bestHere(
  answering: readonly RepositorySearch[],
  shared: SharedScale,
  limit: number,
): RepositoryFile[] {
  const ranked = answering.flatMap(({ repository, answer }, source) => {
    if (answer?.here == null) return []
    const { project, reader, found } = answer.here
    const sums = sumsOn(shared.scale, found, shared.isAlike[source]!)
    return found.files.map((file, at) => ({
      ...{ repository, path: file.path, source, ...sums[at]! },
      show: () => (file.places.length === 0 ? null : resultWithText(project, reader, file)),
    }))
  })
  return bestAndPage(ranked, limit)
}

/**
 * True for an invalid filter of the request, which is the same error in every repository; false for an error in the
 * clone's own settings file.
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

/** The other nodes of a team, and what this node knows about repositories that it has not opened. */
export type OtherNodes = {
  /** Sizes of the repositories that contain none of these words, by repository id. */
  without(words: readonly bigint[]): Promise<ReadonlyMap<string, IndexSize>>
  /** Divides the repositories into those to search here and those to search on other nodes. */
  divide(repositories: readonly Repository[]): {
    readonly here: readonly Repository[]
    readonly elsewhere: readonly OtherNode[]
  }
  /** Makes repositories ready to be opened. Returns a notice for each that cannot be opened, by repository id. */
  prepare(repositories: readonly Repository[]): Promise<ReadonlyMap<string, string>>
  /**
   * The best files of a server with indexes of its own, and the scale on which they were ranked: that of `part` and
   * its own. `part`: what the request to it differs in. `scale` is null if it cannot answer, as a notice says.
   */
  readonly beside?: (part: Partial<SearchRequest>) => Promise<TeamAnswer>
}

export type TeamAnswer = {
  readonly scale: SearchScale | null
  readonly files: readonly RepositoryFile[]
  readonly notices: readonly string[]
  /** True if no file has a word of the query. */
  readonly isNearest: boolean
  /** The sum that no file after these exceeds; null if there are none. */
  readonly next: number | null
}

/** The value of the promise, or the error of aman with which it was rejected; other codes than `code` are thrown. */
export function valueOrError<T>(promise: Promise<T>, code?: ErrorCode): Promise<T | AmanError> {
  return promise.catch((error: unknown) => {
    if (error instanceof AmanError && (code === undefined || error.code === code)) return error
    throw error
  })
}

/** A server's answer to a request with `beside`, or why there is none; only its results that `isShown` accepts. */
export function besideAnswer(
  answer: SearchAnswer | AmanError,
  isShown: (result: SearchResult) => boolean,
): TeamAnswer {
  if (answer instanceof AmanError) {
    const isOld = answer.code === "USAGE" && /beside|keeps_operators/.test(answer.message)
    return { ...NO_TEAM, notices: [isOld ? OLD_SERVER : messageWithHint(answer)] }
  }
  const { scale, results, notices } = answer
  if (scale === undefined) return { ...NO_TEAM, notices: [...notices, OLD_SERVER] }
  const files = results.filter(isShown).map(({ sum = 0, sum_as_code: sumAsCode = null, ...result }) => ({
    ...{ repository: TEAM, path: result.path, source: Number.MAX_SAFE_INTEGER, sum, sumAsCode },
    show: () => result,
  }))
  const last = results.findLast(({ sum_as_code: sumAsCode }) => sumAsCode === null) ?? results.at(-1)
  const next = answer.next_offset === null ? null : (last?.sum ?? null)
  return { scale, files, notices, isNearest: answer.nearest_only === true, next }
}

const TEAM = { id: TEAM_PREFIX, name: TEAM_PREFIX }
const OLD_SERVER =
  "the team's results are missing, because its server cannot rank them among others (ask its administrator to update aman there)"

const NO_TEAM: TeamAnswer = { scale: null, files: [], notices: [], isNearest: false, next: null }

/** Another node, with those repositories of the question that it searches. */
export type OtherNode = {
  readonly repositories: readonly Repository[]
  /**
   * Like `askRepository`, for each of `repositories`. Null if the node cannot be reached; its repositories are then
   * searched here.
   */
  ask(request: SearchRequest, words: readonly bigint[] | null): Promise<readonly RepositorySearch[] | null>
  /** Like `bestHere`, after `ask`; null if the node did not answer. */
  best(
    answering: readonly RepositorySearch[],
    shared: SharedScale,
    limit: number,
  ): Promise<readonly RepositoryFile[] | null>
  /** Like `askEach`, for `repositories`; null if the node cannot be reached. */
  each<Kind extends PartKind>(part: Part<Kind>): Promise<ReadonlyMap<string, PartAnswer<Kind>> | null>
}

/** Used by a single node, and outside of team servers: there are no other nodes. */
export const NO_OTHER_NODES: OtherNodes = {
  without: async () => new Map(),
  divide: (repositories) => ({ here: repositories, elsewhere: [] }),
  prepare: async () => new Map(),
}
