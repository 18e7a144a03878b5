import { bestFirst } from "./best-first.ts"
import { type Channels, type Gathered, gather } from "./candidates.ts"
import { explainRank, type FeatureShare } from "./explain.ts"
import { likenessShares, meaningShares } from "./meaning-shares.ts"
import { type RankedPlace, rankPlaces } from "./places.ts"
import type { ParsedQuery } from "./query.ts"
import type { Scale } from "./query-scale.ts"
import {
  bestThenPath,
  FOLDER_BONUS,
  inFolder,
  meaningShare,
  type RankedFile,
  rank,
  type WeightTable,
} from "./rank.ts"
import type { SearchOptions, SearchSources } from "./sources.ts"
import { variantGroups } from "./variants.ts"

export type FoundFile = {
  readonly id: number
  readonly path: string
  readonly language: string
  /** 0 to 1: the odds of this file against the best one of this answer. */
  readonly score: number
  /** Best first, at least one. */
  readonly places: readonly RankedPlace[]
  /** The same module for other platforms, the same page in other languages; they stand for themselves nowhere else. */
  readonly variants: readonly string[]
  readonly explanation: Explained | null
  /** What it was judged by: with the answers of other indexes it has to be judged again. */
  readonly ranked: RankedFile
}

export type Explained = {
  /** 1-based rank in each channel that found the file. */
  readonly channels: Readonly<Record<string, number>>
  readonly features: readonly FeatureShare[]
  readonly sum: number
}

/** The best place of a file and four more. */
const MOST_PLACES = 5

/** A page may be translated into thirty languages; who wants another one names its folder. */
const MOST_VARIANTS = 4

export type Found = {
  readonly query: ParsedQuery
  readonly files: readonly FoundFile[]
  /** Some word or name of the query occurs; otherwise the files are merely the nearest by meaning. */
  readonly hasMatch: boolean
  /** There are further files after these. */
  readonly hasMore: boolean
  /** There is not one, whatever the offset. */
  readonly isEmpty: boolean
  /** Why the embedder beside the built-in one was done without, though its space is whole. */
  readonly embedderFailure: string | null
  /** The space of that embedder took part. */
  readonly isOtherHeard: boolean
  /** What the sums of its files are relative to. */
  readonly scale: Scale
  readonly table: WeightTable
  /** False where meaning alone, or likeness, is the order: such sums mean the same in every index. */
  readonly isByFeatures: boolean
}

/** From words to ranked files, each with the places in it that answer. */
export async function search(sources: SearchSources, text: string, options: SearchOptions): Promise<Found> {
  const gathered = await gather(sources, text, options)
  const files: FoundFile[] = []
  const offset = options.offset ?? 0
  let passed = 0
  let hasMore = false
  for (const { file, places, variants, behind } of answering(sources, gathered, options)) {
    if (passed++ < offset) continue
    hasMore = files.length === options.limit
    if (hasMore) break
    const { hit, facts } = file.candidate
    const score = Math.exp(-behind)
    const explanation = options.explain ? explain(gathered, file, options) : null
    const found = { id: hit.id, path: hit.path, language: facts.language, score, places, explanation }
    files.push({ ...found, variants, ranked: file })
  }
  const { channel, failure: embedderFailure } = gathered.other
  const counted = { hasMatch: hasMatch(gathered), hasMore, isEmpty: passed === 0 }
  const judged = { scale: gathered.scale, table: tableOf(gathered), isByFeatures: isByFeatures(options) }
  return {
    query: gathered.query,
    files,
    ...counted,
    embedderFailure,
    isOtherHeard: channel !== null,
    ...judged,
  }
}

function isByFeatures({ mode, likeness }: SearchOptions): boolean {
  return mode !== "semantic" && !likeness
}

type Answering = {
  readonly file: RankedFile
  readonly places: readonly RankedPlace[]
  readonly variants: readonly string[]
  /** How much less its sum is than that of the best file, which may have no place to show. */
  readonly behind: number
}

/**
 * The files that have a place to show, a module once for all platforms and a page once for all languages, in their
 * order.
 */
