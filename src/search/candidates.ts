import type { FileHit, KeywordAnswer } from "../keyword/port.ts"
import { type ExactNames, findExactNames } from "./exact-names.ts"
import type { Candidate } from "./features.ts"
import type { FileFilter } from "./filter.ts"
import { fuse } from "./fuse.ts"
import { meaningsOf, NO_OTHER, type OtherAnswer, otherChannel } from "./other-channel.ts"
import { MOST_READ } from "./phrases.ts"
import { type ParsedQuery, parseQuery } from "./query.ts"
import { type Scale, scaleOf } from "./query-scale.ts"
import type { SearchOptions, SearchSources } from "./sources.ts"
import { type VectorChannel, vectorChannel } from "./vector-channel.ts"
import { type Verbatim, verbatimIn } from "./verbatim.ts"

/** Each channel's files, best first. */
export type Channels = Readonly<Record<"files" | "chunks" | "symbol" | "vector" | "model", readonly number[]>>

export type Gathered = {
  readonly query: ParsedQuery
  readonly scale: Scale
  readonly candidates: readonly Candidate[]
  readonly channels: Channels
  readonly exact: ExactNames
  /** Null where no vectors were asked for or there are none. */
  readonly vector: VectorChannel | null
  readonly other: OtherAnswer
  /** Files that say the query word for word. */
  readonly verbatim: ReadonlyMap<number, Verbatim>
  /** Nothing but operators was asked: what they let through, in the order of what is known of each file. */
  readonly isListing: boolean
}

// Twice this many files are ranked at most; on the labelled queries a hundred of each order lose nothing.
const CANDIDATE_FILES = 100
const MOST_EXACT_FILES = 100
const NO_COSINES = { best: 0, topThree: 0, file: 0, names: 0, path: 0 } as const

/** Every file that any channel finds, with all that the ranker wants to know of it. */
export async function gather(
  sources: SearchSources,
  text: string,
  options: SearchOptions,
  everyWord = false,
): Promise<Gathered> {
  const query = parseQuery(text, { everyWord, names: options.names, weights: options.weights })
  const exact = findExactNames(sources.store, query.names)
  const isByWords = options.mode === "keyword"
  const vector = isByWords ? null : await vectorChannel(sources, text, options)
  options.check?.()
  // Code is compared with code: a model's prompt for questions does not fit it.
  const isQuestion = !isByWords && !options.likeness
  const other = isQuestion ? await otherChannel(sources, text, options) : NO_OTHER
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
  // Where nothing but its stop words occurs, those are better than nothing.
  if (answer.matchedFiles === 0 && !everyWord) return gather(sources, text, options, true)
  options.check?.()
  const channels = channelsOf(answer, exact, vector, other)
  const fusion = fuseChannels(channels, query, options.rrfK)
  const siblings = siblingScores(answer)
  const meanings = other.channel === null ? null : meaningsOf(answer.files, other.channel)
  const facts = sources.facts.of(answer.files)
  const scale = scaleOf(query, answer)
  const verbatim = verbatimFor(text, scale, options)
  options.check?.()
  const candidates = answer.files.map((hit: FileHit, i): Candidate => {
    return {
      hit,
      facts: facts[i]!,
      exact: exact.exact.get(hit.id) ?? 0,
      folded: exact.folded.get(hit.id) ?? 0,
      cosine: vector?.cosines(hit) ?? NO_COSINES,
      fusion: fusion.get(hit.id) ?? 0,
      siblings: siblings.get(hit.id) ?? 0,
      meaning: meanings?.get(hit.id) ?? null,
      verbatim: (verbatim.get(hit.id)?.share ?? 0) ** 2,
    }
  })
  return { query, scale, candidates, channels, exact, vector, other, verbatim, isListing }
}

/** By words or by both: what is asked by meaning alone is not meant word for word. */
function verbatimFor(text: string, scale: Scale, { mode, likeness, readText, check }: SearchOptions) {
  if (mode === "semantic" || likeness || readText === undefined) return NOT_SAID
  return verbatimIn(text, scale, readText, check)
}

const NOT_SAID: ReadonlyMap<number, Verbatim> = new Map()

/** Files that define what the query names; none where only its meaning counts. */
function defining({ folded }: ExactNames, { mode }: SearchOptions): number[] {
  return mode === "semantic" ? [] : [...folded.keys()].slice(0, MOST_EXACT_FILES)
}

/** The first files by path that a filter lets through. */
function listed({ store }: SearchSources, accept: FileFilter["accept"] = () => true): number[] {
  const files = store.files.known().map(([path, id]) => ({ path, id }))
  const accepted = files.filter(accept).sort((a, b) => (a.path < b.path ? -1 : 1))
  return accepted.slice(0, MOST_READ).map(({ id }) => id)
}

/** A file among others that answer is more likely to be meant than a lone one. */
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
  other: OtherAnswer,
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

/** The seed's formula over the keyword and the vector list, weighted by the query's class; the best is 1. */
function fuseChannels(channels: Channels, query: ParsedQuery, rrfK: number | undefined): Map<number, number> {
  const { keywordWeight, vectorWeight } = query.classification
  const lists = [
    { ids: channels.chunks, weight: keywordWeight },
    // Two lists of one kind would outvote the words.
    { ids: channels.model.length > 0 ? channels.model : channels.vector, weight: vectorWeight },
  ]
  const fused = fuse(lists, rrfK)
  const best = Math.max(...fused.values(), 1e-9)
  for (const [id, score] of fused) fused.set(id, score / best)
  return fused
}
