/**
 * One search in one index. In order: gather candidate files from all channels (channels/candidates.ts); rank them by a
 * linear model over their features (rank/); skip variants of a file that is already shown; choose the best places of
 * each file; return the requested page with its scores. Ranking is lazy: only as many files are put in order as the
 * page needs.
 */

import { fuse } from "../base/index.ts"
import { type SearchSources, variantGroups } from "../index/index.ts"
import {
  type CandidateSet,
  type Channels,
  gatherCandidates,
  gatherGuessed,
  gatherMeant,
  mayBeQuestion,
  rankedSoFar,
} from "./channels/candidates.ts"
import type { SearchOptions } from "./options.ts"
import type { ParsedQuery, Scale } from "./query/query.ts"
import { guessedText, withNames } from "./query/query.ts"
import type { CandidateFile } from "./rank/features.ts"
import {
  bestFirst,
  bestPage,
  bestThenPath,
  explainRank,
  type FeatureShare,
  FOLDER_BONUS,
  inFolder,
  isPage,
  meaningShare,
  meantShare,
  type RankedFile,
  type RankedPlace,
  rank,
  rankPlaces,
  tableFor,
  type WeightTable,
  withLiftedPage,
} from "./rank/rank.ts"

export type FoundFile = {
  readonly id: number
  readonly path: string
  readonly language: string
  /** How likely this file is, relative to the best file of this answer; 0 to 1. */
  readonly score: number
  /** Places in the file, best first; at least one, but none in an estimate. */
  readonly places: readonly RankedPlace[]
  /**
   * Paths of the same module for other platforms, or of the same document in other languages. They are not listed as
   * separate results.
   */
  readonly variants: readonly string[]
  readonly explanation: Explained | null
  /** 1-based lines that match a grep pattern, the first ones of the file; absent for other queries. */
  readonly matchingLines?: readonly number[]
  /** Candidate and features of the file. Merging with the results of other indexes ranks the file again. */
  readonly ranked: RankedFile
}

export type Explained = {
  /** 1-based rank in each channel that found the file. */
  readonly channels: Readonly<Record<string, number>>
  readonly features: readonly FeatureShare[]
  readonly sum: number
}

/** Maximum number of places shown per file. */
const MAX_PLACES = 5

/**
 * Maximum number of variants listed for a file. A document may have thirty translations; the user can find others with
 * a path filter.
 */
const MAX_VARIANTS = 4

export type RankedFiles = {
  readonly query: ParsedQuery
  readonly files: readonly FoundFile[]
  /** True when a word or name of the query occurs. Otherwise the files are only the nearest by vectors. */
  readonly hasMatch: boolean
  /** True when more files follow these. */
  readonly hasMore: boolean
  /** True when the query matches no file at all, whatever the offset. */
  readonly isEmpty: boolean
  /** Why the configured embedder was not used although its space is complete; null when it did not fail. */
  readonly embedderFailure: string | null
  /** True when the configured space contributed to the order. */
  readonly hasConfiguredChannel: boolean
  /** The maxima and IDF sums of this query, by which features are divided; merging needs them. */
  readonly scale: Scale
  readonly table: WeightTable
  /** False when files are ordered by vectors or likeness alone. Sums of such orders are comparable across indexes. */
  readonly isByFeatures: boolean
  /** True if the best page of documentation may move up to PAGE_PLACE. */
  readonly liftsPage: boolean
  /** Names of the project that are nearest to a question in the user's words. Absent: none. */
  readonly nearNames?: readonly string[]
}

/**
 * Runs a search: gathers candidates from all channels, ranks them, and returns the files of the requested page, each
 * with its best places.
 */
export async function rankCandidates(
  sources: SearchSources,
  text: string,
  options: SearchOptions,
): Promise<RankedFiles> {
  const gathered = await gather(sources, text, options)
  if (options.isEstimate) return rankedFiles(gathered, options, estimatedFiles(gathered, options))
  const files: FoundFile[] = []
  const offset = options.offset ?? 0
  let passed = 0
  let hasMore = false
  for (const { file, places, variants, behind } of shownFiles(sources, gathered, options)) {
    if (passed++ < offset) continue
    hasMore = files.length === options.limit
    if (hasMore) break
    const { hit, facts } = file.candidate
    // If a search program's order puts another file first, a file's sum can exceed the first one's.
    const score = Math.min(1, Math.exp(-behind))
    const explanation = options.explain ? explainFile(gathered, file, options) : null
    const { id, path } = hit
    const { language } = facts
    const get = {
      get places() {
        return places()
      },
    }
    files.push(Object.assign(get, { id, path, language, score, explanation, variants, ranked: file }))
  }
  return rankedFiles(gathered, options, files, { hasMore, isEmpty: passed === 0 })
}

