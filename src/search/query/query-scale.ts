import type { KeywordAnswer } from "../../keyword/port.ts"
import type { ParsedQuery } from "./query.ts"

/** Divisors, computed once per query, that turn masks and scores into shares. */
export type Scale = {
  readonly query: ParsedQuery
  readonly answer: KeywordAnswer
  readonly idfSum: number
  readonly chunkIdfSum: number
  /**
   * How much the query's words differ from the project's own words, 0 to 1; see `strangenessOf`. 0 if one
   * path consists of words of the query and one comment contains all its words, and for the name of a symbol.
   * Absent counts as 0.
   */
  readonly strangeness?: number
  /**
   * Share of the query's total weight that a set of its words has, by the bit mask of the set. Computed in advance for
   * queries of at most MAX_TABLED_TERMS words, because it is read thousands of times.
   */
  readonly coverages?: Float64Array
}

/** Added to divisors that can be 0. */
export const EPSILON = 1e-6

export function scaleOf(query: ParsedQuery, answer: KeywordAnswer): Scale {
  let idfSum = EPSILON
  let chunkIdfSum = EPSILON
  for (let term = 0; term < query.scored; term++) {
    idfSum += answer.fileIdf[term]!
    chunkIdfSum += answer.chunkIdf[term]!
  }
  const scale = { query, answer, idfSum, chunkIdfSum }
  return query.scored > MAX_TABLED_TERMS ? scale : { ...scale, coverages: allCoverages(scale) }
}

const MAX_TABLED_TERMS = 10

/** Coverage of every mask, each computed from the mask without its highest bit. */
function allCoverages({ query, answer, idfSum }: Scale): Float64Array {
  const sums = new Float64Array(1 << query.scored)
  for (let mask = 1; mask < sums.length; mask++) {
    const last = 31 - Math.clz32(mask)
    sums[mask] = sums[mask ^ (1 << last)]! + answer.fileIdf[last]!
  }
  return sums.map((sum) => sum / idfSum)
}

/** Share of the query's summed IDF that the terms of a mask have, 0 to 1. */
export function coverage(mask: number, scale: Scale): number {
  const { coverages } = scale
  if (coverages !== undefined) return coverages[mask & (coverages.length - 1)]!
  let sum = 0
  for (let term = 0; term < scale.query.scored; term++) {
    if ((mask >>> term) & 1) sum += scale.answer.fileIdf[term]!
  }
  return sum / scale.idfSum
}
