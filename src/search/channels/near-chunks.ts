import {
  CHUNK_KEY_STRIDE,
  type ChunkKey,
  type ChunkScorer,
  type FileHit,
  lastOfRun,
  type SearchSources,
  type VectorHit,
  type VectorIndex,
} from "../../index/index.ts"
import type { SearchOptions } from "../options.ts"
import type { FileFilter } from "../query/filter.ts"

export type NearChunks = {
  /** Files ordered by the cosine of their best chunk, best first. */
  readonly files: readonly number[]
  /** Cosines of the file's chunks that the vector search or the keyword index found, by ordinal. */
  readonly chunkCosines: (hit: FileHit) => Map<number, number>
  /** The highest cosines of the file's chunks, at most three, highest first. */
  readonly bestCosines: (hit: FileHit) => readonly number[]
  /** Exact cosine of the vector with a given key; 0 if there is no such vector. */
  readonly cosine: ChunkScorer
}

const CANDIDATE_CHUNKS = 120
/** Number of chunks taken for an estimate, which has few files. */
const ESTIMATE_CHUNKS = 24

/** Finds the nearest chunks in one vector space, and gives exact cosines for files that other channels found. */
export function nearChunks(
  vectors: VectorIndex,
  query: Float32Array,
  sources: SearchSources,
  options: SearchOptions,
): NearChunks {
  const accepted = acceptKeys(sources, options)
  const limit = options.isEstimate ? ESTIMATE_CHUNKS : Math.max(CANDIDATE_CHUNKS, options.limit * 5)
  const nearest = vectors.search(query, limit, accepted)
  // Chunks with a cosine of 0 or less are unrelated to the query.
  const hits = nearest.filter(({ score }) => score > 0)
  const near = Map.groupBy(hits, (hit) => fileOf(hit.key))
  const cosine = vectors.scorer(query)
  // One list for all files of the query (about 200), so that no new list is allocated for each file.
  const keys: number[] = []
  function eachChunk(hit: FileHit, visit: (ordinal: number, cosine: number) => void): void {
    const known = near.get(hit.id)
    for (const { key, score } of known ?? []) visit(key % CHUNK_KEY_STRIDE, score)
    const first = hit.id * CHUNK_KEY_STRIDE
    keys.length = 0
    for (const { ordinal } of hit.chunks) keys.push(first + ordinal)
    // In ascending order of keys, so that vectors stored next to each other are read together.
    keys.sort(ascending)
    for (let i = 0; i < keys.length; i++) {
      const key = keys[i]!
      if (known === undefined || !isAmong(known, key)) visit(key - first, cosine(key, lastOfRun(keys, i)))
    }
  }
  return {
    files: fileOrder(near, sources),
    cosine,
    chunkCosines: (hit) => {
      const cosines = new Map<number, number>()
      eachChunk(hit, (ordinal, score) => cosines.set(ordinal, score))
      return cosines
    },
    bestCosines: (hit) => {
      const best: number[] = []
      eachChunk(hit, (_, score) => keepBest(best, score))
      return best
    },
  }
}

function ascending(a: number, b: number): number {
  return a - b
}

function isAmong(hits: readonly VectorHit[], key: ChunkKey): boolean {
  for (const hit of hits) if (hit.key === key) return true
  return false
}

function keepBest(best: number[], score: number): void {
  if (best.length === 3 && score <= best[2]!) return
  if (best.length === 3) best.pop()
  let at = best.push(score) - 1
  for (; at > 0 && best[at - 1]! < score; at--) best[at] = best[at - 1]!
  best[at] = score
}

/** Files by their best cosine. Ties are broken by path, because ids only reflect the order of indexing. */
function fileOrder(near: ReadonlyMap<number, readonly VectorHit[]>, { store }: SearchSources): number[] {
  const paths = new Map<number, string>()
  const pathOf = (id: number) => {
    const path = paths.get(id) ?? store.files.get(id)?.path ?? ""
    paths.set(id, path)
    return path
  }
  return Array.from(near, ([id, hits]) => ({ id, score: hits[0]!.score }))
    .sort((a, b) => b.score - a.score || (pathOf(a.id) < pathOf(b.id) ? -1 : 1))
    .map(({ id }) => id)
}

