import { type FoundIn, mergeRanked, scaleIn, shareScale, sumsOn } from "../src/search/rank/merge-found.ts"
import type { FoundFile } from "../src/search/rank-candidates.ts"

type MergedFile = {
  /** Position of the file's index in the list of indexes. */
  readonly source: number
  readonly file: FoundFile
  /** How likely this file is, relative to the best file of all indexes; 0 to 1. */
  readonly score: number
}

/** The files of several indexes in one order, as a search of several repositories has them. */
export function mergeFound(results: readonly FoundIn[]): MergedFile[] {
  const shared = shareScale(results.map((each) => scaleIn(each)))
  const files = results.flatMap((each, source) => {
    const sums = sumsOn(shared.scale, each.found, shared.isAlike[source]!)
    return each.found.files.map((file, at) => ({ source, path: file.path, file, ...sums[at]! }))
  })
  const merged = mergeRanked(files)
  const best = merged[0]?.sum ?? 0
  return merged.map(({ source, file, sum }) => ({ source, file, score: Math.exp(sum - best) }))
}
