import type { Scale } from "../query/query-scale.ts"
import { type CandidateFile, FEATURES, NAMES_FEATURES, TASK_FEATURES } from "./features.ts"

// Names of the features that get a second weight when the query looks like the name of a symbol.
const GATED: ReadonlySet<string> = new Set([
  "file_bm25",
  "top_chunks_bm25",
  "defines_exact",
  "defines_folded",
  "stem_is_name",
  "mentions",
  "name_f1",
  "stem_times_share",
  "names_file",
  "test",
  "stem_references",
  "log_lines",
  "depth",
])
const GATES = FEATURES.map((feature, index) => ({ feature, index })).filter(({ feature }) =>
  GATED.has(feature.name),
)

/**
 * Index of the deferred feature. Computing it takes longer than all others together, and it matters only when files are
 * nearly equal. It has no second weight.
 */
export const LATE_FEATURE = FEATURES.findIndex(({ name }) => name === "name_references")

/**
 * Features that have a second weight, which is multiplied by the strangeness of the query: how far its words are from
 * the words that the project uses, 0 to 1 (`strangenessOf`).
 */
const STRANGE = FEATURES.map((feature, index) => ({ feature, index })).filter(
  ({ index }) => index !== LATE_FEATURE,
)

export const FEATURE_NAMES: readonly string[] = [
  ...FEATURES.map((feature) => feature.name),
  ...GATES.map(({ feature }) => `symbol_query:${feature.name}`),
  ...TASK_FEATURES.map(({ name }) => name),
  ...STRANGE.map(({ feature }) => `strange:${feature.name}`),
  ...NAMES_FEATURES.map(({ name }) => name),
]

const FIRST_OF_TASKS = FEATURES.length + GATES.length
const FIRST_OF_STRANGE = FIRST_OF_TASKS + TASK_FEATURES.length
const FIRST_OF_NAMES = FIRST_OF_STRANGE + STRANGE.length

/** The unscaled features of a candidate, in the order of FEATURE_NAMES. */
export function featuresOf(candidate: CandidateFile, scale: Scale): Float64Array {
  const row = earlyFeaturesOf(candidate, scale)
  addLateFeature(row, candidate, scale)
  return row
}

export function addLateFeature(row: Float64Array, candidate: CandidateFile, scale: Scale): void {
  row[LATE_FEATURE] = FEATURES[LATE_FEATURE]!.of(candidate, scale)
}

/** Like `featuresOf`, with the deferred feature set to 0. */
export function earlyFeaturesOf(candidate: CandidateFile, scale: Scale): Float64Array {
  const row = new Float64Array(FEATURE_NAMES.length)
  for (let index = 0; index < FEATURES.length; index++) {
    if (index !== LATE_FEATURE) row[index] = FEATURES[index]!.of(candidate, scale)
  }
  if (scale.query.looksLikeSymbol) {
    for (let gate = 0; gate < GATES.length; gate++) row[FEATURES.length + gate] = row[GATES[gate]!.index]!
  }
  if (scale.query.kind === "task") {
    for (let index = 0; index < TASK_FEATURES.length; index++)
      row[FIRST_OF_TASKS + index] = TASK_FEATURES[index]!.of(candidate, scale)
  }
  const { strangeness = 0 } = scale
  STRANGE.forEach(({ index }, at) => {
    row[FIRST_OF_STRANGE + at] = row[index]! * strangeness
  })
  if (scale.query.isGuessed) {
    for (let index = 0; index < NAMES_FEATURES.length; index++)
      row[FIRST_OF_NAMES + index] = NAMES_FEATURES[index]!.of(candidate, scale)
  }
  return row
}
