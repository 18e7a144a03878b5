import { type CodeModel, codeModelOf } from "../embed/static.ts"
import type { FileHit } from "../keyword/port.ts"
import { CHUNK_KEY_STRIDE } from "../vector/port.ts"
import { FILE_VIEW, NAMES_VIEW, PATH_VIEW } from "../vector/views.ts"
import type { FileCosines } from "./features.ts"
import { type NearChunks, nearChunks } from "./near-chunks.ts"
import type { SearchOptions, SearchSources } from "./sources.ts"

export type VectorChannel = NearChunks & {
  readonly model: CodeModel
  readonly cosines: (hit: FileHit) => FileCosines
}

/** What the built-in space says of a query: the ranker's features were fitted to its cosines. */
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
      const view = (ordinal: number) => near.cosine(first + ordinal, first + FILE_VIEW)
      // As they lie: neighbours are read together.
      const path = view(PATH_VIEW)
      const names = view(NAMES_VIEW)
      const file = view(FILE_VIEW)
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
