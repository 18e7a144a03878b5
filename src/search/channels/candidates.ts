/**
 * Gathers the candidate files of a query. In order: parse the query; look up its names among the symbols; search the
 * vectors; query the keyword index, which scores words and also returns the files found so far; fuse the channels into
 * one score per file; compute the other inputs of the ranker, such as text that is contained word for word.
 */

import { bm25, compareTexts, FILE_FLAG, fuse, inverseDocumentFrequency } from "../../base/index.ts"
import {
  CHUNK_KEY_STRIDE,
  type FileFeatures,
  type FileHit,
  isCodeSpace,
  type KeywordAnswer,
  NAMES_VECTOR,
  type NearMeanings,
  olderVersionPaths,
  PATH_VECTOR,
  type PackedCommits,
  type SearchSources,
  shortHash,
  TEXT_VECTOR,
} from "../../index/index.ts"
import { lastName, type Store } from "../../store/index.ts"
import type { SearchOptions } from "../options.ts"
import type { FileFilter } from "../query/filter.ts"
import { MAX_READ } from "../query/operators.ts"
import {
  isIdentifierLike,
  type ParsedQuery,
  parseQuery,
  type QueriedName,
  type Scale,
  scaleOf,
  withoutReferences,
} from "../query/query.ts"
import {
  anywhere,
  type CandidateFile,
  earlyFeaturesOf,
  FEATURE_NAMES,
  type FileCosines,
  strangenessOf,
} from "../rank/features.ts"
import {
  bestThenPath,
  meantWeight,
  type RankedFile,
  sumOf,
  tableFor,
  type WeightTable,
  weighingOf,
} from "../rank/rank.ts"
import { chunkReader, exactWords, type ReadChunks, type Verbatim, verbatimIn } from "./compare-texts.ts"
import { type NamedFile, namedFiles, ownersOf } from "./named-places.ts"
import {
  acceptIds,
  type ConfiguredChannelAnswer,
  configuredChannel,
  meaningsOf,
  type NearChunks,
  NO_CONFIGURED_CHANNEL,
  nearChunks,
} from "./near-chunks.ts"

/** File ids found by each channel, best first. */
export type Channels = Readonly<
  Record<"files" | "chunks" | "symbol" | "vector" | "model" | "program", readonly number[]>
>

export type CandidateSet = {
  readonly query: ParsedQuery
  readonly scale: Scale
  readonly candidates: readonly CandidateFile[]
  /** Features of each candidate; the deferred one (LATE_FEATURE), which takes long to compute, is 0. */
  readonly rows: readonly Float64Array[]
  readonly channels: Channels
  readonly exact: ExactNames
  /** Result of the vector search; null if no vectors were requested or there are none. */
  readonly vector: VectorChannel | null
  readonly configured: ConfiguredChannelAnswer
  /** Files that contain text of the query word for word, by file id. */
  readonly verbatim: ReadonlyMap<number, Verbatim>
  /**
   * True if the query consists of operators only. The answer then lists the files that match them, ranked by features
   * that need no words.
   */
  readonly isListing: boolean
  /** Names of the project that are nearest to a question in the user's words. Absent: none. */
  readonly nearNames?: readonly string[]
}

// Number of files taken from each channel's order. On the labelled queries, taking more finds no more relevant
// files.
const CANDIDATE_FILES = 100
/** The same for guessed names, of which 100 files give the same results and take twice as long. */
const GUESSED_FILES = 50
const MAX_EXACT_FILES = 100
/** Number of files taken from each channel's order for an estimate. docs/decisions/12-team.md. */
const ESTIMATE_FILES = 4
const NO_COSINES = { best: 0, topThree: 0, file: 0, names: 0, path: 0 } as const

/** How the text of a search is read, and ids of files that are candidates in any case. */
type Reading = {
  /** True to keep stop words. */
  readonly everyWord?: boolean
  /** True for guessed names; see `gatherGuessed`. */
  readonly isGuessed?: boolean
  /** The question beside guessed names or the reverse, which may ask for a kind of file. */
  readonly beside?: string
  readonly include?: readonly number[]
  /** Ids of further candidates, once the strangeness of the query is known, and before texts are read. */
  readonly also?: (found: Pick<CandidateSet, "query" | "scale" | "isListing">) => Promise<readonly number[]>
  /** Maximum number of files taken from each channel's order; no texts are then read. Absent: that of a whole search. */
  readonly max?: number
}

