import type { Rarity } from "./content-stems.ts"
import { readQuestion } from "./question.ts"
import type { Hit } from "./statement.ts"
import { type Pair, tellPairs } from "./tell-pairs.ts"
/** How an entry stands to the others of an answer and to time. */
export type Mark = {
  /** The entry that says what holds instead: declared, or told by the rules below. */
  readonly outdatedBy: string | null
  /** Whether somebody declared that; else it is a guess from the words. */
  readonly isDeclared: boolean
  /** Entries of this answer that this one brings up to date. */
  readonly updates: readonly string[]
  /** Entries of this answer that deny what this one affirms, or the reverse. */
  readonly contradicts: readonly string[]
  /** Since when it no longer holds, where that is declared. */
  readonly endedAt: string | null
}

export type Settled<H extends Hit> = { readonly hit: H; readonly mark: Mark }

export type SettleOptions = {
  /** The moment that the question is about, an ISO instant: what was superseded later still holds then. */
  readonly at: string
  readonly rarity?: Rarity
  /** So many of the best are compared with each other; ten unless said: further down mistakes are many. */
  readonly compared?: number
}

const COMPARED = 10

/**
 * Puts what is true now above what was true before, and marks both. Only order and marks: nothing is left out.
 * What was declared counts always; of the ten best also what their words tell, unless the question is about the past.
 */
export function settle<H extends Hit>(
  query: string,
  hits: readonly H[],
  options: SettleOptions,
): Settled<H>[] {
  const question = readQuestion(query)
  const marks = hits.map((hit) => declaredMark(hit, options.at))
  const lifts = declaredPairs(hits, marks)
  const told = tellPairs(query, hits.slice(0, options.compared ?? COMPARED), options.rarity ?? (() => 1))
  for (const { older, newer } of told.updates) {
    marks[older]!.outdatedBy ??= hits[newer]!.entry.id
    if (!marks[older]!.isDeclared) lifts.push({ older, newer })
  }
  for (const { older, newer } of told.contradictions) {
    marks[older]!.contradicts.push(hits[newer]!.entry.id)
    marks[newer]!.contradicts.push(hits[older]!.entry.id)
  }
  for (const { older, newer } of lifts) marks[newer]!.updates.push(hits[older]!.entry.id)
  const order = question.isPast
    ? hits.map((_, at) => at)
    : lifted(hits.length, [...lifts, ...told.contradictions.filter(({ isDated }) => isDated)])
  return order.map((at) => ({ hit: hits[at]!, mark: marks[at]! }))
}

type Draft = { -readonly [Key in keyof Mark]: Mark[Key] extends readonly string[] ? string[] : Mark[Key] }

function declaredMark({ entry }: Hit, at: string): Draft {
  const isSuperseded = entry.supersededBy !== null && !isAfter(entry.supersededAt, at)
  return {
    outdatedBy: isSuperseded ? entry.supersededBy : null,
    isDeclared: isSuperseded,
    updates: [],
    contradicts: [],
    endedAt: entry.validUntil !== null && !isAfter(entry.validUntil, at) ? entry.validUntil : null,
  }
}

function isAfter(moment: string | null, at: string): boolean {
  return moment !== null && Date.parse(moment) > Date.parse(at)
}

function declaredPairs(hits: readonly Hit[], marks: readonly Draft[]): Pair[] {
  const places = new Map(hits.map(({ entry }, at) => [entry.id, at]))
  return marks.flatMap(({ outdatedBy }, older) => {
    const newer = outdatedBy === null ? undefined : places.get(outdatedBy)
    return newer === undefined || newer === older ? [] : [{ older, newer }]
  })
}

/** Each newer one moves to just above its older ones; the rest keeps its order. */
function lifted(count: number, pairs: readonly Pair[]): number[] {
  const order = Array.from({ length: count }, (_, at) => at)
  // A chain settles in as many rounds as it has links; a circle, which only declarations could make, ends there too.
  for (let round = 0; round < pairs.length; round++) {
    let moved = false
    for (const { older, newer } of pairs) {
      const [from, to] = [order.indexOf(newer), order.indexOf(older)]
      if (from < to) continue
      order.splice(to, 0, ...order.splice(from, 1))
      moved = true
    }
    if (!moved) break
  }
  return order
}
