import { FEATURE_NAMES } from "./feature-rows.ts"
import type { RankedFile, WeightTable } from "./rank.ts"
import { weighingOf } from "./rank.ts"

/** Place of the best page among the results of a question, counted from 1. */
const PLACE = 4
/**
 * Maximum difference between the sum of the best file and that of a page without the weights of pages. With 2, no place
 * from the first to the tenth loses a right file in the questions about code; with 2.5, the first five do: decision 35.
 */
const MAX_BEHIND = 2
/** Added to the sum of the file that the page precedes, so that sorting by sums keeps the page before it. */
const AHEAD = 1e-9

const [DOCS, STRANGE_DOCS] = ["docs", "strange:docs"].map((name) => FEATURE_NAMES.indexOf(name)) as [
  number,
  number,
]
const NO_PAGE = ["record", "translation", "test", "example"].map((name) => FEATURE_NAMES.indexOf(name))

/** True for a page of documentation that explains the project, if the query does not ask for pages. */
export function isPage(features: Float64Array): boolean {
  return features[DOCS]! > 0 && NO_PAGE.every((index) => features[index] === 0)
}

/**
 * Yields the files in their order, except that the best page is the fourth file if it would come later and is near
 * enough. Pages have a negative weight, because most questions ask for code, and pages repeat the words of all of it. But
 * some questions are answered by a page only, and the best page is then the right one in two of three cases. A page that
 * moved up has about the sum of the file that it precedes.
 */
export function* withLiftedPage(
  files: Iterable<RankedFile>,
  page: RankedFile | null,
  table: WeightTable,
): Generator<RankedFile> {
  // Null once the page was yielded at its own place, or is too far behind.
  let waiting = page
  let isLifted = false
  let place = 0
  for (const file of files) {
    place++
    if (file.candidate === page?.candidate) {
      if (isLifted) continue
      waiting = null
    }
    if (place === 1 && waiting && file.sum - sumWithoutPenalty(waiting, table) > MAX_BEHIND) waiting = null
    if (place === PLACE && waiting) {
      isLifted = true
      const sum = file.sum + AHEAD
      yield { ...waiting, sum, lift: sum - waiting.sum }
    }
    yield file
  }
}

function sumWithoutPenalty({ sum, features }: RankedFile, table: WeightTable): number {
  const { weights } = weighingOf(table)
  return sum - weights[DOCS]! * features[DOCS]! - weights[STRANGE_DOCS]! * features[STRANGE_DOCS]!
}