/** Collects every file that a channel finds, with the inputs from which its features are computed. */
export async function gatherCandidates(
  sources: SearchSources,
  text: string,
  options: SearchOptions,
  reading: Reading = {},
): Promise<CandidateSet> {
  const { everyWord = false, isGuessed = false, include = [], also = async () => [] } = reading
  const query = parsedFor(sources, text, options, reading)
  const content = withoutReferences(text)
  const exact = findExactNames(sources.store, query.names, lookedUp(sources, query, options))
  const isByWords = options.mode === "keyword"
  const vector = isByWords ? null : await vectorChannel(sources, content, options)
  options.check?.()
  // A likeness search does not ask the configured embedder: it compares code with code, and the embedder's query
  // vectors are made for questions, not for names.
  const isQuestion = !isByWords && !options.likeness && !isGuessed
  const configured = isQuestion ? await configuredChannel(sources, content, options) : NO_CONFIGURED_CHANNEL
  const { accept, acceptPlace } = options.filter
  const suggested = suggestedIds(options)
  const max = maxFiles(options, reading)
  const nearByVector = vector?.files.slice(0, max.byVectors) ?? []
  const near = [...nearByVector, ...(configured.channel?.files ?? []), ...suggested]
  const isListing = options.everyFile === true || (query.terms.length === 0 && accept !== undefined)
  const alsoIncluded = isListing ? acceptedIds(sources, accept) : definingIds(sources, exact, options)
  const answer = sources.keyword.query({
    terms: query.terms,
    files: max.byWords,
    include: [...new Set([...alsoIncluded, ...near, ...include])],
    ...(accept === undefined ? {} : { accept }),
    ...(acceptPlace === undefined ? {} : { acceptChunk: acceptPlace }),
  })
  // If the only words of the query that occur are stop words, the search is repeated with the stop words.
  if (answer.matchedFiles === 0 && !everyWord)
    return gatherCandidates(sources, text, options, { ...reading, everyWord: true })
  options.check?.()
  const channels = { ...channelsOf(answer, exact, vector, configured), program: suggested }
  const fusion = fuseChannels(channels, query)
  const siblings = siblingScores(answer)
  const meanings = configured.channel === null ? null : meaningsOf(answer.files, configured.channel)
  const facts = sources.facts.of(answer.files)
  const unadjustedScale = scaleOf(query, answer)
  const found = answer.files.map((hit, i) => ({ hit, facts: facts[i]! }))
  const scale = { ...unadjustedScale, strangeness: strangenessOf(found, unadjustedScale) }
  const further = await also({ query, scale, isListing })
  if (further.length > 0)
    return gatherCandidates(sources, text, options, { everyWord, isGuessed, include: further })
  const readChunks = readerFor(sources, options, reading)
  const verbatim = verbatimIn(content, unadjustedScale, readChunks, options.check)
  const holders = rareHolders(query, answer)
  const named: ReadonlyMap<number, NamedFile> =
    query.kind === "task" ? namedFiles(content, answer.files) : new Map()
  const shares = commitShares(sources, query, options)
  const older = olderVersions(content, answer.files)
  options.check?.()
  const candidates = found.map(({ hit, facts }): CandidateFile => {
    return {
      hit,
      facts,
      exact: exact.exact.get(hit.id) ?? 0,
      folded: exact.folded.get(hit.id) ?? 0,
      cosine: vector?.cosines(hit) ?? NO_COSINES,
      fusion: fusion.get(hit.id) ?? 0,
      siblings: siblings.get(hit.id) ?? 0,
      meaning: meanings?.get(hit.id) ?? null,
      verbatim: verbatimShare(holders.has(hit.id), verbatim.get(hit.id), facts),
      isOlderVersion: older.has(hit.path),
      named: named.get(hit.id) ?? null,
      similarCommits: shares.get(shortHash(hit.path)) ?? 0,
    }
  })
  const rows = candidates.map((candidate) => earlyFeaturesOf(candidate, scale))
  const described = {
    query,
    scale,
    candidates,
    rows,
    channels,
    exact,
    vector,
    configured,
    verbatim,
    isListing,
  }
  return withExactWords(described, readChunks, options)
}

