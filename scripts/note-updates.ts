/**
 * Fits the odds that of two notes the newer one replaces or denies the older one (src/memory/conflicts/odds.ts) by a
 * logistic regression on labelled pairs, and prints the shares of marked pairs, cross-validated by source. With "write", it
 * writes odds.json from all pairs; with "closed", it judges the weights in use on the pairs that are never fitted.
 *
 *   bun scripts/note-updates.ts [write|closed]
 */

import { join } from "node:path"
import { minimize } from "../packages/lab/fit/minimize.ts"
import { tokensOf } from "../src/memory/conflicts/compare.ts"
import { MIN_ODDS, oddsOf, pairFacts, weightedFacts } from "../src/memory/conflicts/odds.ts"
import { readSentence } from "../src/memory/conflicts/statement.ts"
import { type LabelledPair, type PairSet, readPairs } from "../test/truth-pairs.ts"

/** A pair judged with its question, and with the newer note as the question, as when that note is stored. */
type Sample = {
  readonly pair: LabelledPair
  readonly set: PairSet
  readonly inUse: number
  readonly facts: Float64Array
  readonly isConflict: boolean
  readonly weight: number
}

const FOLDS = 6
/** L2 penalty of all weights but the constant. */
const PENALTY = 3
/** Share of the open pairs without a conflict that may be above the minimum of the odds. */
const MAX_WRONG = 0.075

const [mode] = process.argv.slice(2)
const OPEN = ["notes", "pairs", "held-out", "unseen", "fresh", "languages-open"] as const
const samples = (mode === "closed" ? (["notes-closed", "languages-closed"] as const) : OPEN).flatMap(
  samplesOf,
)
if (mode === "closed") report("in use, pairs never fitted", ({ inUse }) => inUse, MIN_ODDS)
else {
  const folds = Array.from({ length: FOLDS }, (_, fold) =>
    fit(samples.filter((sample) => foldOf(sample) !== fold)),
  )
  const judged = (sample: Sample) => dot(folds[foldOf(sample)]!, sample.facts)
  const wrong = samples
    .filter(({ pair }) => pair.label === "different")
    .map(judged)
    .sort((a, b) => b - a)
  const min = Number(wrong[Math.floor(wrong.length * MAX_WRONG)]!.toFixed(2))
  report(`cross-validated, minimum ${min}`, judged, min)
  const weights = [...fit(samples)].map((weight) => Number(weight.toFixed(2)))
  report("all pairs", ({ facts }) => dot(Float64Array.from(weights), facts), min)
  if (mode === "write")
    await Bun.write(
      join(import.meta.dirname, "../src/memory/conflicts/odds.json"),
      `${JSON.stringify({ min, weights })}\n`,
    )
}

function samplesOf(set: PairSet): Sample[] {
  return readPairs(set)
    .filter(
      ({ label, older, newer }) => label !== "past" && readSentence(older).tokens.length > 0 && newer !== "",
    )
    .flatMap((pair) =>
      [pair.query, pair.newer].map((query): Sample => {
        const facts = pairFacts(readSentence(pair.older), readSentence(pair.newer), tokensOf(query))
        const isConflict = pair.label === "updated" || pair.label === "contradicting"
        return {
          ...{ pair, set, isConflict, weight: weightOf(pair, set) / 2, inUse: oddsOf(facts) },
          facts: Float64Array.from(weightedFacts(facts)),
        }
      }),
    )
}

/** To mark a restatement is a mistake, but a small one if an edit only reworded a line. */
function weightOf({ label, kind }: LabelledPair, set: PairSet): number {
  if (set.startsWith("languages") || label === "contradicting") return 2
  if (label === "restated") return kind === "edit" ? 0.25 : 1.2
  return kind === "lines" ? 0.8 : 1
}

function foldOf({ pair, set }: Sample): number {
  const source = set.startsWith("languages") ? pair.older : (pair.source ?? `${set} ${pair.older}`)
  return Number(BigInt(Bun.hash(source)) % BigInt(FOLDS))
}

function dot(weights: Float64Array, facts: Float64Array): number {
  return facts.reduce((sum, value, i) => sum + value * weights[i]!, 0)
}

function fit(some: readonly Sample[]): Float64Array {
  const size = some[0]!.facts.length
  return minimize((weights) => {
    const gradient = weights.map((weight, i) => (i === 0 ? 0 : PENALTY * weight))
    let value = weights.reduce((sum, weight, i) => sum + (i === 0 ? 0 : (PENALTY * weight ** 2) / 2), 0)
    for (const { facts, isConflict, weight } of some) {
      const odds = dot(weights, facts)
      value += weight * Math.log1p(Math.exp(isConflict ? -odds : odds))
      const miss = weight * (1 / (1 + Math.exp(-odds)) - Number(isConflict))
      for (let i = 0; i < size; i++) gradient[i]! += miss * facts[i]!
    }
    return { value, gradient }
  }, new Float64Array(size))
}

function report(title: string, judged: (sample: Sample) => number, min: number): void {
  const groups = Map.groupBy(samples, ({ pair, set }) => `${set} ${pair.label}`)
  console.log(title)
  for (const [name, some] of groups)
    console.log(
      `  ${name}: ${(some.filter((one) => judged(one) >= min).length / some.length).toFixed(3)} of ${some.length}`,
    )
}