/** The candidates for the text and the guessed names. If vectors or likeness decide the order, both are one text. */
function gather(sources: SearchSources, text: string, options: SearchOptions): Promise<CandidateSet> {
  const names = guessedText(options.names)
  if (names === "" && isByFeatures(options)) return gatherMeant(sources, text, options)
  if (names === "" || text.trim() === "" || !isByFeatures(options))
    return gatherCandidates(sources, withNames(text, options.names), options)
  return gatherGuessed(sources, text, names, options)
}

function rankedFiles(
  gathered: CandidateSet,
  options: SearchOptions,
  files: readonly FoundFile[],
  { hasMore, isEmpty } = { hasMore: false, isEmpty: files.length === 0 },
): RankedFiles {
  const { query, scale, nearNames = [], configured } = gathered
  return {
    ...{ query, files, hasMore, isEmpty, nearNames, scale, table: tableOf(gathered) },
    ...{ hasMatch: hasMatch(gathered), embedderFailure: configured.failure },
    hasConfiguredChannel: configured.channel !== null,
    ...{ isByFeatures: isByFeatures(options), liftsPage: liftsPage(query, options) },
  }
}

/** Number of files that an estimate returns. On the scale of all indexes, the second one may be better. */
const ESTIMATED_FILES = 2

/** The best candidates by the features computed so far, and the best page. They have no places and no score. */
function estimatedFiles(gathered: CandidateSet, options: SearchOptions): FoundFile[] {
  const ordered = rankedSoFar(gathered, tableOf(gathered))
  const page = liftsPage(gathered.query, options) ? ordered.findIndex(({ features }) => isPage(features)) : -1
  const best = ordered.filter((_, at) => at < ESTIMATED_FILES || at === page)
  return best.map((ranked) => {
    const { hit, facts } = ranked.candidate
    const empty = { score: 0, places: [], variants: [], explanation: null }
    return { id: hit.id, path: hit.path, language: facts.language, ...empty, ranked }
  })
}

function isByFeatures({ mode, likeness }: SearchOptions): boolean {
  return mode !== "semantic" && !likeness
}

type ShownFile = {
  readonly file: RankedFile
  /** At least one place. */
  readonly places: () => readonly RankedPlace[]
  readonly variants: readonly string[]
  /**
   * How much the file's sum is below the best sum. The best file itself may be missing because it has no place to show.
   */
  readonly behind: number
}

/**
 * Yields the files that have a place to show, best first. Of the variants of a file (platforms, languages), only the
 * best is yielded.
 */
function* shownFiles(
  sources: SearchSources,
  gathered: CandidateSet,
  options: SearchOptions,
): Generator<ShownFile> {
  const groups = variantGroups(gathered.candidates.map(({ hit }) => hit.path))
  /** Paths that an earlier file has listed as its variants. */
  const listedVariants = new Set<string>()
  let best: number | undefined
  for (const file of rankedInOrder(sources, gathered, options)) {
    best ??= file.sum
    const { id, path } = file.candidate.hit
    const phrasePlaces = listedVariants.has(path) ? null : options.phrases?.(id, path)
    if (phrasePlaces === null) continue
    const namedOrPhrase = namedPlace(options, id) ?? phrasePlaces
    const holding = gathered.isListing ? everyPlace(sources, id) : namedOrPhrase
    const places = deferredPlaces(sources, gathered, file, options, holding)
    if (places === null) continue
    const others = (groups.get(path) ?? []).filter((other) => other !== path)
    for (const other of others) listedVariants.add(other)
    const variants = bestVariants(others, gathered, options)
    yield { file, places, variants, behind: best - file.sum }
  }
}