function* answering(
  sources: SearchSources,
  gathered: Gathered,
  options: SearchOptions,
): Generator<Answering> {
  const groups = variantGroups(gathered.candidates.map(({ hit }) => hit.path))
  const named = new Set<string>()
  let best: number | undefined
  for (const file of inOrder(sources, gathered, options)) {
    best ??= file.sum
    const { id, path } = file.candidate.hit
    const phrased = named.has(path) ? null : options.phrases?.(id, path)
    if (phrased === null) continue
    const holding = gathered.isListing ? everyPlace(sources, id) : phrased
    const places = placesIn(sources, gathered, file, options, holding)
    if (places.length === 0) continue
    const others = (groups.get(path) ?? []).filter((other) => other !== path)
    for (const other of others) named.add(other)
    const variants = firstOf(others, gathered, options)
    yield { file, places, variants, behind: best - file.sum }
  }
}

/** The best of some paths. */
function firstOf(paths: readonly string[], gathered: Gathered, options: SearchOptions): string[] {
  if (paths.length < 2) return [...paths]
  const candidates = gathered.candidates.filter(({ hit }) => paths.includes(hit.path))
  const ranked = rankGathered({ ...gathered, candidates }, options)
  return ranked.slice(0, MOST_VARIANTS).map(({ candidate }) => candidate.hit.path)
}

function everyPlace({ store }: SearchSources, fileId: number): ReadonlySet<number> {
  return new Set(store.chunks.ofFile(fileId).map(({ ordinal }) => ordinal))
}

function hasMatch({ scale, exact, isListing }: Gathered): boolean {
  return isListing || scale.answer.matchedFiles > 0 || exact.folded.size > 0
}

/** All candidates, best first, as far as they are asked for. */
function inOrder({ facts }: SearchSources, gathered: Gathered, options: SearchOptions): Iterable<RankedFile> {
  if (!isByFeatures(options)) return rankGathered(gathered, options)
  const { candidates, scale } = gathered
  return bestFirst(candidates, scale, tableOf(gathered), options.folder, facts.mostReferences)
}

/** All candidates, best first. */
function rankGathered(gathered: Gathered, options: SearchOptions): RankedFile[] {
  const ranked = rank(gathered.candidates, gathered.scale, tableOf(gathered), options.folder)
  if (isByFeatures(options)) return ranked
  const sumOf = (file: RankedFile) =>
    sharesOf(file, gathered, options).reduce((sum, { contribution }) => sum + contribution, 0)
  return ranked.map((file) => ({ ...file, sum: sumOf(file) })).sort(bestThenPath)
}

/** Where not all features count. */
function sharesOf(file: RankedFile, gathered: Gathered, { likeness }: SearchOptions): FeatureShare[] {
  return likeness ? likenessShares(file.candidate, gathered.scale) : meaningShares(file.candidate)
}

function tableOf(gathered: Gathered): WeightTable {
  return gathered.vector?.model ?? "keyword"
}

function placesIn(
  sources: SearchSources,
  gathered: Gathered,
  file: RankedFile,
  options: SearchOptions,
  holding: ReadonlySet<number> = NO_PLACES,
): RankedPlace[] {
  const { hit } = file.candidate
  const { exact, scale } = gathered
  const vector = gathered.other.channel ?? gathered.vector
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
    limit: MOST_PLACES,
    accept: (ordinal) =>
      (acceptPlace?.(hit.id, ordinal) ?? true) && (holding.size === 0 || holding.has(ordinal)),
  })
}

const NO_PLACES: ReadonlySet<number> = new Set()

function explain(gathered: Gathered, file: RankedFile, options: SearchOptions): Explained {
  const { hit } = file.candidate
  const channels = ranksOf(gathered.channels, hit.id)
  if (!isByFeatures(options)) return { channels, features: sharesOf(file, gathered, options), sum: file.sum }
  const bonus = inFolder(hit.path, options.folder) ? FOLDER_BONUS : 0
  const meaning = meaningShare(file.candidate, gathered.scale)
  const features = explainRank(file, tableOf(gathered), bonus, meaning)
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
