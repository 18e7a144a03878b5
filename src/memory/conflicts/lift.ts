import type { Statement } from "./statement.ts"

/**
 * Two statements among the hits, and the evidence that the newer one supersedes the older: the sum of `weighUpdate`.
 */
export type SupportedUpdate = {
  readonly older: Statement
  readonly newer: Statement
  readonly weight: number
}

/**
 * True when moving the newer statement from its place j to just above the older one, at place i, makes the answer
 * better on average. If the newer one is the right answer, it gains 1/i − 1/j of reciprocal rank; if the older one is,
 * it loses 1/i − 1/(i + 1).
 */
export function isWorthLifting({ older, newer, weight }: SupportedUpdate): boolean {
  const [to, from] = [older.rank + 1, newer.rank + 1]
  if (from <= to) return true
  const chance = chanceOfNewer(weight, newer.score / Math.max(older.score, Number.MIN_VALUE))
  return COST_OF_OUTDATED * chance * (1 / to - 1 / from) > (1 - chance) * (1 / to - 1 / (to + 1))
}

/**
 * Cost of showing an outdated fact first, relative to the cost of showing a valid fact second. The first misleads the
 * reader; the second makes the reader read one line more.
 */
const COST_OF_OUTDATED = 2

/**
 * Chance that the newer statement is the right one of the two. `scoreRatio`: the newer's score as a share of the older's.
 * A logistic regression on generated conversations (packages/lab/updates.ts).
 */
export function chanceOfNewer(evidence: number, scoreRatio: number): number {
  const sum = updateFeatures(evidence, scoreRatio).reduce(
    (sum, value, i) => sum + value * COEFFICIENTS[i]!,
    0,
  )
  return 1 / (1 + Math.exp(-sum))
}

/** The inputs of the chance, in the order of the coefficients. */
export function updateFeatures(evidence: number, scoreRatio: number): readonly number[] {
  return [1, Math.min(evidence, MAX_EVIDENCE), Math.log(Math.max(scoreRatio, MIN_RATIO))]
}

/** Coefficients: constant, evidence, logarithm of the ratio of scores. */
const COEFFICIENTS = [-5.61, 0.99, 3.03]

const MAX_EVIDENCE = 10
const MIN_RATIO = 0.01