function parsedFor(
  { keyword }: SearchSources,
  text: string,
  { symbols, filter }: SearchOptions,
  { everyWord, isGuessed, beside = "" }: Reading,
): ParsedQuery {
  const asking = [beside, ...(filter.paths ?? [])]
  const rarity = rarityIn(keyword)
  return parseQuery(text, { everyWord, isGuessed, names: symbols, beside: asking, rarity })
}

/** Maximum number of files that are taken from the keyword index and from the built-in vectors. */
function maxFiles({ mode, limit, isEstimate }: SearchOptions, { max, isGuessed }: Reading) {
  const few = isEstimate ? ESTIMATE_FILES : max
  if (few !== undefined) return { byWords: few, byVectors: few }
  const least = isGuessed ? GUESSED_FILES : CANDIDATE_FILES
  const byWords = mode === "semantic" ? 0 : Math.max(least, limit * 5)
  return { byWords, byVectors: Number.POSITIVE_INFINITY }
}

/** The candidates, best first, by the features in `rows`, without the deferred one. */
export function rankedSoFar({ candidates, rows, scale }: CandidateSet, table: WeightTable): RankedFile[] {
  const weighing = weighingOf(table)
  return candidates
    .map((candidate, at) => {
      const features = rows[at]!
      return { candidate, features, sum: sumOf(candidate, features, scale, weighing, "") }
    })
    .sort(bestThenPath)
}

/** For a question, adds the BM25 of its words as typed to the candidates and to their features. */
function withExactWords(
  gathered: CandidateSet,
  readChunks: ReadChunks | null,
  { check }: SearchOptions,
): CandidateSet {
  if (readChunks === null || gathered.isListing || !mayBeQuestion(gathered.query)) return gathered
  const ordered = rankedSoFar(gathered, tableFor(gathered.vector, gathered.query))
  const candidatesInOrder = ordered.map(({ candidate }) => candidate)
  const scores = exactWords(candidatesInOrder, gathered.scale, readChunks, check)
  const scale = { ...gathered.scale, maxExactWords: Math.max(0, ...scores.values()) }
  const rows = [...gathered.rows]
  const candidates = gathered.candidates.map((candidate, at) => {
    const score = scores.get(candidate.hit.id)
    if (score === undefined) return candidate
    const withScore = { ...candidate, exactWords: score }
    rows[at] = earlyFeaturesOf(withScore, scale)
    return withScore
  })
  return { ...gathered, scale, candidates, rows }
}

/**
 * True if the query is, or may be, a question. Words as typed are not counted for names, which are found by their
 * definitions, nor for tasks, whose results they do not improve: docs/decisions/01-ranking.md.
 */
export function mayBeQuestion({ kind, isUnsure }: ParsedQuery): boolean {
  return kind === "question" || isUnsure
}

/**
 * Shares of files in the past commits that are similar to a task, by the hash of the path. Empty for questions and names,
 * of which some lose by it: docs/decisions/10-context.md.
 */
function commitShares(
  { pastCommits }: SearchSources,
  query: ParsedQuery,
  { isEstimate, ignoresCommits }: SearchOptions,
): ReadonlyMap<number, number> {
  const commits = query.kind === "task" && !isEstimate && !ignoresCommits ? pastCommits() : null
  return commits === null ? new Map() : sharesInSimilarCommits(commits, query)
}

/** Ids of the files that a search program found and that pass the filter, best first. */
function suggestedIds({ suggested = [], filter: { accept } }: SearchOptions): number[] {
  return suggested.filter((file) => accept?.(file) ?? true).map(({ id }) => id)
}

/**
 * Paths in a folder of an older version (`v3/`) for which another of the files is in a newer version's folder; none if
 * the query may name a version.
 */
function olderVersions(text: string, files: readonly FileHit[]): ReadonlySet<string> {
  return olderVersionPaths(/\d/.test(text) ? [] : files.map(({ path }) => path))
}

/**
 * Returns a function that gives the inverse document frequency of a term; 0 for a term that occurs nowhere, because
 * searching for it finds nothing.
 */
function rarityIn({ documents, estimate }: SearchSources["keyword"]): (hash: bigint) => number {
  return (hash) => {
    const count = Math.min(documents, estimate(Number(hash >> 32n), Number(hash & 0xffff_ffffn)))
    return count === 0 ? 0 : inverseDocumentFrequency(documents, count)
  }
}

