import type { Found } from "../search/search.ts"
import type { SearchMode } from "./answers.ts"

/** Said where an answer holds nothing but what the built-in vectors take for near; some file is always the nearest. */
export const NEAREST_ONLY =
  "no word of the query occurs in the project; these are the nearest by meaning, which may be far"

/** How answers were found that have no word of the query; null where one has, or meaning alone was asked for. */
export function nearestNotice(
  founds: readonly Pick<Found, "hasMatch" | "files" | "isOtherHeard">[],
  mode: SearchMode,
): string | null {
  const isAny = founds.some(({ files }) => files.length > 0)
  if (mode === "semantic" || !isAny || founds.some(({ hasMatch }) => hasMatch)) return null
  return founds.some(({ isOtherHeard }) => isOtherHeard)
    ? "no word of the query occurs in the project; this is ranked by meaning alone"
    : NEAREST_ONLY
}
