import { AmanError, messageOf } from "../../base/errors.ts"
import { readState } from "../../index/index-state.ts"
import { newState, type RepoState } from "../../repos/manifest.ts"
import type { EngineAnswer } from "../../search/ask.ts"
import type { QueryClass } from "../../search/query/classify.ts"
import {
  bestAndPage,
  type FoundStatistics,
  type IndexSize,
  type SharedScale,
  type SharedSum,
  statisticsOf,
  sumsOn,
} from "../../search/rank/merge-found.ts"
import type { IndexReader } from "../../search/reader.ts"
import type { SearchRequest, SearchResult } from "../answers.ts"
import type { Project } from "../project/open-project.ts"
import { findRanked, resultWithText } from "../search/search-project.ts"
import type { Part, PartAnswer, PartKind } from "./ask-each.ts"
import type { Repository } from "./configured.ts"

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
  readonly statistics: FoundStatistics
  readonly class: QueryClass
  readonly isEmpty: boolean
  /** Number of files found in this repository, at most the limit of the request. */
  readonly count: number
  readonly hasConfiguredChannel: boolean
  /** See EngineAnswer. */
  readonly unknownWords: readonly string[]
  /** The files found by this process; null if another node searched the repository, or if it was not ranked in full. */
  readonly here: {
    readonly project: Project
    readonly reader: IndexReader
    readonly found: EngineAnswer
  } | null
}

/**
 * A file with its score on the common scale. `show` reads its text: null if the file has changed since it was indexed,
 * and for an estimate.
 */
export type RankedFile = SharedSum & {
  readonly repository: Repository
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
    const found: EngineAnswer = await findRanked(project, reader, request)
    const { query, isEmpty, hasConfiguredChannel, unknownWords } = found
    const answer = {
      ...{ statistics: statisticsOf({ found, files, chunks }), class: query.classification.class, isEmpty },
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
): RankedFile[] {
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

/**
 * The other nodes of a team, and what this node knows about repositories that it has not opened.
 */
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
}

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
  ): Promise<readonly RankedFile[] | null>
  /** Like `askEach`, for `repositories`; null if the node cannot be reached. */
  each<Kind extends PartKind>(part: Part<Kind>): Promise<ReadonlyMap<string, PartAnswer<Kind>> | null>
}

/** Used by a single node, and outside of team servers: there are no other nodes. */
export const NO_OTHER_NODES: OtherNodes = {
  without: async () => new Map(),
  divide: (repositories) => ({ here: repositories, elsewhere: [] }),
  prepare: async () => new Map(),
}