/** Reads the texts of chunks; null for a search by vectors alone, for an estimate and for few files. */
function readerFor(
  { store }: SearchSources,
  { mode, likeness, readLines, isEstimate }: SearchOptions,
  { max }: Reading,
): ReadChunks | null {
  if (mode === "semantic" || likeness || isEstimate || max !== undefined || !readLines) return null
  return chunkReader(store, readLines)
}

/**
 * The files that contain an identifier of several words that is the whole query, if they are few: other files have only
 * its words.
 */
function rareHolders(
  { looksLikeSymbol, names, scored }: ParsedQuery,
  { files }: KeywordAnswer,
): ReadonlySet<number> {
  if (!looksLikeSymbol || names.length !== 1 || names[0]!.owner !== null || !isIdentifierLike(names[0]!.last))
    return new Set()
  const holders = files.filter((hit) => (anywhere(hit) >>> scored) & 1)
  return new Set(holders.length > 3 ? [] : holders.map(({ id }) => id))
}

/**
 * Squared share of the query that a file contains word for word, 1 for one of the few holders of a name; 0 for a file that
 * probably only quotes the text.
 */
function verbatimShare(isHolder: boolean, verbatim: Verbatim | undefined, facts: FileFeatures): number {
  if (isHolder) return 1
  if (verbatim === undefined) return 0
  const isQuoted = verbatim.isKey ? (facts.flags & FILE_FLAG.test) !== 0 : quotesOnly(facts)
  return isQuoted ? 0 : verbatim.share ** 2
}

/**
 * True for documents, settings and tests, because they quote the program's messages and the subjects of commits. In
 * 1,510 mined tasks, 16 files contained a line of the task word for word without being the file to change; 9 of them
 * were documents, settings or tests.
 */
function quotesOnly({ content, flags }: FileFeatures): boolean {
  return content !== "code" || (flags & FILE_FLAG.test) !== 0
}

/** Ids of the files that define a name of the query, the first ones by path; none for a search by vectors alone. */
function definingIds({ store }: SearchSources, { names }: ExactNames, { mode }: SearchOptions): number[] {
  if (mode === "semantic") return []
  if (names.size <= MAX_EXACT_FILES) return [...names.keys()]
  // Not the first ones by id, because an edited file gets a new id.
  const firstName = (id: number) => names.get(id)!.values().next().value!
  return store.files
    .named([...names.keys()])
    .sort((a, b) => firstName(a.id) - firstName(b.id) || compareTexts(a.path, b.path))
    .slice(0, MAX_EXACT_FILES)
    .map(({ id }) => id)
}

/** Ids of the files that a filter accepts, in path order, at most MAX_READ. */
function acceptedIds({ store }: SearchSources, accept: FileFilter["accept"] = () => true): number[] {
  const files = store.files.known().map(([path, id]) => ({ path, id }))
  const accepted = files.filter(accept).sort((a, b) => compareTexts(a.path, b.path))
  return accepted.slice(0, MAX_READ).map(({ id }) => id)
}

/** For each file, the mean keyword score of the other files in its folder, divided by the best score of all files. */
function siblingScores({ files, maxScore }: KeywordAnswer): Map<number, number> {
  const folderOf = (path: string) => path.slice(0, path.lastIndexOf("/") + 1)
  const scores = new Map<number, number>()
  for (const together of Map.groupBy(files, ({ path }) => folderOf(path)).values()) {
    const sum = together.reduce((total, { score }) => total + score, 0)
    const others = (together.length - 1) * maxScore
    for (const { id, score } of together) scores.set(id, others > 0 ? (sum - score) / others : 0)
  }
  return scores
}

function channelsOf(
  answer: KeywordAnswer,
  exact: ExactNames,
  vector: VectorChannel | null,
  configured: ConfiguredChannelAnswer,
): Omit<Channels, "program"> {
  const by = (value: (file: FileHit) => number) =>
    answer.files
      .filter((file) => value(file) > 0)
      .sort((a, b) => value(b) - value(a) || compareTexts(a.path, b.path))
      .map((file) => file.id)
  return {
    files: by((file) => file.score),
    chunks: by((file) => file.topChunks),
    symbol: by((file) => (exact.exact.get(file.id) ?? 0) * 2 + (exact.folded.get(file.id) ?? 0)),
    vector: vector?.files ?? [],
    model: configured.channel?.files ?? [],
  }
}