/** Returns a function that finds the places of a file at its first call; null if the file has no place to show. */
function deferredPlaces(...[sources, gathered, file, options, holding]: Parameters<typeof filePlaces>) {
  const find = () => filePlaces(sources, gathered, file, options, holding)
  // Without filters every file has a place, so that the places of files that are not shown need not be found.
  const isCertain = holding === undefined && options.filter.acceptPlace === undefined
  let found = isCertain && sources.isFixed ? null : find()
  if (found?.length === 0) return null
  return () => {
    found ??= find()
    return found
  }
}

/** The best MAX_VARIANTS of these variants of one file, in the order of their rank. */
function bestVariants(paths: readonly string[], gathered: CandidateSet, options: SearchOptions): string[] {
  if (paths.length < 2) return [...paths]
  const candidates = gathered.candidates.filter(({ hit }) => paths.includes(hit.path))
  const ranked = rankGathered({ ...gathered, candidates }, options)
  return ranked.slice(0, MAX_VARIANTS).map(({ candidate }) => candidate.hit.path)
}

/** The place of a file that a search program has named; null if it has named none. */
function namedPlace({ suggested = [] }: SearchOptions, fileId: number): ReadonlySet<number> | null {
  const ordinal = suggested.find(({ id }) => id === fileId)?.ordinal ?? null
  return ordinal === null ? null : new Set([ordinal])
}

function everyPlace({ store }: SearchSources, fileId: number): ReadonlySet<number> {
  return new Set(store.chunks.ofFile(fileId).map(({ ordinal }) => ordinal))
}

function hasMatch({ scale, exact, isListing }: CandidateSet): boolean {
  return isListing || scale.answer.matchedFiles > 0 || exact.folded.size > 0
}

/** All candidates, best first. If features decide the order alone, they are ranked as the caller iterates. */
function rankedInOrder(
  { facts }: SearchSources,
  gathered: CandidateSet,
  options: SearchOptions,
): Iterable<RankedFile> {
  const { channels } = gathered
  if (channels.program.length > 0) return withProgramOrder(rankGathered(gathered, options), channels.program)
  if (!isByFeatures(options)) return rankGathered(gathered, options)
  const { candidates, rows, scale, query } = gathered
  const table = tableOf(gathered)
  const bestOf = (files: readonly CandidateFile[], features: readonly Float64Array[]) =>
    bestFirst(files, features, scale, table, options.folder, facts.mostReferences)
  const ordered = bestOf(candidates, rows)
  if (!liftsPage(query, options)) return ordered
  const pages = rows.map(isPage)
  const [page = null] = bestOf(
    candidates.filter((_, at) => pages[at]),
    rows.filter((_, at) => pages[at]),
  )
  return withLiftedPage(ordered, page && bestPage(page, table))
}

function liftsPage(query: ParsedQuery, { liftsPage = true }: SearchOptions): boolean {
  return liftsPage && !query.looksLikeSymbol && mayBeQuestion(query)
}

/** Number of the best files whose order is fused with that of a search program. */
const FUSED_FILES = 20

/**
 * The files in an order fused from two lists: the best FUSED_FILES of this order, and the files that a search program
 * found. All other files follow.
 */
function withProgramOrder(ranked: readonly RankedFile[], found: readonly number[]): RankedFile[] {
  const best = ranked.slice(0, FUSED_FILES).map(({ candidate }) => candidate.hit.id)
  const lists = [best, found].map((ids) => ({ ids, weight: 1 }))
  const scores = fuse(lists)
  const scoreOf = ({ candidate }: RankedFile) => scores.get(candidate.hit.id) ?? 0
  return ranked.toSorted((a, b) => scoreOf(b) - scoreOf(a))
}

/** All candidates, best first. */
function rankGathered(gathered: CandidateSet, options: SearchOptions): RankedFile[] {
  const ranked = rank(gathered.candidates, gathered.scale, tableOf(gathered), options.folder)
  if (isByFeatures(options)) return ranked
  const sumOf = (file: RankedFile) =>
    sharesOf(file, gathered, options).reduce((sum, { contribution }) => sum + contribution, 0)
  return ranked.map((file) => ({ ...file, sum: sumOf(file) })).sort(bestThenPath)
}

