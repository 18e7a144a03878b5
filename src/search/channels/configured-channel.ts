import type { FileHit } from "../../keyword/port.ts"
import type { SearchOptions } from "../options.ts"
import type { SearchSources } from "../sources.ts"
import { type NearChunks, nearChunks } from "./near-chunks.ts"

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
