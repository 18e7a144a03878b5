import { unicodeWords } from "../../text/unicode.ts"
import type { Entry } from "../entry.ts"
import type { Mark, Settled } from "../truth/settle.ts"
import type { Hit } from "../truth/statement.ts"
import { compare } from "./order.ts"

export type Folded = {
  readonly entry: Entry
  readonly window: Hit["window"]
  readonly mark: Mark
  /** Ids of older entries that say the same. */
  readonly repeats: readonly string[]
}

/** Jaccard over words. */
const ALIKE = 0.8

/**
 * Of what says the same the newest stays, in the place of the first; what differs in a number or a denial is not the
 * same.
 */
export function foldRepeats(settled: readonly Settled<Hit>[]): Folded[] {
  const kept: { words: ReadonlySet<string>; group: Settled<Hit>[] }[] = []
  for (const found of settled) {
    const words = new Set(unicodeWords(found.hit.entry.text))
    const same = kept.find((other) => saysTheSame(words, other.words))
    if (same === undefined) kept.push({ words, group: [found] })
    else same.group.push(found)
  }
  return kept.map(({ group }) => {
    const [newest, ...older] = group.sort((a, b) => compare(b.hit.entry.recordedAt, a.hit.entry.recordedAt))
    const { hit, mark } = newest!
    return {
      entry: hit.entry,
      window: hit.window ?? null,
      mark,
      repeats: older.map((one) => one.hit.entry.id),
    }
  })
}

function saysTheSame(a: ReadonlySet<string>, b: ReadonlySet<string>): boolean {
  if (Math.min(a.size, b.size) < ALIKE * Math.max(a.size, b.size)) return false
  const shared = a.intersection(b).size
  if (shared < ALIKE * (a.size + b.size - shared)) return false
  return ![...a.symmetricDifference(b)].some((word) => /\p{N}/u.test(word) || DENIALS.has(word))
}

const DENIALS = new Set(
  "not no never none nor cannot without don doesn didn isn aren wasn won can enabled disabled".split(" "),
)