function fileOf(key: ChunkKey): number {
  return Math.floor(key / CHUNK_KEY_STRIDE)
}

function acceptKeys(
  sources: SearchSources,
  { filter }: SearchOptions,
): ((key: ChunkKey) => boolean) | undefined {
  const { accept, acceptPlace } = filter
  if (accept === undefined && acceptPlace === undefined) return undefined
  const acceptFile = accept === undefined ? () => true : acceptIds(sources, accept)
  return (key) => acceptFile(fileOf(key)) && (acceptPlace?.(fileOf(key), key % CHUNK_KEY_STRIDE) ?? true)
}

/** A filter of files as a function of their ids; it remembers its verdicts. */
export function acceptIds(
  sources: SearchSources,
  accept: NonNullable<FileFilter["accept"]>,
): (id: number) => boolean {
  const verdicts = new Map<number, boolean>()
  return (id) => {
    const known = verdicts.get(id)
    if (known !== undefined) return known
    const verdict = accept({
      id,
      // Most filters need no path, and reading some 200 paths takes a tenth of a search.
      get path() {
        return sources.store.files.get(id)?.path ?? ""
      },
    })
    verdicts.set(id, verdict)
    return verdict
  }
}

/** The nearest chunks and their cosines in the configured space. */
export type ConfiguredChannel = NearChunks

export type ConfiguredChannelAnswer = {
  readonly channel: ConfiguredChannel | null
  /** Why the configured space gave no result although it is complete; null when it did not fail. */
  readonly failure: string | null
}

/** A file's best cosine in the configured space, and its deviation from the other candidates. */
export type ConfiguredSimilarity = {
  readonly cosine: number
  /** Number of standard deviations by which the cosine differs from the candidates' mean, limited to −3 to 3. */
  readonly deviation: number
}

export const NO_CONFIGURED_CHANNEL: ConfiguredChannelAnswer = { channel: null, failure: null }

// Models differ in the cosines of unrelated texts (.1 to .7) and in how far those of related texts are above. So only
// the deviation from the other candidates can be compared. It is divided by the candidates' standard deviation, but at
// least by this value, so that nearly equal candidates do not get large deviations.
const MIN_SPREAD = 0.02
const MAX_DEVIATION = 3

export async function configuredChannel(
  sources: SearchSources,
  text: string,
  options: SearchOptions,
): Promise<ConfiguredChannelAnswer> {
  const { configured } = sources
  if (!configured || configured.vectors.size === 0 || text.trim() === "") return NO_CONFIGURED_CHANNEL
  const query = await configured.embedQuery(text)
  sources.afterWait?.()
  if ("failure" in query) return { channel: null, failure: query.failure }
  return { channel: nearChunks(configured.vectors, query.vector, sources, options), failure: null }
}

/**
 * The cosine and deviation of every candidate, by file id. A file without vectors gets the lowest cosine of the
 * candidates.
 */
export function meaningsOf(
  hits: readonly FileHit[],
  channel: ConfiguredChannel,
): Map<number, ConfiguredSimilarity> {
  const cosines = new Map<number, number>()
  for (const hit of hits) {
    const fileCosines = channel.chunkCosines(hit)
    if (fileCosines.size > 0) cosines.set(hit.id, Math.max(...fileCosines.values()))
  }
  if (cosines.size === 0) return new Map()
  const farthest = Math.min(...cosines.values())
  const all = hits.map(({ id }) => cosines.get(id) ?? farthest)
  const mean = all.reduce((sum, cosine) => sum + cosine, 0) / all.length
  const squares = all.reduce((sum, cosine) => sum + (cosine - mean) ** 2, 0)
  const spread = Math.max(MIN_SPREAD, Math.sqrt(squares / all.length))
  return new Map(
    hits.map(({ id }, i) => {
      const deviation = (all[i]! - mean) / spread
      const bounded = Math.max(-MAX_DEVIATION, Math.min(MAX_DEVIATION, deviation))
      return [id, { cosine: all[i]!, deviation: bounded }]
    }),
  )
}