/** The shares of a file's sum when files are ordered by vectors or likeness instead of by all features. */
function sharesOf(file: RankedFile, gathered: CandidateSet, { likeness }: SearchOptions): FeatureShare[] {
  return likeness ? similarityShares(file.candidate, gathered.scale) : meaningShares(file.candidate)
}

function tableOf({ vector, query }: CandidateSet): WeightTable {
  return tableFor(vector, query)
}

function filePlaces(
  sources: SearchSources,
  gathered: CandidateSet,
  file: RankedFile,
  options: SearchOptions,
  holding: ReadonlySet<number> = NO_PLACES,
): RankedPlace[] {
  const { hit } = file.candidate
  const { exact, scale } = gathered
  const vector = gathered.configured.channel ?? gathered.vector
  const { acceptPlace, acceptSymbol } = options.filter
  const { symbols } = sources.store
  const signals = {
    candidate: file.candidate,
    symbolOf: (ordinal: number, index: number | undefined) => {
      if (acceptSymbol === undefined) return symbols.oneOfChunk(hit.id, ordinal, index)
      const accepted = symbols.ofChunk(hit.id, ordinal).filter(acceptSymbol)
      return accepted.find((symbol) => symbol.index === index) ?? accepted[0] ?? null
    },
    cosines: vector?.chunkCosines(hit) ?? new Map<number, number>(),
    exact: exact.exactChunks.get(hit.id) ?? new Set<number>(),
    folded: exact.foldedChunks.get(hit.id) ?? new Set<number>(),
    verbatim: gathered.verbatim.get(hit.id)?.chunks,
  }
  return rankPlaces({ ...signals, holding }, scale, {
    limit: MAX_PLACES,
    accept: (ordinal) =>
      (acceptPlace?.(hit.id, ordinal) ?? true) && (holding.size === 0 || holding.has(ordinal)),
  })
}

const NO_PLACES: ReadonlySet<number> = new Set()

function explainFile(gathered: CandidateSet, file: RankedFile, options: SearchOptions): Explained {
  const { hit } = file.candidate
  const channels = ranksOf(gathered.channels, hit.id)
  if (!isByFeatures(options)) return { channels, features: sharesOf(file, gathered, options), sum: file.sum }
  const bonus = inFolder(hit.path, options.folder) ? FOLDER_BONUS : 0
  const { candidate } = file
  const { scale } = gathered
  const meanings = { meaning: meaningShare(candidate, scale), meant: meantShare(candidate, scale) }
  const features = explainRank(file, tableOf(gathered), bonus, meanings)
  return { channels, features, sum: file.sum }
}

function ranksOf(channels: Channels, id: number): Record<string, number> {
  const ranks: Record<string, number> = {}
  for (const [name, ids] of Object.entries(channels)) {
    const index = ids.indexOf(id)
    if (index >= 0) ranks[name] = index + 1
  }
  return ranks
}

/**
 * The shares of a file's sum when vectors alone decide. A file that is near in several chunks, as a whole and by its
 * path comes before a file with a single chunk that is as near. On the labelled queries, NDCG@10 is .85; by the best
 * chunk alone it is .76: docs/decisions/figures.md.
 */
export function meaningShares({ meaning, cosine }: CandidateFile): FeatureShare[] {
  // The configured space gives a cosine only for the best chunk.
  if (meaning) return [share("cosine_best", meaning.cosine, 1)]
  return [
    share("cosine_best", cosine.best, 0.5),
    share("cosine_top_three", cosine.topThree, 1),
    share("cosine_file", cosine.file, 0.5),
    share("cosine_path", cosine.path, 0.5),
  ]
}

/**
 * The shares of a file's sum in a search for similar code. Code is compared chunk by chunk, vectors and words count
 * equally, and the file's name does not count.
 */
export function similarityShares({ cosine, hit }: CandidateFile, { answer }: Scale): FeatureShare[] {
  const words = (hit.chunks[0]?.score ?? 0) / (answer.maxChunk + 1e-6)
  return [share("cosine_best", cosine.best, 1), share("chunk_bm25", words, 1)]
}

function share(name: string, value: number, weight: number): FeatureShare {
  return { name, value, weight, contribution: value * weight }
}
