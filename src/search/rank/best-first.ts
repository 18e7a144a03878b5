import type { Scale } from "../query/query-scale.ts"
import { addLateFeature, LATE_FEATURE } from "./feature-rows.ts"
import type { CandidateFile } from "./features.ts"
import { bestThenPath, type RankedFile, sumOf, type WeightTable, weighingOf } from "./rank.ts"

/** A file whose deferred feature (see LATE_FEATURE) is not computed yet. `max` is the upper bound of its sum. */
type DeferredFile = {
  readonly candidate: CandidateFile
  readonly features: Float64Array
  readonly max: number
}

/** Tolerance for rounding: adding the same numbers in another order changes the sum by less than this. */
const ROUNDING = 1e-9

/**
 * Yields the files one by one, best first, in the same order as `rank`. `rows` has the features of the candidates
 * without the deferred one, which takes long to compute and is at most `maxDeferred`. It is computed for a file only
 * when it can decide which file is next; for the first ten files, that is about 40 of 160 candidates.
 */
export function* bestFirst(
  candidates: readonly CandidateFile[],
  rows: readonly Float64Array[],
  scale: Scale,
  table: WeightTable,
  folder: string,
  maxDeferred: number,
): Generator<RankedFile> {
  const weighing = weighingOf(table)
  const gain = Math.max(0, weighing.weights[LATE_FEATURE]! * maxDeferred) + ROUNDING
  const waiting = candidates
    .map((candidate, at): DeferredFile => {
      const features = rows[at]!
      return { candidate, features, max: sumOf(candidate, features, scale, weighing, folder) + gain }
    })
    .sort((a, b) => a.max - b.max)
  const computed: RankedFile[] = []
  for (;;) {
    let best = computed[0]?.sum ?? Number.NEGATIVE_INFINITY
    const before = computed.length
    while (waiting.length > 0 && waiting.at(-1)!.max >= best) {
      const { candidate, features } = waiting.pop()!
      addLateFeature(features, candidate, scale)
      const sum = sumOf(candidate, features, scale, weighing, folder)
      computed.push({ candidate, features, sum })
      best = Math.max(best, sum)
    }
    if (computed.length > before) computed.sort(bestThenPath)
    const next = computed.shift()
    if (next === undefined) return
    yield next
  }
}
