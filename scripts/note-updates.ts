/**
 * Fits the odds that of two notes the newer one supersedes or contradicts the older one
 * (src/memory/conflicts/estimate.ts). Prints shares of marked pairs, first cross-validated by source, then the
 * coefficients of all pairs. With "closed", it judges the coefficients in use on the pairs that are never fitted.
 *
 *   bun scripts/note-updates.ts [closed]
 */

import { minimize } from "../packages/lab/fit/minimize.ts"
import { conflictFeatureNames, conflictFeatures, MIN_ODDS } from "../src/memory/conflicts/estimate.ts"
import { contradicts, settle } from "../src/memory/conflicts/settle.ts"
import { readQuestionContext, readStatement } from "../src/memory/conflicts/statement.ts"
import { RecallIndex } from "../src/memory/recall/index/recall-index.ts"
import { PLAIN_DOCUMENT } from "../test/recall-document.ts"
import { type LabelledPair, noteOf, type PairSet, readPairs } from "../test/truth-pairs.ts"

/** A pair with its label. Kind "unrelated": the older note is of another pair, and is a best hit for the newer note. */
type Judged = Omit<LabelledPair, "kind"> & { readonly kind?: LabelledPair["kind"] | "unrelated" }

/**
 * A pair, judged for one question. In mode "recall" this is the question of the pair; in mode "remember" it is the text
 * of the newer note, as when that note is stored.
 */
type Sample = {
  readonly pair: Judged
  readonly set: PairSet
  readonly mode: "recall" | "remember"
  /** The pair is marked by the program as it is. */
  readonly isMarked: boolean
  readonly features: Float64Array
}

const NAMES = conflictFeatureNames()
const MODES = ["recall", "remember"] as const
const FOLDS = 6
/** Number of unrelated notes that each newer note is compared with. */
const NEAREST = 2
/** Share of the pairs without a conflict that may be above the minimum of the odds. */
const MAX_WRONG = 0.065

const isClosed = process.argv[2] === "closed"
const samples = await read(isClosed ? ["notes-closed"] : ["notes", "pairs", "held-out", "unseen", "fresh"])
if (isClosed) report("in use, pairs never fitted", ({ isMarked }) => isMarked)
else {
  report("in use", ({ isMarked }) => isMarked)
  const fitted = Array.from({ length: FOLDS }, (_, fold) =>
    fit(samples.filter((sample) => foldOf(sample) !== fold)),
  )
  const oddsIn = (sample: Sample) => oddsOf(fitted[foldOf(sample)]!, sample.features)
  const min = minOdds(oddsIn)
  report("cross-validated", (sample) => oddsIn(sample) >= min)
  console.log(`  minimum of the odds: ${min.toFixed(2)}, in use: ${MIN_ODDS}`)
  const all = fit(samples)
  for (const [i, name] of NAMES.entries()) console.log(`  ${name}: ${all[i]!.toFixed(2)},`)
}

async function read(sets: readonly PairSet[]): Promise<Sample[]> {
  type Judging = { readonly set: PairSet; readonly pair: Judged }
  const pairs = sets.flatMap((set) => readPairs(set).map((pair): Judging => ({ set, pair })))
  const index = new RecallIndex()
  await index.upsert(
    pairs.flatMap(({ pair }, i) =>
      [pair.older, pair.newer].map((text, at) => ({ ...PLAIN_DOCUMENT, id: `${i}/${at}`, text })),
    ),
  )
  const unrelated: Judging[] = []
  for (const [i, { set, pair }] of pairs.entries()) {
    if (!set.startsWith("notes")) continue
    const { hits } = await index.search(pair.newer, {
      limit: NEAREST,
      accept: ({ id }) => id.endsWith("/0") && id !== `${i}/0`,
    })
    for (const { document } of hits) {
      const other = { ...pair, label: "different", older: document.text, kind: "unrelated" } as const
      unrelated.push({ set, pair: other })
    }
  }
  return [...pairs, ...unrelated]
    .filter(({ pair }) => pair.label !== "past")
    .flatMap(({ set, pair }) => MODES.map((mode) => sampleOf(index, set, pair, mode)))
}

