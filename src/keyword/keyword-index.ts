import { CHUNK_BM25, FILE_BM25 } from "./bm25.ts"
import { countDocuments } from "./count-documents.ts"
import { fileHit } from "./file-hits.ts"
import { firstHolders } from "./first-holders.ts"
import { ListCache } from "./list-cache.ts"
import { mostMentioned } from "./most-mentioned.ts"
import { NameLog } from "./name-marks.ts"
import { accepted, createPopulation, notDead, type Parameters, type Population } from "./population.ts"
import type { FileHit, KeywordAnswer, KeywordQuery } from "./port.ts"
import { EntryBuffer } from "./posting-lists.ts"
import { type ScoredTerm, scoreTerm } from "./score.ts"
import { Scratch } from "./scratch.ts"
import type { SegmentFile } from "./segment.ts"
import { CHUNK_BOUND, openState, type SegmentState, SUMS, TOP_BOUND } from "./segment-state.ts"
import { type Selection, selectFiles } from "./select-files.ts"
import { Shares, symbolHits } from "./symbol-hits.ts"

export type KeywordPart = {
  readonly bytes: Uint8Array | SegmentFile
  readonly dead: ReadonlySet<number>
  /** Its checksum has been compared. */
  readonly isVerified?: boolean
}

/** The read side: some segments, less their dead files, answered as one. */
export type KeywordIndex = {
  readonly files: number
  readonly chunks: number
  /** No term is in more, whatever has gone since. */
  readonly documents: number
  query(query: KeywordQuery): KeywordAnswer
  /** How many files and chunks hold a term. */
  holding(hash: bigint): { files: number; chunks: number }
  /** The ids of all files that hold a term, in their text or their path. */
  holders(hash: bigint): Set<number>
  /** Some files that hold a term, by id: at once, and some of them may be gone. */
  someHolders(hash: bigint, limit: number): number[]
  /** How many chunks and files hold a term, about how many where they are many: at once. */
  estimate(hi: number, lo: number): number
  /** The largest of those estimates, at most `limit`, among many terms: u32 high and low of each, little-endian. */
  mostMentioned(hashes: Uint8Array, limit: number): number[]
}

/**
 * Opens segments for queries. Cheap: what belongs to a segment is kept with its bytes, so that opening again
 * with one delta more costs that delta. Queries must not run inside another query's `accept`.
 */
export function openKeywordIndex(
  parts: readonly KeywordPart[],
  parameters: Parameters = { file: FILE_BM25, chunk: CHUNK_BM25 },
): KeywordIndex {
  const states = parts.map((part) => openState(part.bytes, part.isVerified))
  const live = parts.map((part, i) => notDead(states[i]!, part.dead))
  const everything = createPopulation(states, live, parameters)
  const buffer = new EntryBuffer()
  const cache = new ListCache()
  const scratch = new Scratch()
  const names = new NameLog()

  function populationFor({ accept }: KeywordQuery): Population {
    if (accept === undefined) return everything
    const flags = states.map((state, i) => accepted(state, live[i]!, accept))
    return createPopulation(states, flags, parameters)
  }

  /** What is loaded of postings holds that long. */
  function reading<T>(act: () => T): T {
    for (const { segment } of states) segment.words.postings.begin()
    try {
      return act()
    } finally {
      for (const { segment } of states) segment.words.postings.end()
    }
  }

  function query(asked: KeywordQuery): KeywordAnswer {
    const population = populationFor(asked)
    const terms = asked.terms.slice(0, MOST_TERMS)
    names.clear()
    for (const reused of [buffer, scratch]) reused.begin()
    try {
      const isAll = population === everything
      const counting = { states, population, parameters, buffer, cache: isAll ? cache : null }
      const scored = terms.map((term) => scoreTerm(counting, term))
      const fileIdf = Float64Array.from(scored, (term) => term.fileIdf)
      const chunkIdf = Float64Array.from(scored, (term) => term.chunkIdf)
      const known = { terms: scored, population, chunkK1: parameters.chunk.k1, scratch, names }
      const selection = selectFiles(states, known, asked)
      const { files: selected, looks, figures } = selection
      const shares = new Shares(fileIdf)
      const files = selected.flatMap((places, i) => hitsOf(i, places, asked.acceptChunk, looks[i]!, shares))
      files.sort((a, b) => b.score - a.score || (a.path < b.path ? -1 : 1))
      return { files, fileIdf, chunkIdf, ...figures }
    } finally {
      for (const reused of [buffer, scratch]) reused.end()
      for (const state of states) forgetScores(state)
    }
  }

  function hitsOf(
    place: number,
    places: Uint32Array,
    acceptChunk: KeywordQuery["acceptChunk"],
    looks: Selection["looks"][number],
    shares: Shares,
  ): FileHit[] {
    const state = states[place]!
    const marks = looks.map((look) => look.marks(places))
    const hits: FileHit[] = []
    for (const file of places) {
      const which = looks[0].indexOf(file) >= 0 ? 0 : 1
      const look = looks[which]
      const at = look.indexOf(file)
      const symbols = symbolHits(state.segment, file, marks[which]!, at, shares, acceptChunk)
      hits.push(fileHit(state, look, at, symbols, acceptChunk))
    }
    return hits
  }

  function lookUp<T>(hash: bigint, see: (term: ScoredTerm) => T): T {
    buffer.begin()
    const term = { variants: [{ hash, weight: 1 }] }
    try {
      return reading(() =>
        see(scoreTerm({ states, population: everything, parameters, buffer, cache: null }, term)),
      )
    } finally {
      buffer.end()
      for (const state of states) forgetScores(state)
    }
  }

  function holding(hash: bigint): { files: number; chunks: number } {
    return lookUp(hash, ({ holdingFiles, holdingChunks }) => ({ files: holdingFiles, chunks: holdingChunks }))
  }

  function holders(hash: bigint): Set<number> {
    const ids = new Set<number>()
    lookUp(hash, (term) => {
      for (const { segment, start, end, entries } of term.lists) {
        const { fileId } = states[segment]!.segment
        for (let i = start; i < end; i++) if (entries.frequencies[i]! > 0) ids.add(fileId[entries.files[i]!]!)
      }
    })
    return ids
  }

  function someHolders(hash: bigint, limit: number): number[] {
    const found = reading(() => states.flatMap(({ segment }) => firstHolders(segment, hash, limit)))
    return found.slice(0, limit)
  }

  function estimate(hi: number, lo: number): number {
    return reading(() =>
      states.reduce((sum, { segment }, i) => sum + countDocuments(segment, live[i]!, hi, lo), 0),
    )
  }

  return {
    files: everything.files,
    chunks: everything.chunks,
    documents: states.reduce((sum, { segment }) => sum + segment.documents, 0),
    query: (asked) => reading(() => query(asked)),
    holding,
    holders,
    someHolders,
    estimate,
    mostMentioned: (hashes, limit) => reading(() => mostMentioned(states, live, hashes, limit)),
  }
}

/** Term masks are 32-bit integers. */
const MOST_TERMS = 31

/** Zeroes what the query has touched, or everything where that is quicker. */
function forgetScores(state: SegmentState): void {
  const { touched, touchedCount, sums, segment, seen } = state
  // A failed read leaves some.
  if (seen !== undefined && seen.count > 0) seen.clear()
  state.touchedCount = 0
  if (touchedCount > segment.files / 8) {
    sums.fill(0)
    return
  }
  for (let i = 0; i < touchedCount; i++) {
    const at = touched[i]! * SUMS
    sums[at] = sums[at + CHUNK_BOUND] = sums[at + TOP_BOUND] = 0
  }
}
