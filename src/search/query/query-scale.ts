import type { KeywordAnswer } from "../../keyword/port.ts"
import type { ParsedQuery } from "./query.ts"

/**
 * Numbers of one query by which scores and IDF sums are divided, so that they become shares from 0 to 1. A mask has a
 * bit for each word of the query.
 */
export type Scale = {
  readonly query: ParsedQuery
  readonly answer: KeywordAnswer
  readonly idfSum: number
  readonly chunkIdfSum: number
  /**
   * How much the words of the query differ from the words that the project uses, 0 to 1; see `strangenessOf`. 0 for the
   * name of a symbol, and if one path consists of words of the query and one doc comment contains all words of the
   * query. Absent counts as 0.
   */
  readonly strangeness?: number
  /** The highest `exactWords` of all candidates; absent if no texts were read. */
  readonly maxExactWords?: number
  /**
   * For each set of the query's words (index: the set's bit mask), its share of the query's total weight. Computed in
   * advance for queries of at most MAX_TABLED_TERMS words, because it is read thousands of times.
   */
  readonly coverages?: Float64Array
}

/** Added to divisors that may be 0. */
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

/** The coverage of every possible mask. Each is computed from that of the mask without its highest bit. */
function allCoverages({ query, answer, idfSum }: Scale): Float64Array {
  const sums = new Float64Array(1 << query.scored)
  for (let mask = 1; mask < sums.length; mask++) {
    const last = 31 - Math.clz32(mask)
    sums[mask] = sums[mask ^ (1 << last)]! + answer.fileIdf[last]!
  }
  return sums.map((sum) => sum / idfSum)
}

/** Share of the query's summed IDF that the terms in a mask have, 0 to 1. */
export function coverage(mask: number, scale: Scale): number {
  const { coverages } = scale
  if (coverages !== undefined) return coverages[mask & (coverages.length - 1)]!
  let sum = 0
  for (let term = 0; term < scale.query.scored; term++) {
    if ((mask >>> term) & 1) sum += scale.answer.fileIdf[term]!
  }
  return sum / scale.idfSum
}
