import { compareTexts } from "../../base/compare-texts.ts"
import type { CodeModel } from "../../embed/builtin/static.ts"
import type { Scale } from "../query/query-scale.ts"
import { FEATURE_NAMES, featuresOf } from "./feature-rows.ts"
import type { CandidateFile } from "./features.ts"
import weightTables from "./weights.json" with { type: "json" }

/**
 * One weight table per built-in space, and one without vectors, where other features carry their share; each for
 * questions and names, for tasks, and for tasks that may be questions.
 */
export type WeightTable = BaseTable | `${BaseTable}:task` | `${BaseTable}:unsure`
export type BaseTable = CodeModel | "keyword"

export type RankedFile = {
  readonly candidate: CandidateFile
  readonly features: Float64Array
  /** Σ feature × weight plus bonuses; comparable within one answer only. */
  readonly sum: number
}

// Added to files in the user's current folder: about the weight of an exact definition, so it decides near
// ties and moderate gaps but never lifts an irrelevant file.
export const FOLDER_BONUS = 1

/**
 * Added when a file contains the whole query word for word: more than an exact definition. Chosen, not
 * fitted, because none of the labelled questions is a message quoted from a program; the weights of tasks are about
 * twice as large. docs/decisions/0001-ranking.md.
 */
export function verbatimBonus(table: WeightTable): number {
  return 8 + 8 * taskShare(table)
}

/** Share of the weights of tasks in those of a table; the rest are weights of questions. */
function taskShare(table: WeightTable): number {
  if (table.endsWith(":task")) return 1
  return table.endsWith(":unsure") ? UNSURE_SHARE : 0
}

/**
 * Share of the weights of tasks for a task of one plain line, which may also be a question. Results of tasks are equal
 * for shares from .3 to .7; results of questions are better the smaller the share: decision 35.
 */
const UNSURE_SHARE = 0.3

/**
 * The configured space's share of a file's sum: one standard deviation of its cosine adds the weight that
 * vectors have for this kind of query (.75 for a question). Chosen with simulated models, not fitted to a
 * real one: docs/decisions/0006-embedders.md.
 */
export function meaningShare(
  candidate: CandidateFile,
  { query, strangeness = 0 }: Scale,
): { value: number; weight: number } {
  // For a query of high strangeness (unusual words) the weights of all other features are about twice as large, so the
  // weight of this share grows as well.
  const weight = query.classification.vectorWeight * (1 + strangeness)
  return { value: candidate.meaning?.deviation ?? 0, weight }
}

/** Linear model over the features (listwise softmax fit, see scripts/fit.ts); ties by path. */
export function rank(
  candidates: readonly CandidateFile[],
  scale: Scale,
  table: WeightTable,
  folder: string,
): RankedFile[] {
  const weighing = weighingOf(table)
  const ranked = candidates.map((candidate) => {
    const features = featuresOf(candidate, scale)
    return { candidate, features, sum: sumOf(candidate, features, scale, weighing, folder) }
  })
  return ranked.sort(bestThenPath)
}

/** The weights of a table, and the bonus for a file that contains the query word for word. */
export type Weighing = { readonly weights: Float64Array; readonly verbatim: number }

export function weighingOf(table: WeightTable): Weighing {
  return { weights: weightsOf(table), verbatim: verbatimBonus(table) }
}

export function sumOf(
  candidate: CandidateFile,
  features: Float64Array,
  scale: Scale,
  { weights, verbatim }: Weighing,
  folder: string,
): number {
  const meaning = meaningShare(candidate, scale)
  let sum = meaning.value * meaning.weight
  if (inFolder(candidate.hit.path, folder)) sum += FOLDER_BONUS
  sum += verbatim * (candidate.verbatim ?? 0)
  for (let index = 0; index < weights.length; index++) sum += weights[index]! * features[index]!
  return sum
}

export function bestThenPath(a: RankedFile, b: RankedFile): number {
  return b.sum - a.sum || compareTexts(a.candidate.hit.path, b.candidate.hit.path)
}

/** The weights of a table in the order of FEATURE_NAMES; 0 for a feature that the table lacks. */
export function weightsOf(table: WeightTable): Float64Array {
  const [base] = table.split(":") as [BaseTable]
  const share = taskShare(table)
  const questions: Readonly<Record<string, number>> = weightTables[base]
  const tasks: Readonly<Record<string, number>> = weightTables[`${base}:task`]
  return Float64Array.from(
    FEATURE_NAMES,
    (name) => (1 - share) * (questions[name] ?? 0) + share * (tasks[name] ?? 0),
  )
}

export function inFolder(path: string, folder: string): boolean {
  return folder !== "" && (path === folder || path.startsWith(`${folder}/`))
}
