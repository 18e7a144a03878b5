import { compareTexts } from "../../base/index.ts"
import type { SymbolRow } from "../../store/index.ts"
import { coverage, type Scale } from "../query/query.ts"
import {
  addLateFeature,
  type CandidateFile,
  FEATURE_NAMES,
  featuresOf,
  LATE_FEATURE,
  nameF1,
} from "./features.ts"
import weightTables from "./weights.json" with { type: "json" }

/**
 * Names of the tables of weights: one for the built-in vectors, and one for an index without vectors, where other
 * features have larger weights. Each exists in four variants: for questions and names, for tasks, for tasks that may be
 * questions, and for guessed names beside a question.
 */
export type WeightTable = BaseTable | `${BaseTable}:${"task" | "unsure" | "guessed"}`
export type BaseTable = "aman512" | "keyword"

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
function verbatimBonus(table: WeightTable): number {
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
 * What the cosine of a file's nearest vector of the encoder weighs, from 0 for a question in the project's words
 * (STRANGE[0]) to MEANT_WEIGHT for one in other words (STRANGE[1]). Chosen on questions about applications, of which three quarters are
 * stranger than .37, so that labelled questions about libraries, of which three quarters are below .33, lose nothing:
 * docs/decisions/figures.md.
 */
const MEANT_WEIGHT = 50
const STRANGE = [0.35, 0.55] as const

/** How much the encoder counts for a question. */
export function meantWeight({ strangeness = 0 }: Scale): number {
  const [low, high] = STRANGE
  return MEANT_WEIGHT * Math.max(0, Math.min(1, (strangeness - low) / (high - low)))
}

/** What the encoder adds to a file's sum. */
export function meantShare({ meant = 0 }: CandidateFile, scale: Scale): { value: number; weight: number } {
  return { value: meant, weight: meant === 0 ? 0 : meantWeight(scale) }
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

/** The table for a query; `vector` is what the built-in vectors found, null if there are none. */
export function tableFor(vector: object | null, { kind, isUnsure, isGuessed }: Scale["query"]): WeightTable {
  const table = vector === null ? "keyword" : "aman512"
  if (isGuessed) return `${table}:guessed`
  if (kind !== "task") return table
  return isUnsure ? `${table}:unsure` : `${table}:task`
}

/** The weights of a table, and the bonus for a file that contains the query word for word. */
type Weighing = { readonly weights: Float64Array; readonly verbatim: number }

export function weighingOf(table: WeightTable): Weighing {
  const known = WEIGHINGS.get(table)
  if (known !== undefined) return known
  const weighing = { weights: weightsOf(table), verbatim: verbatimBonus(table) }
  WEIGHINGS.set(table, weighing)
  return weighing
}

/** The tables that were used, of which there are at most eight. */
const WEIGHINGS = new Map<WeightTable, Weighing>()

export function sumOf(
  candidate: CandidateFile,
  features: Float64Array,
  scale: Scale,
  { weights, verbatim }: Weighing,
  folder: string,
): number {
  const meaning = meaningShare(candidate, scale)
  const meant = meantShare(candidate, scale)
  let sum = meaning.value * meaning.weight + meant.value * meant.weight
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

/** A file whose deferred feature (see LATE_FEATURE) is not computed yet. `max` is the upper bound of its sum. */
type DeferredFile = {
  readonly candidate: CandidateFile
  readonly features: Float64Array
  readonly max: number
}

/** Tolerance for rounding: adding the same numbers in another order changes the sum by less than this. */
const ROUNDING = 1e-9

/**
 * Yields the files one by one, best first, in the same order as `rank`. `rows` has the features of the candidates
 * without the deferred one, which takes long to compute and is at most `maxDeferred`. It is computed for a file only
 * when it can decide which file is next; for the first ten files, that is about 40 of 160 candidates.
 */
export function* bestFirst(
  candidates: readonly CandidateFile[],
  rows: readonly Float64Array[],
  scale: Scale,
  table: WeightTable,
  folder: string,
  maxDeferred: number,
): Generator<RankedFile> {
  const weighing = weighingOf(table)
  const gain = Math.max(0, weighing.weights[LATE_FEATURE]! * maxDeferred) + ROUNDING
  const waiting = candidates
    .map((candidate, at): DeferredFile => {
      const features = rows[at]!
      return { candidate, features, max: sumOf(candidate, features, scale, weighing, folder) + gain }
    })
    .sort((a, b) => a.max - b.max)
  const computed: RankedFile[] = []
  for (;;) {
    let best = computed[0]?.sum ?? Number.NEGATIVE_INFINITY
    const before = computed.length
    while (waiting.length > 0 && waiting.at(-1)!.max >= best) {
      const { candidate, features } = waiting.pop()!
      addLateFeature(features, candidate, scale)
      const sum = sumOf(candidate, features, scale, weighing, folder)
      computed.push({ candidate, features, sum })
      best = Math.max(best, sum)
    }
    if (computed.length > before) computed.sort(bestThenPath)
    const next = computed.shift()
    if (next === undefined) return
    yield next
  }
}

export type FeatureShare = {
  readonly name: string
  readonly value: number
  readonly weight: number
  readonly contribution: number
}

/**
 * Returns every non-zero share of a file's sum, largest first. The shares, including `folder`, `verbatim`,
 * `meaning`, `meant` and `best page`, add up to the sum.
 */
export function explainRank(
  ranked: RankedFile,
  table: WeightTable,
  folderBonus: number,
  meanings: Readonly<Record<string, { readonly value: number; readonly weight: number }>> = {},
): FeatureShare[] {
  const weights = weightsOf(table)
  const shares = [
    ...FEATURE_NAMES.map((name, index) => [name, ranked.features[index]!, weights[index]!] as const),
    ["folder", 1, folderBonus] as const,
    ["verbatim", ranked.candidate.verbatim ?? 0, verbatimBonus(table)] as const,
    ...Object.entries(meanings).map(([name, each]) => [name, each.value, each.weight] as const),
    ["best page", 1, ranked.lift ?? 0] as const,
  ]
    .map(([name, value, weight]): FeatureShare => ({ name, value, weight, contribution: value * weight }))
    .filter(({ contribution }) => contribution !== 0)
  return shares.sort((a, b) => Math.abs(b.contribution) - Math.abs(a.contribution))
}

/** Place of the best page among the results of a question, counted from 1. */
export const PAGE_PLACE = 4
/**
 * Maximum difference between the sum of the best file and that of a page without the weights of pages. With 2, no place
 * from the first to the tenth loses a right file in the questions about code; with 2.5, the first five do
 * (docs/decisions/figures.md).
 */
const MAX_BEHIND = 2
/** Added to the sum of the file that the page precedes, so that sorting by sums keeps the page before it. */
const AHEAD = 1e-9

const DOCS = FEATURE_NAMES.indexOf("docs")
const STRANGE_DOCS = FEATURE_NAMES.indexOf("strange:docs")
const NO_PAGE = ["record", "translation", "test", "example"].map((name) => FEATURE_NAMES.indexOf(name))

/** True for a page of documentation that explains the project, if the query does not ask for pages. */
export function isPage(features: Float64Array): boolean {
  return features[DOCS]! > 0 && NO_PAGE.every((index) => features[index] === 0)
}

/** The best page among some files that are in order. */
export type BestPage<File> = {
  readonly is: (file: File) => boolean
  /** The page's sum without the weights of pages. */
  readonly sumAsCode: number
  /** The page with another sum, for its new place. */
  readonly withSum: (sum: number) => File
}

/** The best page among the files of one index. */
export function bestPage(page: RankedFile, table: WeightTable): BestPage<RankedFile> {
  return {
    is: ({ candidate }) => candidate === page.candidate,
    sumAsCode: sumAsCode(page, table),
    withSum: (sum) => ({ ...page, sum, lift: sum - page.sum }),
  }
}

/**
 * Yields the files in their order, except that the best page is the fourth file if it would come later and is near
 * enough. Pages have a negative weight, because most questions ask for code, and pages repeat the words of all of it. But
 * some questions are answered by a page only, and the best page is then the right one in two of three cases. A page that
 * moved up has about the sum of the file that it precedes.
 */
export function* withLiftedPage<File extends { readonly sum: number }>(
  files: Iterable<File>,
  page: BestPage<File> | null,
): Generator<File> {
  // Null once the page was yielded at its own place, or is too far behind.
  let waiting = page
  let isLifted = false
  let place = 0
  for (const file of files) {
    place++
    if (page?.is(file)) {
      if (isLifted) continue
      waiting = null
    }
    if (place === 1 && waiting && file.sum - waiting.sumAsCode > MAX_BEHIND) waiting = null
    if (place === PAGE_PLACE && waiting) {
      isLifted = true
      yield waiting.withSum(file.sum + AHEAD)
    }
    yield file
  }
}

/** The sum of a page without the weights of pages. */
export function sumAsCode({ sum, features }: RankedFile, table: WeightTable): number {
  const { weights } = weighingOf(table)
  return sum - weights[DOCS]! * features[DOCS]! - weights[STRANGE_DOCS]! * features[STRANGE_DOCS]!
}

/** A chunk of a ranked file, with its score. */
export type RankedPlace = {
  readonly ordinal: number
  readonly score: number
  /** The best matching definition in the chunk, looked up on first access; null when the chunk defines nothing. */
  readonly symbol: SymbolRow | null
}

export type PlaceSignals = {
  readonly candidate: CandidateFile
  /**
   * Looks up the definition with the given index in a chunk, or the first one if the index is undefined. Called only
   * for places that are shown.
   */
  readonly symbolOf: (ordinal: number, index: number | undefined) => SymbolRow | null
  /** Cosines of the file's chunks, by ordinal, as far as they were computed. */
  readonly cosines: ReadonlyMap<number, number>
  /** Chunks that define a name of the query. `exact`: spelled exactly; `folded`: equal by letters and digits alone. */
  readonly exact: ReadonlySet<number>
  readonly folded: ReadonlySet<number>
  /** Share of the query that a chunk contains word for word, by ordinal. */
  readonly verbatim?: ReadonlyMap<number, number> | undefined
  /** Chunks that may be shown even if they contain no word of the query that the index knows. */
  readonly holding?: ReadonlySet<number>
}

// Weights that choose the best chunk within a file, fitted on pairs of a doc comment (as the question) and its
// function.
const PLACE_WEIGHTS = {
  keyword: 1,
  coverage: 0.5,
  name: 0.8,
  cosine: 1.5,
  exact: 2,
  folded: 1,
  // Chosen, not fitted: more than all other weights together.
  verbatim: 8,
} as const

/** The maximum number of places to return, and a test that a place must pass. */
type ShownPlaces = { readonly limit: number; readonly accept: (ordinal: number) => boolean }

const ALL_PLACES: ShownPlaces = { limit: Number.POSITIVE_INFINITY, accept: () => true }

/** The chunks of one file, best first; ties by position in the file. */
export function rankPlaces(
  signals: PlaceSignals,
  scale: Scale,
  shown: ShownPlaces = ALL_PLACES,
): RankedPlace[] {
  const { candidate, cosines, exact, folded } = signals
  const scores = new Map<number, number>()
  const add = (ordinal: number, score: number) => scores.set(ordinal, (scores.get(ordinal) ?? 0) + score)
  for (const chunk of candidate.hit.chunks) {
    add(chunk.ordinal, (PLACE_WEIGHTS.keyword * chunk.score) / (scale.answer.maxChunk + 1e-6))
    add(chunk.ordinal, PLACE_WEIGHTS.coverage * coverage(chunk.body | chunk.doc | chunk.names, scale))
  }
  const bestName = bestNames(candidate, scale)
  for (const [ordinal, name] of bestName) add(ordinal, PLACE_WEIGHTS.name * name.f1)
  for (const [ordinal, cosine] of cosines) add(ordinal, PLACE_WEIGHTS.cosine * Math.max(0, cosine))
  for (const ordinal of exact) add(ordinal, PLACE_WEIGHTS.exact)
  for (const ordinal of folded) if (!exact.has(ordinal)) add(ordinal, PLACE_WEIGHTS.folded)
  for (const [ordinal, share] of signals.verbatim ?? []) add(ordinal, PLACE_WEIGHTS.verbatim * share)
  for (const ordinal of signals.holding ?? []) add(ordinal, 0)
  // A file that was found only by its path is shown from its beginning.
  if (scores.size === 0) add(0, 0)
  return Array.from(scores, ([ordinal, score]) => ({ ordinal, score }))
    .filter(({ ordinal }) => shown.accept(ordinal))
    .sort((a, b) => b.score - a.score || a.ordinal - b.ordinal)
    .slice(0, shown.limit)
    .map(({ ordinal, score }) =>
      rankedPlace(ordinal, score, () => signals.symbolOf(ordinal, bestName.get(ordinal)?.index)),
    )
}

/**
 * Looks up the symbol lazily: searching five repositories gives 100 files with up to 5 places each, of which 20 are
 * shown.
 */
function rankedPlace(ordinal: number, score: number, find: () => SymbolRow | null): RankedPlace {
  let found: SymbolRow | null | undefined
  return {
    ordinal,
    score,
    get symbol() {
      if (found === undefined) found = find()
      return found
    },
  }
}

function bestNames(candidate: CandidateFile, scale: Scale): Map<number, { f1: number; index: number }> {
  const best = new Map<number, { f1: number; index: number }>()
  for (const symbol of candidate.hit.symbols) {
    const f1 = nameF1(symbol, scale)
    const known = best.get(symbol.ordinal)
    if (known === undefined || f1 > known.f1) best.set(symbol.ordinal, { f1, index: symbol.index })
  }
  return best
}
