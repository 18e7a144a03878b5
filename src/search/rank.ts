import type { CodeModel } from "../embed/static.ts"
import { FEATURE_NAMES, featuresOf } from "./feature-rows.ts"
import type { Candidate } from "./features.ts"
import type { Scale } from "./query-scale.ts"
import weightTables from "./weights.json" with { type: "json" }

/** A table per built-in space, and one for words alone: there the other features have to carry its share. */
export type WeightTable = CodeModel | "keyword"

export type RankedFile = {
  readonly candidate: Candidate
  readonly features: Float64Array
  /** Σ feature × weight; differences mean something within one answer only. */
  readonly sum: number
}

// A file in the folder the user stands in: worth about what an exact definition is, so it decides near ties
// and moderate gaps but never lifts a file that does not answer.
export const FOLDER_BONUS = 1

/**
 * For all of the query, where a file says it word for word: more than an exact definition. Chosen, not fitted: the
 * labelled questions are none's messages. docs/decisions/0001-ranking.md.
 */
export const VERBATIM_BONUS = 8

/**
 * What the space beside the built-in one adds to a file's sum: a standard deviation of its cosine is worth the weight
 * that vectors have in this kind of query (.75 in a question). Chosen with simulated models, not fitted to a real
 * one: docs/decisions/0006-embedders.md.
 */
export function meaningShare(candidate: Candidate, { query }: Scale): { value: number; weight: number } {
  return { value: candidate.meaning?.deviation ?? 0, weight: query.classification.vectorWeight }
}

/** Linear model over the features (listwise softmax fit, see scripts/fit.ts); ties by path. */
export function rank(
  candidates: readonly Candidate[],
  scale: Scale,
  table: WeightTable,
  folder: string,
): RankedFile[] {
  const weights = weightsOf(table)
  const ranked = candidates.map((candidate) => {
    const features = featuresOf(candidate, scale)
    return { candidate, features, sum: sumOf(candidate, features, scale, weights, folder) }
  })
  return ranked.sort(bestThenPath)
}

export function sumOf(
  candidate: Candidate,
  features: Float64Array,
  scale: Scale,
  weights: Float64Array,
  folder: string,
): number {
  const meaning = meaningShare(candidate, scale)
  let sum = meaning.value * meaning.weight
  if (inFolder(candidate.hit.path, folder)) sum += FOLDER_BONUS
  sum += VERBATIM_BONUS * (candidate.verbatim ?? 0)
  for (let index = 0; index < weights.length; index++) sum += weights[index]! * features[index]!
  return sum
}

export function bestThenPath(a: RankedFile, b: RankedFile): number {
  return b.sum - a.sum || comparePaths(a.candidate.hit.path, b.candidate.hit.path)
}

/** The weights of a table in the order of FEATURE_NAMES; a feature the table lacks weighs nothing. */
export function weightsOf(table: WeightTable): Float64Array {
  const named: Readonly<Record<string, number>> = weightTables[table]
  return Float64Array.from(FEATURE_NAMES, (name) => named[name] ?? 0)
}

export function inFolder(path: string, folder: string): boolean {
  return folder !== "" && (path === folder || path.startsWith(`${folder}/`))
}

export function comparePaths(a: string, b: string): number {
  return a < b ? -1 : a > b ? 1 : 0
}
