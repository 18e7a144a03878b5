import { FILE_FLAG } from "../../base/files/file-flag.ts"
import { type CodeModel, codeModelOf } from "../../embed/builtin/static.ts"
import { inverseDocumentFrequency } from "../../keyword/bm25.ts"
import type { FileHit, KeywordAnswer } from "../../keyword/port.ts"
import { lastName } from "../../store/fold-name.ts"
import type { Store } from "../../store/index/store.ts"
import { CHUNK_KEY_STRIDE, NAMES_VECTOR, PATH_VECTOR, TEXT_VECTOR } from "../../vector/port.ts"
import type { FileFilter } from "../query/filter.ts"
import { MAX_READ } from "../query/phrases.ts"
import { type ParsedQuery, parseQuery, type QueriedName } from "../query/query.ts"
import { type Scale, scaleOf } from "../query/query-scale.ts"
import { type CandidateFile, type FileCosines, strangenessOf } from "../rank/features.ts"
import type { FileFeatures } from "../rank/file-facts.ts"
import { inOlderVersions } from "../rank/variants.ts"
import type { SearchOptions, SearchSources } from "../sources.ts"
import {
  type ConfiguredChannelAnswer,
  configuredChannel,
  meaningsOf,
  NO_CONFIGURED_CHANNEL,
} from "./configured-channel.ts"
import { type NamedFile, namedFiles } from "./named-files.ts"
import { type NearChunks, nearChunks } from "./near-chunks.ts"
import { ownersOf } from "./symbol-places.ts"
import { type Verbatim, verbatimIn } from "./verbatim.ts"

/** Each channel's files, best first. */
export type Channels = Readonly<Record<"files" | "chunks" | "symbol" | "vector" | "model", readonly number[]>>

export type CandidateSet = {
  readonly query: ParsedQuery
  readonly scale: Scale
  readonly candidates: readonly CandidateFile[]
  readonly channels: Channels
  readonly exact: ExactNames
  /** Hits by vectors; null if no vectors were requested or there are none. */
  readonly vector: VectorChannel | null
  readonly other: ConfiguredChannelAnswer
  /** Files that contain the query word for word, by id. */
  readonly verbatim: ReadonlyMap<number, Verbatim>
  /** True if the query has only operators: the answer lists the files that pass them, ranked by facts of the file. */
  readonly isListing: boolean
}

// Files taken from each of two orders; on the labelled queries a hundred of each lose nothing.
const CANDIDATE_FILES = 100
const MAX_EXACT_FILES = 100
const NO_COSINES = { best: 0, topThree: 0, file: 0, names: 0, path: 0 } as const

/** Every file that a channel finds, with the inputs of its features. */
export async function gather(
  sources: SearchSources,
  text: string,
  options: SearchOptions,
  everyWord = false,
): Promise<CandidateSet> {
  const rarity = rarityIn(sources.keyword)
  const query = parseQuery(text, { everyWord, names: options.names, weights: options.weights, rarity })
  const exact = findExactNames(sources.store, query.names)
  const isByWords = options.mode === "keyword"
  const vector = isByWords ? null : await vectorChannel(sources, text, options)
  options.check?.()
  // Code is compared with code; a model's prompt for questions does not apply.
  const isQuestion = !isByWords && !options.likeness
  const other = isQuestion ? await configuredChannel(sources, text, options) : NO_CONFIGURED_CHANNEL
  const near = [...(vector?.files ?? []), ...(other.channel?.files ?? [])]
  const { accept, acceptPlace } = options.filter
  const isListing = options.everyFile === true || (query.terms.length === 0 && accept !== undefined)
  const besides = isListing ? listed(sources, accept) : defining(exact, options)
  const answer = sources.keyword.query({
    terms: query.terms,
    files: options.mode === "semantic" ? 0 : Math.max(CANDIDATE_FILES, options.limit * 5),
    include: [...new Set([...besides, ...near])],
    ...(accept === undefined ? {} : { accept }),
    ...(acceptPlace === undefined ? {} : { acceptChunk: acceptPlace }),
  })
  // If only the stop words of the query occur, they are searched for.
  if (answer.matchedFiles === 0 && !everyWord) return gather(sources, text, options, true)
  options.check?.()
  const channels = channelsOf(answer, exact, vector, other)
  const fusion = fuseChannels(channels, query, options.rrfK)
  const siblings = siblingScores(answer)
  const meanings = other.channel === null ? null : meaningsOf(answer.files, other.channel)
  const facts = sources.facts.of(answer.files)
  const plain = scaleOf(query, answer)
  const verbatim = verbatimFor(text, plain, options)
  const named: ReadonlyMap<number, NamedFile> =
    query.kind === "task" ? namedFiles(text, answer.files) : new Map()
  const older = olderVersions(text, answer.files)
  options.check?.()
  const candidates = answer.files.map((hit: FileHit, i): CandidateFile => {
    return {
      hit,
      facts: facts[i]!,
      exact: exact.exact.get(hit.id) ?? 0,
      folded: exact.folded.get(hit.id) ?? 0,
      cosine: vector?.cosines(hit) ?? NO_COSINES,
      fusion: fusion.get(hit.id) ?? 0,
      siblings: siblings.get(hit.id) ?? 0,
      meaning: meanings?.get(hit.id) ?? null,
      verbatim: verbatimShare(verbatim.get(hit.id), facts[i]!) ** 2,
      isOlderVersion: older.has(hit.path),
      named: named.get(hit.id) ?? null,
    }
  })
  const scale = { ...plain, strangeness: strangenessOf(candidates, plain) }
  return { query, scale, candidates, channels, exact, vector, other, verbatim, isListing }
}

