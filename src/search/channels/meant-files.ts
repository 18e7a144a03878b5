import type { NearMeanings, SearchSources } from "../../index/index.ts"
import type { SearchOptions } from "../options.ts"
import { acceptIds } from "./near-chunks.ts"

/** Files that are candidates by their meaning, and those of which a definition is named. */
const LIMITS = { files: 60, names: 10 } as const

/** The files of the project that are nearest to a question; null without the encoder's vectors. */
export async function nearMeanings(
  sources: SearchSources,
  text: string,
  { filter }: SearchOptions,
): Promise<NearMeanings | null> {
  const meanings = sources.meanings()
  if (meanings === null) return null
  const accept = filter.accept === undefined ? undefined : acceptIds(sources, filter.accept)
  const near = await meanings.near(text, LIMITS, accept)
  sources.afterWait?.()
  return near
}
