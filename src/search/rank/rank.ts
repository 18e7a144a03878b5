import { compareTexts } from "../../base/compare-texts.ts"
import type { CodeModel } from "../../embed/static.ts"
import type { Scale } from "../query/query-scale.ts"
import { FEATURE_NAMES, featuresOf } from "./feature-rows.ts"
import type { CandidateFile } from "./features.ts"
import weightTables from "./weights.json" with { type: "json" }

/**
 * Names of the tables of weights: one per built-in vector space, and one for an index without vectors, where other
 * features have larger weights. Each exists in four variants: for questions and names, for tasks, for tasks that may be
 * questions, and for guessed names beside a question.
 */
export type WeightTable = BaseTable | `${BaseTable}:${"task" | "unsure" | "guessed"}`
export type BaseTable = CodeModel | "keyword"

export type RankedFile = {
  readonly candidate: CandidateFile
  readonly features: Float64Array
  /** Σ feature × weight, plus bonuses. Comparable within one answer only. */
  readonly sum: number
  /** Part of the sum that moved the best page of documentation up to its place; absent for other files. */
  readonly lift?: number
}

// Added to files in the user's current folder. It is about the weight of an exact definition, so it decides between
// nearly equal files and bridges moderate gaps, but never lifts an irrelevant file to the top.
export const FOLDER_BONUS = 1

/**
 * Added when a file contains the whole query word for word: more than the weight of an exact definition. Chosen, not
 * fitted, because none of the labelled questions quotes a message of a program. For tasks it is larger, because their
 * weights are about twice as large. docs/decisions/01-ranking.md.
 */
export function verbatimBonus(table: WeightTable): number {
  return 8 + 8 * taskShare(table)
}

/** How much of a table's weights come from the weights for tasks, 0 to 1; the rest come from those for questions. */
function taskShare(table: WeightTable): number {
  if (table.endsWith(":task")) return 1
  return table.endsWith(":unsure") ? UNSURE_SHARE : 0
}

/**
 * Share of the weights for tasks when a task of one plain line may also be a question. With shares from .3 to .7, the
 * results of tasks are equally good; the results of questions are better the smaller the share is:
 * docs/decisions/10-context.md.
 */
const UNSURE_SHARE = 0.3

/**
 * What the configured space adds to a file's sum. One standard deviation of the file's cosine adds as much as the
 * vector channel weighs for this kind of query (.75 for a question). Chosen with simulated models, not fitted to a real
 * one: docs/decisions/02-vectors.md.
 */
export function meaningShare(
  candidate: CandidateFile,
  { query, strangeness = 0 }: Scale,
): { value: number; weight: number } {
  // If the strangeness of the query is high, all other weights are about twice as large, so this one grows too.
  const weight = query.classification.vectorWeight * (1 + strangeness)
  return { value: candidate.meaning?.deviation ?? 0, weight }
}

/**
 * Ranks the candidates by a linear model over their features (listwise softmax fit, see packages/lab/fit.ts). Ties are
 * broken by path.
 */
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

/** The table for a query; `model` is the built-in space that answered, undefined if none did. */
export function tableFor(
  model: CodeModel | undefined,
  { kind, isUnsure, isGuessed }: Scale["query"],
): WeightTable {
  const table = model ?? "keyword"
  if (isGuessed) return `${table}:guessed`
  if (kind !== "task") return table
  return isUnsure ? `${table}:unsure` : `${table}:task`
}

/** The weights of a table, and the bonus for a file that contains the query word for word. */
export type Weighing = { readonly weights: Float64Array; readonly verbatim: number }

export function weighingOf(table: WeightTable): Weighing {
  const known = WEIGHINGS.get(table)
  if (known !== undefined) return known
  const weighing = { weights: weightsOf(table), verbatim: verbatimBonus(table) }
  WEIGHINGS.set(table, weighing)
  return weighing
}

/** The tables that were used, of which there are at most twelve. */
const WEIGHINGS = new Map<WeightTable, Weighing>()

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
  const guessed: Readonly<Record<string, number>> = weightTables[`${base}:guessed`]
  if (table.endsWith(":guessed")) return Float64Array.from(FEATURE_NAMES, (name) => guessed[name] ?? 0)
  return Float64Array.from(
    FEATURE_NAMES,
    (name) => (1 - share) * (questions[name] ?? 0) + share * (tasks[name] ?? 0),
  )
}

export function inFolder(path: string, folder: string): boolean {
  return folder !== "" && (path === folder || path.startsWith(`${folder}/`))
}