/**
 * Reciprocal rank fusion of the keyword and the vector list, weighted by the query's class, scaled so that the best
 * file has 1.
 */
function fuseChannels(channels: Channels, query: ParsedQuery): Map<number, number> {
  const { keywordWeight, vectorWeight } = query.classification
  const lists = [
    { ids: channels.chunks, weight: keywordWeight },
    // Only one of the two vector lists takes part, because two would outweigh the keyword list.
    { ids: channels.model.length > 0 ? channels.model : channels.vector, weight: vectorWeight },
  ]
  const fused = fuse(lists)
  const best = Math.max(...fused.values(), 1e-9)
  for (const [id, score] of fused) fused.set(id, score / best)
  return fused
}

type VectorChannel = NearChunks & {
  readonly cosines: (hit: FileHit) => FileCosines
}

/** Searches the built-in vector space. Its cosines are inputs of the ranker, whose weights are fitted to this space. */
export async function vectorChannel(
  sources: SearchSources,
  text: string,
  options: SearchOptions,
): Promise<VectorChannel | null> {
  const { vectors, embedder } = sources
  if (vectors === null || vectors.size === 0) return null
  const query = options.likeness?.vector ?? (await embedder.embedQuery(text))
  sources.afterWait?.()
  if (query.every((value) => value === 0)) return null
  if (!isCodeSpace(embedder.space)) return null
  const near = nearChunks(vectors, query, sources, options)
  return {
    ...near,
    cosines: (hit) => {
      const best = near.bestCosines(hit)
      const first = hit.id * CHUNK_KEY_STRIDE
      const view = (ordinal: number) => near.cosine(first + ordinal, first + TEXT_VECTOR)
      // The keys of a file's three vectors follow each other, so the vectors are read together.
      const path = view(PATH_VECTOR)
      const names = view(NAMES_VECTOR)
      const file = view(TEXT_VECTOR)
      return {
        best: best[0] ?? 0,
        topThree: ((best[0] ?? 0) + 0.6 * (best[1] ?? 0) + 0.4 * (best[2] ?? 0)) / 2,
        file,
        names,
        path,
      }
    },
  }
}

/** The files and chunks that define the names of a query. */
type ExactNames = {
  /**
   * Share of the query's names that a file defines, by file id. `exact`: the names are spelled as in the query;
   * `folded`: only their letters and digits are compared, ignoring case.
   */
  readonly exact: ReadonlyMap<number, number>
  readonly folded: ReadonlyMap<number, number>
  /** Positions in the query of the names that a file defines in any spelling, ascending, by file id. */
  readonly names: ReadonlyMap<number, ReadonlySet<number>>
  /** Ordinals of the chunks that define a name of the query, by file id. */
  readonly exactChunks: ReadonlyMap<number, ReadonlySet<number>>
  readonly foldedChunks: ReadonlyMap<number, ReadonlySet<number>>
}

// Kinds of symbols that are only labels: headings, keys in data files and style rules do not define the name they
// have.
const LABELS: ReadonlySet<string> = new Set(["section", "key", "selector", "element"])

// A name with more definitions than this (get, init) says little about where to look.
const MAX_DEFINITIONS = 2_000

/**
 * Returns a function that says whether a name of the query, given by its position, is looked up: for an estimate only if
 * the keyword index contains it, which takes less time to find out.
 */
function lookedUp({ keyword }: SearchSources, { terms, scored }: ParsedQuery, { isEstimate }: SearchOptions) {
  return (index: number): boolean =>
    !isEstimate ||
    terms[scored + index]!.variants.some(
      ({ hash }) => keyword.estimate(Number(hash >> 32n), Number(hash & 0xffff_ffffn)) > 0,
    )
}

/**
 * Looks up the query's names among the symbols. A qualified name whose qualifier owns the symbol counts as two names.
 */