function sampleOf(index: RecallIndex, set: PairSet, pair: Judged, mode: Sample["mode"]): Sample {
  const rarity = (word: string) => index.rarity(word)
  const query = mode === "recall" ? pair.query : pair.newer
  const authors = [pair.olderAuthor ?? null, pair.newerAuthor ?? null] as const
  const old = { entry: noteOf("older", pair.older, "2024-01-10T12:00:00Z", { author: authors[0] }), score: 1 }
  const fresh = {
    entry: noteOf("newer", pair.newer, "2024-06-10T12:00:00Z", { author: authors[1] }),
    score: 0.9,
  }
  const asking = readQuestionContext(query, rarity)
  const [older, newer] = [readStatement(old, 0, asking), readStatement(fresh, 1, asking)]
  const settled = settle(query, [old, fresh], { at: "2025-01-01T00:00:00Z", rarity })
  const { mark } = settled.find(({ hit }) => hit === old)!
  const features = conflictFeatures(older, newer, asking, contradicts(older, newer, asking))
  return {
    ...{ pair, set, mode },
    isMarked: mark.outdatedBy !== null || mark.contradicts.length > 0,
    features: Float64Array.from(NAMES, (name) => features[name] ?? 0),
  }
}

function foldOf({ pair, set }: Sample): number {
  return Number(BigInt(Bun.hash(pair.source ?? `${set} ${pair.older}`)) % BigInt(FOLDS))
}

function isConflict({ pair: { label } }: Sample): boolean {
  return label === "updated" || label === "contradicting"
}

/**
 * Weight of a sample in the fit. To mark the older note of a restatement is a mistake, but a small one if an edit only
 * reworded a line.
 */
function weightOf({ pair: { label, kind } }: Sample): number {
  if (kind === "unrelated") return 0.5
  if (label !== "restated") return kind === "lines" ? 0.8 : 1
  return kind === "edit" ? 0.25 : 1.2
}

function oddsOf(weights: Float64Array, features: Float64Array): number {
  return features.reduce((sum, value, i) => sum + value * weights[i]!, 0)
}

/** The odds that the share `MAX_WRONG` of the pairs without a conflict is above. */
function minOdds(oddsIn: (sample: Sample) => number): number {
  const odds = samples.filter(isWrongIfMarked).map(oddsIn)
  return odds.sort((a, b) => b - a)[Math.floor(odds.length * MAX_WRONG)]!
}

function isWrongIfMarked(sample: Sample): boolean {
  return !isConflict(sample) && sample.pair.kind !== "edit" && sample.pair.kind !== "unrelated"
}

/** Logistic regression with an L2 penalty on all but the base. */
function fit(some: readonly Sample[]): Float64Array {
  return minimize((weights) => {
    const gradient = weights.map((weight, i) => (NAMES[i] === "base" ? 0 : weight))
    let value = gradient.reduce((sum, weight) => sum + weight ** 2 / 2, 0)
    for (const sample of some) {
      const odds = oddsOf(weights, sample.features)
      const weight = weightOf(sample)
      const is = isConflict(sample)
      value += weight * Math.log1p(Math.exp(is ? -odds : odds))
      const miss = weight * (1 / (1 + Math.exp(-odds)) - Number(is))
      for (const [i, x] of sample.features.entries()) gradient[i]! += miss * x
    }
    return { value, gradient }
  }, new Float64Array(NAMES.length))
}

function report(title: string, isMarkedBy: (sample: Sample) => boolean): void {
  console.log(title)
  for (const mode of MODES) {
    const groups = Map.groupBy(
      samples.filter((sample) => sample.mode === mode),
      ({ pair, set }) => `${pair.kind ?? set} ${pair.label}`,
    )
    const shareOf = (some: readonly Sample[]) => (some.filter(isMarkedBy).length / some.length).toFixed(2)
    const line = [...groups].sort().map(([name, some]) => `${name} ${shareOf(some)} of ${some.length}`)
    const asked = samples.filter((sample) => sample.mode === mode)
    const wrong = asked.filter(isWrongIfMarked)
    console.log(`  ${mode}: conflicts ${shareOf(asked.filter(isConflict))}, others ${shareOf(wrong)}`)
    console.log(`    ${line.join(", ")}`)
  }
}
