import type { SearchMode } from "../../base/index.ts"
import type { RankedFiles } from "../rank-candidates.ts"

/** Says how results were found when no word of the query occurs in the searched files. */
type NearestNotice = {
  readonly notices: readonly string[]
  /** True when the results are only the nearest ones by the built-in vectors, which always find some file. */
  readonly nearest_only?: true
}

/** The notice for these results; without content if a word of the query occurs, or for a semantic search. */
export function nearestIn(
  rankings: readonly (Pick<RankedFiles, "hasMatch" | "hasConfiguredChannel"> & {
    readonly files: { readonly length: number }
  })[],
  mode: SearchMode,
): NearestNotice {
  const isAny = rankings.some(({ files }) => files.length > 0)
  if (mode === "semantic" || !isAny || rankings.some(({ hasMatch }) => hasMatch)) return { notices: [] }
  if (rankings.some(({ hasConfiguredChannel }) => hasConfiguredChannel))
    return {
      notices: ["no word of the query occurs in the searched files; results are ranked by meaning only"],
    }
  return { notices: [NEAREST_NOTICE], nearest_only: true }
}

export const NEAREST_NOTICE =
  "no word of the query occurs in the searched files; these are the nearest by meaning and may be unrelated"