export function findExactNames(
  store: Store,
  names: readonly QueriedName[],
  isLookedUp: (index: number) => boolean = () => true,
): ExactNames {
  const found = new NameMatches()
  for (const [index, name] of names.entries()) {
    if (!isLookedUp(index)) continue
    for (const row of store.symbols.findByFolded(name.last, MAX_DEFINITIONS)) {
      found.add("folded", index, row.fileId, row.ordinal)
      if (LABELS.has(row.kind) || withoutSign(lastName(row.name)) !== withoutSign(name.last)) continue
      // Counting two makes `User.greet` outweigh a `greet` of another owner.
      const owned = name.owner !== null && ownersOf(row).includes(name.owner)
      if (name.owner === null || owned || !names.some((other) => other.last === name.owner)) {
        found.add("exact", index, row.fileId, row.ordinal)
      }
    }
  }
  return found.shares(names.length)
}

/** The name without a final ? or !, which may belong to the sentence; Ruby's `empty?` is still found without it. */
function withoutSign(name: string): string {
  return name.replace(/[?!]$/u, "")
}

type Spelling = "exact" | "folded"
type SpellingMatches = { readonly names: Map<number, Set<number>>; readonly chunks: Map<number, Set<number>> }

class NameMatches {
  readonly #bySpelling: Readonly<Record<Spelling, SpellingMatches>> = {
    exact: { names: new Map(), chunks: new Map() },
    folded: { names: new Map(), chunks: new Map() },
  }

  add(spelling: Spelling, nameIndex: number, fileId: number, ordinal: number): void {
    const found = this.#bySpelling[spelling]
    addToSet(found.names, fileId, nameIndex)
    addToSet(found.chunks, fileId, ordinal)
  }

  shares(total: number): ExactNames {
    const { exact, folded } = this.#bySpelling
    return {
      ...{ exact: shareOf(exact.names, total), exactChunks: exact.chunks },
      ...{ folded: shareOf(folded.names, total), foldedChunks: folded.chunks, names: folded.names },
    }
  }
}

function addToSet(sets: Map<number, Set<number>>, key: number, value: number): void {
  const set = sets.get(key)
  if (set === undefined) sets.set(key, new Set([value]))
  else set.add(value)
}

function shareOf(sets: ReadonlyMap<number, ReadonlySet<number>>, total: number): Map<number, number> {
  const shares = new Map<number, number>()
  for (const [key, set] of sets) shares.set(key, set.size / total)
  return shares
}

/** Number of files, by words and by vectors, that the question contributes even if no guessed name occurs in them. */
const OF_QUESTION = 20
/** Number of the best files by the names of which the rank for the question is computed. */
const MAX_ASKED = 60

const ASKED = FEATURE_NAMES.indexOf("names:asked")

/**
 * The candidates for a question and the names that the code may use, as guessed by a caller who has not seen it. The
 * names are the query, because code has their words more often than those of the question; how the question alone ranks
 * a file, without reading its text, is one of the file's features. If no name occurs anywhere, these are the candidates
 * of the question alone.
 */
export async function gatherGuessed(
  sources: SearchSources,
  text: string,
  names: string,
  options: SearchOptions,
): Promise<CandidateSet> {
  const ofQuestion = await gatherCandidates(sources, text, options, { max: OF_QUESTION })
  const guessed = await gatherCandidates(sources, names, options, {
    isGuessed: true,
    beside: text,
    include: ofQuestion.candidates.map(({ hit }) => hit.id),
  })
  if (guessed.scale.answer.matchedFiles === 0) return gatherCandidates(sources, text, options)
  const best = rankedSoFar(guessed, tableFor(guessed.vector, guessed.query)).slice(0, MAX_ASKED)
  const include = best.map(({ candidate }) => candidate.hit.id)
  const asked = await gatherCandidates(sources, text, options, { beside: names, include, max: 0 })
  const sums = rankedSoFar(asked, tableFor(asked.vector, asked.query))
  const sumOf = new Map(sums.map(({ candidate, sum }) => [candidate.hit.id, sum]))
  const [highest, lowest] = [sums[0]?.sum ?? 0, sums.at(-1)?.sum ?? 0]
  const rows = [...guessed.rows]
  const candidates = guessed.candidates.map((candidate, at) => {
    const behind = (sumOf.get(candidate.hit.id) ?? lowest) - highest
    rows[at]![ASKED] = behind
    return { ...candidate, asked: behind }
  })
  return { ...guessed, candidates, rows, configured: ofQuestion.configured }
}

