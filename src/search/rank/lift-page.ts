import { FEATURE_NAMES } from "./feature-rows.ts"
import type { RankedFile, WeightTable } from "./rank.ts"
import { weighingOf } from "./rank.ts"

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

const [DOCS, STRANGE_DOCS] = ["docs", "strange:docs"].map((name) => FEATURE_NAMES.indexOf(name)) as [
  number,
  number,
]
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
