import { addLateFeature, earlyFeaturesOf, LATE_FEATURE } from "./feature-rows.ts"
import type { Candidate } from "./features.ts"
import type { Scale } from "./query-scale.ts"
import { bestThenPath, type RankedFile, sumOf, type WeightTable, weightsOf } from "./rank.ts"

/** A file whose late feature is not known: its sum is at most so much. */
type Waiting = { readonly candidate: Candidate; readonly features: Float64Array; readonly most: number }

/** The same shares added up in another order differ by less. */
const ROUNDING = 1e-9

/**
 * The order of `rank`, file by file. The late feature, `mostLate` at most, is counted only where it may decide who
 * comes next: until ten files are shown, of some forty out of a hundred and sixty.
 */
export function* bestFirst(
  candidates: readonly Candidate[],
  scale: Scale,
  table: WeightTable,
  folder: string,
  mostLate: number,
): Generator<RankedFile> {
  const weights = weightsOf(table)
  const gain = Math.max(0, weights[LATE_FEATURE]! * mostLate) + ROUNDING
  const waiting = candidates
    .map((candidate): Waiting => {
      const features = earlyFeaturesOf(candidate, scale)
      return { candidate, features, most: sumOf(candidate, features, scale, weights, folder) + gain }
    })
    .sort((a, b) => a.most - b.most)
  const known: RankedFile[] = []
  for (;;) {
    let best = known[0]?.sum ?? Number.NEGATIVE_INFINITY
    const before = known.length
    while (waiting.length > 0 && waiting.at(-1)!.most >= best) {
      const { candidate, features } = waiting.pop()!
      addLateFeature(features, candidate, scale)
      const sum = sumOf(candidate, features, scale, weights, folder)
      known.push({ candidate, features, sum })
      best = Math.max(best, sum)
    }
    if (known.length > before) known.sort(bestThenPath)
    const next = known.shift()
    if (next === undefined) return
    yield next
  }
}