/** Files that are candidates by their meaning, and those of which a definition is named. */
const MEANT = { files: 60, names: 10 } as const

/**
 * The candidates for a question without guessed names. If its words are far from those of the project, and the index has
 * the encoder's vectors, they include the files that are nearest to the question.
 */
export async function gatherMeant(
  sources: SearchSources,
  text: string,
  options: SearchOptions,
): Promise<CandidateSet> {
  const meant: { near: NearMeanings | null } = { near: null }
  const gathered = await gatherCandidates(sources, text, options, {
    also: async ({ query, scale, isListing }) => {
      const isInWords = mayBeQuestion(query) && query.names.length === 0 && !isListing && !options.isEstimate
      const meanings = isInWords && meantWeight(scale) > 0 ? sources.meanings() : null
      if (meanings === null) return []
      const { accept } = options.filter
      meant.near = await meanings.near(text, MEANT, accept && acceptIds(sources, accept))
      sources.afterWait?.()
      return meant.near.files
    },
  })
  const { near } = meant
  if (near === null || near.files.length === 0) return gathered
  const candidates = gathered.candidates.map((found) => ({ ...found, meant: near.meant(found.hit.id) }))
  return { ...gathered, candidates, nearNames: near.names }
}

/**
 * Number of commits that count. It and POWER were chosen on tasks of the learn split; 10 or 30 commits, or a power of 2,
 * give results within .005 of MRR.
 */
const MAX_SIMILAR = 20
/** Power of a commit's similarity with which the commit counts. */
const POWER = 3

/**
 * How much the past commits that are most similar to a task changed each file, 0 to 1, by the hash of the file's path
 * (`shortHash`). It is the square root of the file's share in these commits. Each commit counts by its similarity,
 * divided by √n for each of its n files, because a commit with many files says less about one of them.
 */
function sharesInSimilarCommits(commits: PackedCommits, query: ParsedQuery): ReadonlyMap<number, number> {
  const { files, fileEnds } = commits
  const similar = mostSimilar(commits, query)
  const shares = new Map<number, number>()
  let total = 0
  for (const { commit, similarity } of similar) {
    const value = (similarity / similar[0]!.similarity) ** POWER
    const changed = files.subarray(fileEnds[commit - 1] ?? 0, fileEnds[commit])
    for (const file of changed) shares.set(file, (shares.get(file) ?? 0) + value / Math.sqrt(changed.length))
    total += value
  }
  for (const [file, share] of shares) shares.set(file, Math.sqrt(share / total))
  return shares
}

type SimilarCommit = { readonly commit: number; readonly similarity: number }

/** The commits with the highest BM25 of the query's words in their subjects, best first, then newest first. */
function mostSimilar({ terms, termEnds }: PackedCommits, query: ParsedQuery): SimilarCommit[] {
  const { scored } = query
  const words = new Map(query.stems.map((stem, word) => [shortHash(stem), word]))
  const counts = new Uint16Array(termEnds.length * scored)
  const holding = new Float64Array(scored)
  eachCommit(termEnds, (commit, start, end) => {
    for (let at = start; at < end; at++) {
      const word = words.get(terms[at]!)
      if (word === undefined) continue
      const cell = commit * scored + word
      if (counts[cell] === 0) holding[word]!++
      counts[cell]!++
    }
  })
  const rarity = holding.map(
    (count, word) => (query.terms[word]!.weight ?? 1) * inverseDocumentFrequency(termEnds.length, count),
  )
  const similar: SimilarCommit[] = []
  eachCommit(termEnds, (commit, start, end) => {
    const length = (end - start) / (terms.length / termEnds.length)
    let similarity = 0
    for (let word = 0; word < scored; word++) {
      const count = counts[commit * scored + word]!
      if (count > 0) similarity += rarity[word]! * bm25(count, length)
    }
    if (similarity > 0) similar.push({ commit, similarity })
  })
  return similar.sort((a, b) => b.similarity - a.similarity || a.commit - b.commit).slice(0, MAX_SIMILAR)
}

function eachCommit(ends: Uint32Array, visit: (commit: number, start: number, end: number) => void): void {
  let start = 0
  ends.forEach((end, commit) => {
    visit(commit, start, end)
    start = end
  })
}
