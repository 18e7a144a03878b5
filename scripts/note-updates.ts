/**
 * Fits the odds that of two notes the newer one replaces or denies the older one (src/memory/conflicts/odds.ts) by a
 * logistic regression on labelled pairs, and prints the shares of marked pairs, cross-validated by source. The pairs of
 * memory-pairs-training.json are in each fit and are not judged. With "write", it writes odds.json from all pairs; with
 * "closed", it judges the weights in use on the pairs that are never fitted.
 *
 *   bun scripts/note-updates.ts [write|closed]
 */

import { join } from "node:path"
import { minimize } from "../packages/lab/fit/minimize.ts"
import { coverage, tokensOf } from "../src/memory/conflicts/compare.ts"
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
  /** True when the notes are of two pairs, which nobody would compare. */
  readonly isUnrelated?: boolean
}

const FOLDS = 6
/** L2 penalty of all weights but the constant. */
const PENALTY = 0.5
/** Share of the open look-alikes that may be above the minimum of the odds, cross-validated. */
const MAX_WRONG = 0.07
/** Number of notes of other pairs that each newer note is compared with: those that share most with it. */
const UNRELATED = 2
/** At ten times this weight they halve the share of unrelated notes that are marked, but a sixth of the updates is lost. */
const WEIGHT_OF_UNRELATED = 0.025
/** At 2, the weight of the open pairs in ten languages, a quarter of the marked updates of "fresh" is lost; at 0.5 a tenth. */
const WEIGHT_OF_TRAINING = 0.5

const [mode] = process.argv.slice(2)
const OPEN = ["notes", "pairs", "held-out", "unseen", "fresh", "languages-open"] as const
const samples = (mode === "closed" ? (["notes-closed", "languages-closed"] as const) : OPEN).flatMap(
  samplesOf,
)
const training = mode === "closed" ? [] : samplesOf("languages-training")
if (mode !== "closed") {
  samples.push(...unrelatedTo(samples))
  training.push(...unrelatedTo(training))
}
if (mode === "closed") report("in use, pairs never fitted", ({ inUse }) => inUse, MIN_ODDS)
else {
  const folds = Array.from({ length: FOLDS }, (_, fold) =>
    fit([...training, ...samples.filter((sample) => foldOf(sample) !== fold)]),
  )
  const judged = (sample: Sample) => dot(folds[foldOf(sample)]!, sample.facts)
  const wrong = samples
    .filter(({ pair, isUnrelated }) => pair.label === "different" && !isUnrelated)
    .map(judged)
    .sort((a, b) => b - a)
  const min = Number(wrong[Math.floor(wrong.length * MAX_WRONG)]!.toFixed(2))
  report(`cross-validated, minimum ${min}`, judged, min)
  const weights = [...fit([...training, ...samples])].map((weight) => Number(weight.toFixed(2)))
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
    .flatMap((pair) => samplesFor(pair, set))
}

function samplesFor(pair: LabelledPair, set: PairSet): Sample[] {
  return [pair.query, pair.newer].map((query): Sample => {
    const facts = pairFacts(readSentence(pair.older), readSentence(pair.newer), tokensOf(query))
    const isConflict = pair.label === "updated" || pair.label === "contradicting"
    return {
      ...{ pair, set, isConflict, weight: weightOf(pair, set) / 2, inUse: oddsOf(facts) },
      facts: Float64Array.from(weightedFacts(facts)),
    }
  })
}

/** Each newer note with the notes of other pairs that share most with it, in the same language and not of one document. */
function unrelatedTo(some: readonly Sample[]): Sample[] {
  const read = some
    .filter((_, i) => i % 2 === 0)
    .map((sample) => ({ sample, older: tokensOf(sample.pair.older), newer: tokensOf(sample.pair.newer) }))
  const groupOf = ({ set, pair }: Sample) => (set.startsWith("languages") ? pair.source : "en")
  return read.flatMap(({ sample, newer }) => {
    const { pair, set } = sample
    if (pair.kind === "lines") return []
    const isApart = (other: Sample) =>
      other.pair.older !== pair.older &&
      groupOf(other) === groupOf(sample) &&
      (set.startsWith("languages") || !pair.source || pair.source !== other.pair.source)
    return read
      .filter((each) => isApart(each.sample))
      .map((each) => ({ each, shared: coverage(newer, each.older) + coverage(each.older, newer) }))
      .sort((a, b) => b.shared - a.shared)
      .slice(0, UNRELATED)
      .flatMap(({ each }) => samplesFor({ ...pair, older: each.sample.pair.older, label: "different" }, set))
      .map((one) => ({ ...one, weight: WEIGHT_OF_UNRELATED, isUnrelated: true }))
  })
}

/** To mark a restatement is a mistake, but a small one if an edit only reworded a line. */
function weightOf({ label, kind }: LabelledPair, set: PairSet): number {
  if (set === "languages-training") return WEIGHT_OF_TRAINING
  if (set.startsWith("languages") || label === "contradicting") return 2
  if (label === "restated") return kind === "edit" ? 0.25 : 1.2
  return kind === "lines" ? 0.8 : 1
}

function foldOf({ pair, set }: Sample): number {
  const source = set.startsWith("languages") ? pair.older : (pair.source ?? `${set} ${pair.older}`)
  return Number(BigInt(Bun.hash(source)) % BigInt(FOLDS))
}

function dot(weights: Float64Array, facts: Float64Array): number {
  let sum = 0
  for (let i = 0; i < facts.length; i++) sum += facts[i]! * weights[i]!
  return sum
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
  const groups = Map.groupBy(
    samples,
    ({ pair, set, isUnrelated }) => `${set} ${isUnrelated ? "unrelated" : pair.label}`,
  )
  console.log(title)
  for (const [name, some] of groups)
    console.log(
      `  ${name}: ${(some.filter((one) => judged(one) >= min).length / some.length).toFixed(3)} of ${some.length}`,
    )
}
