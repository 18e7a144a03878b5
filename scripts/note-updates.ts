/**
 * Fits the odds that of two notes the newer one replaces or denies the older one (src/memory/conflicts/odds.ts) by a
 * logistic regression on labelled pairs, and prints the shares of marked pairs, cross-validated by source and language: a
 * pair is judged by weights that were fitted on other languages. The pairs of memory-pairs-training.json are not judged. With
 * "write", it writes odds.json from all pairs; with "closed", it judges the weights in use on pairs that are never fitted.
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

const FOLDS = 5
/** Languages of one fold, as Spanish and Portuguese, are as far apart as there are folds. */
const LANGUAGES = ["en", "de", "es", "ru", "ja", "fr", "it", "pt", "ko", "zh"]
/** L2 penalty of all weights but the constant. */
const PENALTY = 4
/** Share of the open look-alikes in ten languages that may be above the minimum of the odds, cross-validated. */
const MAX_WRONG = 0.06
/** Number of notes of other pairs that each newer note is compared with: those that share most with it. */
const UNRELATED = 2
/** At a quarter of this weight three times as many unrelated notes are marked, and a tenth more updates. */
const WEIGHT_OF_UNRELATED = 0.1

/**
 * Number of training pairs that are fitted, the first ones. With the 1,350 after them, updates of the open pairs stay at .545
 * (look-alikes .065 -> .07), but those of "fresh" fall from .352 to .266 and look-alikes of "notes" rise from .051 to .076.
 */
const FITTED = 557

const [mode] = process.argv.slice(2)
const OPEN = ["notes", "pairs", "held-out", "unseen", "fresh", "languages-open"] as const
const CLOSED = ["notes-closed", "languages-closed", "languages-unseen"] as const
const samples = (mode === "closed" ? CLOSED : OPEN).flatMap(samplesOf)
const training = mode === "closed" ? [] : samplesOf("languages-training").slice(0, 2 * FITTED)
if (mode !== "closed") {
  samples.push(...unrelatedTo(samples))
  training.push(...unrelatedTo(training))
}
if (mode === "closed") report("in use, pairs never fitted", ({ inUse }) => inUse, MIN_ODDS)
else {
  const folds = Array.from({ length: FOLDS }, (_, fold) =>
    fit([...training, ...samples].filter((sample) => foldOf(sample) !== fold)),
  )
  const judged = (sample: Sample) => dot(folds[foldOf(sample)]!, sample.facts)
  const wrong = samples
    .filter(({ set, isConflict, isUnrelated }) => isOfLanguages(set) && !isConflict && !isUnrelated)
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
  const groupOf = ({ set, pair }: Sample) => (isOfLanguages(set) ? pair.source : "en")
  return read.flatMap(({ sample, newer }) => {
    const { pair, set } = sample
    if (pair.kind === "lines") return []
    const isApart = (other: Sample) =>
      other.pair.older !== pair.older &&
      groupOf(other) === groupOf(sample) &&
      (isOfLanguages(set) || !pair.source || pair.source !== other.pair.source)
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
  if (label === "restated") return kind === "edit" ? 0.25 : 2
  if (label === "contradicting" || set === "languages-open") return 2
  return kind === "lines" ? 0.8 : 1
}

function foldOf({ pair, set }: Sample): number {
  if (isOfLanguages(set)) return LANGUAGES.indexOf(pair.source!) % FOLDS
  return Number(BigInt(Bun.hash(pair.source ?? `${set} ${pair.older}`)) % BigInt(FOLDS))
}

function isOfLanguages(set: PairSet): boolean {
  return set.startsWith("languages")
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
