import type { Asking } from "./asking.ts"
import type { Clause } from "./clauses.ts"
import { compareSentences } from "./likeness.ts"
import { oppositesOf } from "./opposites.ts"
import { raritySum } from "./shares.ts"
import type { Statement } from "./statement.ts"

/**
 * How plainly one of two statements denies what the other affirms, 0 to 1: the share of the denied words that the other
 * has too, if both speak of what was asked. 0 where each names something that the other does not: different things.
 */
export function contradiction(a: Statement, b: Statement, asking: Asking): number {
  return Math.max(denial(a, b, asking), denial(b, a, asking))
}

function denial(denying: Statement, affirming: Statement, asking: Asking): number {
  const isOther = denying.entry.author !== affirming.entry.author
  let most = 0
  for (const denied of denying.clauses) {
    if (!denied.denies && denied.poles.size === 0) continue
    for (const affirmed of affirming.clauses) {
      // What two people say of themselves.
      if (isOther && (denied.isFirstPerson || affirmed.isFirstPerson)) continue
      if (!isOpposed(denied, affirmed)) continue
      most = Math.max(most, agreement(denied, affirmed, asking))
    }
  }
  return most
}

function isOpposed(a: Clause, b: Clause): boolean {
  if (a.denies !== b.denies) return a.denies && !b.refuses
  if (a.poles.size === 0 || b.poles.size === 0) return false
  return [...a.poles].some((word) => oppositesOf(word).some((opposite) => b.poles.has(opposite)))
}

/** The share of what is denied that stands in the affirming sentence. */
function agreement(denied: Clause, affirmed: Clause, { asked, words, rarity }: Asking): number {
  const polar = denied.poles.union(affirmed.poles)
  const stems = [...denied.stems].filter((one) => !polar.has(one))
  const shared = stems.filter((one) => affirmed.stems.has(one) || affirmed.around.has(one))
  if (shared.length === 0 || shared.length < Math.min(2, stems.length)) return 0
  const own = shared.filter((one) => affirmed.stems.has(one) && asked.has(one))
  if (raritySum(own, words) < ASKED * rarity) return 0
  if (compareSentences(denied.tokens(), affirmed.tokens(), polar).isOfOtherThing) return 0
  const isPlain = denied.predicate === null || shared.includes(denied.predicate)
  const share = (raritySum(shared, words) / raritySum(stems, words)) * (isPlain ? 1 : OTHER_WORD)
  // What denies every case is contradicted by any one of them, in whatever words it is told.
  return denied.deniesAll ? share : share * ONE_CASE
}

/** Both speak of at least this share of what is asked, in those very clauses. */
const ASKED = 0.25
const ONE_CASE = 0.7
/** What is denied is said in another word, if it is said. */
const OTHER_WORD = 0.85