/** Paths in a folder of an older version than another file; none if the query may name a version. */
function olderVersions(text: string, files: readonly FileHit[]): ReadonlySet<string> {
  return inOlderVersions(/\d/.test(text) ? [] : files.map(({ path }) => path))
}

/** Inverse document frequency of a term; 0 for one that occurs nowhere, because searching for it finds nothing. */
function rarityIn({ documents, estimate }: SearchSources["keyword"]): (hash: bigint) => number {
  return (hash) => {
    const held = Math.min(documents, estimate(Number(hash >> 32n), Number(hash & 0xffff_ffffn)))
    return held === 0 ? 0 : inverseDocumentFrequency(documents, held)
  }
}

/** Files that contain the query word for word; none for a search by meaning alone. */
function verbatimFor(text: string, scale: Scale, { mode, likeness, readText, check }: SearchOptions) {
  if (mode === "semantic" || likeness || readText === undefined) return NO_VERBATIM
  return verbatimIn(text, scale, readText, check)
}

/**
 * Share of the query that a file contains word for word; 0 for a file that probably quotes the text from
 * elsewhere.
 */
function verbatimShare(verbatim: Verbatim | undefined, facts: FileFeatures): number {
  if (verbatim === undefined) return 0
  const isQuoted = verbatim.isKey ? (facts.flags & FILE_FLAG.test) !== 0 : quotesOnly(facts)
  return isQuoted ? 0 : verbatim.share
}

/**
 * True for pages, settings and tests: they quote the program's messages and the subjects of commits. In 1,510
 * mined tasks, 16 files contained a line of the task word for word without being the file to change, and 9 of
 * them were pages, settings or tests.
 */
function quotesOnly({ content, flags }: FileFeatures): boolean {
  return content !== "code" || (flags & FILE_FLAG.test) !== 0
}

const NO_VERBATIM: ReadonlyMap<number, Verbatim> = new Map()

/** Files that define a name of the query; none for a search by meaning alone. */
function defining({ folded }: ExactNames, { mode }: SearchOptions): number[] {
  return mode === "semantic" ? [] : [...folded.keys()].slice(0, MAX_EXACT_FILES)
}

/** The first files, by path, that a filter accepts. */
function listed({ store }: SearchSources, accept: FileFilter["accept"] = () => true): number[] {
  const files = store.files.known().map(([path, id]) => ({ path, id }))
  const accepted = files.filter(accept).sort((a, b) => (a.path < b.path ? -1 : 1))
  return accepted.slice(0, MAX_READ).map(({ id }) => id)
}

/** Mean keyword score of the other files in the same folder, divided by the best score of all files. */
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
  other: ConfiguredChannelAnswer,
): Channels {
  const by = (value: (file: FileHit) => number) =>
    answer.files
      .filter((file) => value(file) > 0)
      .sort((a, b) => value(b) - value(a) || (a.path < b.path ? -1 : 1))
      .map((file) => file.id)
  return {
    files: by((file) => file.score),
    chunks: by((file) => file.topChunks),
    symbol: by((file) => (exact.exact.get(file.id) ?? 0) * 2 + (exact.folded.get(file.id) ?? 0)),
    vector: vector?.files ?? [],
    model: other.channel?.files ?? [],
  }
}

