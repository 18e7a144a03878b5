import { readAsking } from "./asking.ts"
import type { Rarity } from "./content-stems.ts"
import { contradiction } from "./contradiction.ts"
import { OUTDATED, weighUpdate } from "./evidence.ts"
import { type Hit, readStatement, type Statement } from "./statement.ts"

/** Places of two hits. */
export type Pair = { readonly older: number; readonly newer: number }

export type Told = {
  readonly updates: readonly Pair[]
  /** Without dates it is open which of the two is older. */
  readonly contradictions: readonly (Pair & { readonly isDated: boolean })[]
}

/** Of what is denied, so much must be affirmed. */
const CONTRADICTED = 0.4

/**
 * Reads out of the words which hits bring others up to date, of each the plainest first, and which deny each other.
 */
export function tellPairs(query: string, hits: readonly Hit[], rarity: Rarity): Told {
  const asking = readAsking(query, rarity)
  const best = hits.map((hit, rank) => readStatement(hit, rank, asking))
  const updates: Update[] = []
  const contradictions: (Pair & { isDated: boolean })[] = []
  for (const { older, newer, isDated } of datedPairs(best)) {
    if (!areOfOneRole(older.entry, newer.entry) || !areOfOneProject(older.entry, newer.entry)) continue
    const denial = contradiction(older, newer, asking)
    const weight = !isDated ? 0 : weighUpdate(older, newer, asking, denial)
    if (weight >= OUTDATED) updates.push({ older, newer, weight })
    // Who says outright that it changed does not contradict.
    if (denial >= CONTRADICTED && !(weight >= OUTDATED && newer.replaces)) {
      contradictions.push({ older: older.rank, newer: newer.rank, isDated })
    }
  }
  return {
    updates: plainestFirst(updates).map(({ older, newer }) => ({ older: older.rank, newer: newer.rank })),
    contradictions,
  }
}

type Update = { readonly older: Statement; readonly newer: Statement; readonly weight: number }

/** By the evidence; where that is about as good, what was said last. */
function plainestFirst(updates: readonly Update[]): Update[] {
  const best = new Map<Statement, number>()
  for (const { older, weight } of updates) best.set(older, Math.max(weight, best.get(older) ?? 0))
  const isPlain = ({ older, weight }: Update) => weight > best.get(older)! - ABOUT
  const byTime = updates.toSorted((a, b) => compareTimes(b.newer, a.newer))
  return [...byTime.filter(isPlain), ...byTime.filter((update) => !isPlain(update))]
}

const ABOUT = 1

type DatedPair = { readonly older: Statement; readonly newer: Statement; readonly isDated: boolean }

/** Every two; of those said at one time, the one that was found first is called the older. */
function datedPairs(statements: readonly Statement[]): DatedPair[] {
  const pairs: DatedPair[] = []
  for (let at = 0; at < statements.length; at++) {
    for (let other = at + 1; other < statements.length; other++) {
      const a = statements[at]!
      const b = statements[other]!
      const order = compareTimes(a, b)
      pairs.push({ older: order <= 0 ? a : b, newer: order <= 0 ? b : a, isDated: order !== 0 })
    }
  }
  return pairs
}

function compareTimes({ at, entry: a }: Statement, { at: otherAt, entry: b }: Statement): number {
  if (at !== otherAt) return at - otherAt
  return a.session !== null && a.session === b.session ? (a.ordinal ?? 0) - (b.ordinal ?? 0) : 0
}

/** A person and an agent do not bring each other up to date; where nobody said who spoke, anybody may have. */
function areOfOneRole(a: Hit["entry"], b: Hit["entry"]): boolean {
  return a.role === null || b.role === null || a.role === b.role
}

/** What two projects do otherwise is true of both. */
function areOfOneProject(a: Hit["entry"], b: Hit["entry"]): boolean {
  return a.project === null || b.project === null || a.project === b.project
}
