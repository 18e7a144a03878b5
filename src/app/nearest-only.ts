import type { Found } from "../search/search.ts"
import type { SearchMode } from "./answers.ts"

/** What says how answers were found that have no word of the query. */
export type Nearest = {
  readonly notices: readonly string[]
  /** True where there is nothing but what the built-in vectors take for near; some file is always the nearest. */
  readonly nearest_only?: true
}

/** Nothing to say where a word of the query occurs, or meaning alone was asked for. */
export function nearestIn(
  founds: readonly Pick<Found, "hasMatch" | "files" | "isOtherHeard">[],
  mode: SearchMode,
): Nearest {
  const isAny = founds.some(({ files }) => files.length > 0)
  if (mode === "semantic" || !isAny || founds.some(({ hasMatch }) => hasMatch)) return { notices: [] }
  if (founds.some(({ isOtherHeard }) => isOtherHeard))
    return { notices: ["no word of the query occurs in the project; this is ranked by meaning alone"] }
  const notice =
    "no word of the query occurs in the project; these are the nearest by meaning, which may be far"
  return { notices: [notice], nearest_only: true }
}
