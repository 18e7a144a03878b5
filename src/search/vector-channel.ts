import type { FileHit } from "../keyword/port.ts"
import { CHUNK_KEY_STRIDE, type ChunkKey } from "../vector/port.ts"
import { FILE_VIEW, NAMES_VIEW, PATH_VIEW } from "../vector/views.ts"
import type { FileCosines } from "./features.ts"
import type { FileFilter } from "./filter.ts"
import type { SearchOptions, SearchSources } from "./sources.ts"

export type VectorChannel = {
  /** Files by their best chunk's cosine, best first. */
  readonly files: readonly number[]
  readonly cosines: (hit: FileHit) => FileCosines
  /** Cosines of the file's chunks that are worth showing, by ordinal. */
  readonly chunkCosines: (hit: FileHit) => Map<number, number>
}

const CANDIDATE_CHUNKS = 120

/** Nearest chunks of the query, and exact cosines of whatever the other channels found. */
export async function vectorChannel(
  sources: SearchSources,
  text: string,
  options: SearchOptions,
): Promise<VectorChannel | null> {
  const { vectors, embedder } = sources
  if (vectors === null || vectors.size === 0) return null
  const query = options.likeness?.vector ?? (await embedder.embedQuery(text))
  if (query.every((value) => value === 0)) return null
  const accepted = acceptKeys(sources, options)
  const hits = vectors.search(query, Math.max(CANDIDATE_CHUNKS, options.limit * 5), accepted)
  const near = Map.groupBy(hits, (hit) => fileOf(hit.key))
  const cosine = vectors.scorer(query)
  const chunkCosines = (hit: FileHit) => {
    const known = new Map((near.get(hit.id) ?? []).map(({ key, score }) => [key % CHUNK_KEY_STRIDE, score]))
    for (const { ordinal } of hit.chunks) {
      if (!known.has(ordinal)) known.set(ordinal, cosine(hit.id * CHUNK_KEY_STRIDE + ordinal))
    }
    return known
  }
  return {
    files: [...near.keys()],
    chunkCosines,
    cosines: (hit) => {
      const best = Array.from(chunkCosines(hit).values()).sort((a, b) => b - a)
      const view = (ordinal: number) => cosine(hit.id * CHUNK_KEY_STRIDE + ordinal)
      return {
        best: best[0] ?? 0,
        topThree: ((best[0] ?? 0) + 0.6 * (best[1] ?? 0) + 0.4 * (best[2] ?? 0)) / 2,
        file: view(FILE_VIEW),
        names: view(NAMES_VIEW),
        path: view(PATH_VIEW),
      }
    },
  }
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

function acceptIds(
  sources: SearchSources,
  accept: NonNullable<FileFilter["accept"]>,
): (id: number) => boolean {
  const verdicts = new Map<number, boolean>()
  return (id) => {
    const known = verdicts.get(id)
    if (known !== undefined) return known
    const path = sources.store.files.get(id)?.path
    const verdict = path !== undefined && accept({ id, path })
    verdicts.set(id, verdict)
    return verdict
  }
}