/** Reciprocal rank fusion of the keyword and the vector list, weighted by the query's class; the best file has 1. */
function fuseChannels(channels: Channels, query: ParsedQuery, rrfK: number): Map<number, number> {
  const { keywordWeight, vectorWeight } = query.classification
  const lists = [
    { ids: channels.chunks, weight: keywordWeight },
    // Only one vector list takes part, because two would outweigh the words.
    { ids: channels.model.length > 0 ? channels.model : channels.vector, weight: vectorWeight },
  ]
  const fused = fuse(lists, rrfK)
  const best = Math.max(...fused.values(), 1e-9)
  for (const [id, score] of fused) fused.set(id, score / best)
  return fused
}

export type RankedList = { readonly ids: readonly number[]; readonly weight: number }

/**
 * Reciprocal rank fusion, Σ weight / (k + rank); a list that lacks an id gives it nothing (Cormack, Clarke, Büttcher
 * 2009). The constant `k` (`search.rrf_k`) damps the head, so that one list alone cannot decide the order.
 */
export function fuse(lists: readonly RankedList[], k: number): Map<number, number> {
  const scores = new Map<number, number>()
  for (const { ids, weight } of lists) {
    ids.forEach((id, index) => {
      scores.set(id, (scores.get(id) ?? 0) + weight / (k + index + 1))
    })
  }
  return scores
}

type VectorChannel = NearChunks & {
  readonly model: CodeModel
  readonly cosines: (hit: FileHit) => FileCosines
}

/** The built-in vector space; the ranker's features are fitted to its cosines. */
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
  const model = codeModelOf(embedder.space)
  if (model === null) return null
  const near = nearChunks(vectors, query, sources, options)
  return {
    ...near,
    model,
    cosines: (hit) => {
      const best = near.bestCosines(hit)
      const first = hit.id * CHUNK_KEY_STRIDE
      const view = (ordinal: number) => near.cosine(first + ordinal, first + TEXT_VECTOR)
      // The keys of these three vectors are neighbours, so the vectors are read together.
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

/** Definitions of the names of a query. */
type ExactNames = {
  /**
   * Share of the query's names that a file defines, by file id. `exact`: names spelled as typed; `folded`: compared by
   * letters and digits only, ignoring case.
   */
  readonly exact: ReadonlyMap<number, number>
  readonly folded: ReadonlyMap<number, number>
  /** Ordinals of the chunks that define a name of the query, by file id. */
  readonly exactChunks: ReadonlyMap<number, ReadonlySet<number>>
  readonly foldedChunks: ReadonlyMap<number, ReadonlySet<number>>
}

// Headings, keys of data and style rules have a name but do not define it.
const LABELS: ReadonlySet<string> = new Set(["section", "key", "selector", "element"])

// A name defined in more places than this (get, init) says little about where to look.
const MAX_DEFINITIONS = 2_000

/** Looks up the query's names among the symbols. A qualifier that is the owner's name counts as a second name. */
export function findExactNames(store: Store, names: readonly QueriedName[]): ExactNames {
  const found = new Finder()
  for (const [index, name] of names.entries()) {
    for (const row of store.symbols.findByFolded(name.last, MAX_DEFINITIONS)) {
      found.add("folded", index, row.fileId, row.ordinal)
      if (LABELS.has(row.kind) || spelled(lastName(row.name)) !== spelled(name.last)) continue
      // A qualified name whose owner matches counts as two names, so it outweighs equal names elsewhere.
      const owned = name.owner !== null && ownersOf(row).includes(name.owner)
      if (name.owner === null || owned || !names.some((other) => other.last === name.owner)) {
        found.add("exact", index, row.fileId, row.ordinal)
      }
    }
  }
  return found.shares(names.length)
}

/** The name without a final ? or !, which may end a sentence; Ruby's `empty?` stays distinguishable without it. */
function spelled(name: string): string {
  return name.replace(/[?!]$/u, "")
}

type Spelling = "exact" | "folded"
type SpellingMatches = { readonly names: Map<number, Set<number>>; readonly chunks: Map<number, Set<number>> }

class Finder {
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
      exact: shareOf(exact.names, total),
      folded: shareOf(folded.names, total),
      exactChunks: exact.chunks,
      foldedChunks: folded.chunks,
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
