/*
 * Decides which hits of an answer are superseded or contradicted. `settle`: 1. declared supersessions; 2. updates among the
 * best hits, told by comparing their sentences (odds.ts); 3. marks on both entries of a pair; 4. newer entries are moved
 * above older ones, unless the question is about the past.
 */

import { tokensOf } from "./compare.ts"
import { MIN_ODDS, oddsOf, pairFacts } from "./odds.ts"
import { type EntryHit, isAboutPast, readStatement, type Statement } from "./statement.ts"

/** Marks of an entry in an answer: its relations to the other entries, and whether it is still valid. */
export type ConflictMark = {
  /** Id of the entry that supersedes it, declared or inferred by the rules below; null when there is none. */
  readonly outdatedBy: string | null
  /** True when the supersession was declared; false when it was inferred from the words. */
  readonly isDeclared: boolean
  /** Entries of this answer that this one supersedes. */
  readonly updates: readonly string[]
  /** Entries of this answer that contradict this one. */
  readonly contradicts: readonly string[]
  /** Entries that it probably replaces, judging by the words, and next to which it answers as well. */
  readonly replaces: readonly string[]
}

export type MarkedHit<H extends EntryHit> = { readonly hit: H; readonly mark: ConflictMark }

type SettleOptions = {
  /** The moment the question is about, an ISO instant: an entry superseded after it still counts as valid. */
  readonly at: string
  /** Number of the best hits that are compared with each other. Among lower ranks more inferences are wrong. */
  readonly compared?: number
}

/**
 * Moves valid entries above those that they supersede, and marks both. It changes order and marks only; no hit is
 * dropped. Declared supersessions always count; among the best ten hits, supersessions inferred from the words count
 * too. For questions about the past the order is not changed.
 */
export function settle<H extends EntryHit>(
  query: string,
  hits: readonly H[],
  { at, compared = 10 }: SettleOptions,
): MarkedHit<H>[] {
  const marks = hits.map((hit) => declaredMark(hit, at))
  const declared = declaredPairs(hits, marks)
  const gaining: HitPair[] = []
  const inferred = inferPairs(query, hits.slice(0, compared))
  for (const { older, newer, isGain, isReplaced } of inferred.updates) {
    marks[older]!.outdatedBy ??= hits[newer]!.entry.id
    if (marks[older]!.isDeclared) continue
    marks[newer]!.updates.push(hits[older]!.entry.id)
    const { id, validFrom } = hits[newer]!.entry
    const hasBegun = validFrom === null || Date.parse(validFrom) <= Date.parse(at)
    if (isReplaced && hasBegun && marks[older]!.outdatedBy === id)
      marks[newer]!.replaces.push(hits[older]!.entry.id)
    if (isGain) gaining.push({ older, newer })
  }
  for (const { older, newer } of inferred.contradictions) {
    marks[older]!.contradicts.push(hits[newer]!.entry.id)
    marks[newer]!.contradicts.push(hits[older]!.entry.id)
  }
  for (const { older, newer } of declared) marks[newer]!.updates.push(hits[older]!.entry.id)
  const pairs = [...declared, ...gaining].filter(({ older, newer }) => Math.max(older, newer) < MAX_LIFTED)
  const order = isAboutPast(query) ? hits.map((_, at) => at) : lifted(hits.length, pairs)
  return order.map((at) => ({ hit: hits[at]!, mark: marks[at]! }))
}

/**
 * Without the hits that a newer one probably replaces; the newer one names them and those that they replace, and its
 * chance is at least theirs.
 */
export function withoutReplaced<H extends EntryHit & { readonly chance: number }>(
  hits: readonly MarkedHit<H>[],
): MarkedHit<H>[] {
  const byId = new Map(hits.map((each) => [each.hit.entry.id, each]))
  const chain = (ids: readonly string[]): string[] =>
    ids.flatMap((id) => [id, ...chain(byId.get(id)!.mark.replaces)])
  const replaced = new Set(hits.flatMap(({ mark }) => mark.replaces))
  return hits
    .filter(({ hit }) => !replaced.has(hit.entry.id))
    .map(({ hit, mark }) => {
      const replaces = chain(mark.replaces)
      const chance = Math.max(hit.chance, ...replaces.map((id) => byId.get(id)!.hit.chance))
      return { hit: { ...hit, chance }, mark: { ...mark, replaces } }
    })
}

/**
 * Only the best hits change places, so that a longer answer begins with the shorter one. Callers that show fewer pass at
 * least this many.
 */
export const MAX_LIFTED = 20

type Draft = {
  -readonly [Key in keyof ConflictMark]: ConflictMark[Key] extends readonly string[]
    ? string[]
    : ConflictMark[Key]
}

function declaredMark({ entry }: EntryHit, at: string): Draft {
  const { supersededBy, supersededAt } = entry
  const isLater = supersededAt !== null && Date.parse(supersededAt) > Date.parse(at)
  const outdatedBy = isLater ? null : supersededBy
  return { outdatedBy, isDeclared: outdatedBy !== null, updates: [], contradicts: [], replaces: [] }
}

function declaredPairs(hits: readonly EntryHit[], marks: readonly Draft[]): HitPair[] {
  const places = new Map(hits.map(({ entry }, at) => [entry.id, at]))
  return marks.flatMap(({ outdatedBy }, older) => {
    const newer = outdatedBy === null ? undefined : places.get(outdatedBy)
    return newer === undefined || newer === older ? [] : [{ older, newer }]
  })
}

/** Returns the order in which each newer hit is moved to just above its older ones; the others keep their order. */
function lifted(count: number, pairs: readonly HitPair[]): number[] {
  const order = Array.from({ length: count }, (_, at) => at)
  // A chain of n links needs n rounds. Only declarations could form a cycle; the limit ends that as well.
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

/** Indices of two hits. */
type HitPair = { readonly older: number; readonly newer: number }

/**
 * Infers which hits supersede others (for each, the best supported first); `isGain`: moving the newer above the older makes
 * the answer better on average. Of two statements of one time that deny each other, none is the newer: they contradict each
 * other.
 */
function inferPairs(query: string, hits: readonly EntryHit[]) {
  const asked = tokensOf(query)
  const best = hits.map((hit, rank) => readStatement(hit, rank, asked))
  const updates: Update[] = []
  const contradictions: HitPair[] = []
  for (const { older, newer, isDated } of datedPairs(best)) {
    if (!mayConflict(older, newer)) continue
    const facts = pairFacts(older, newer, asked)
    if (!isOneSubject(facts, newer.entry.text !== query)) continue
    const byWords = oddsOf(facts)
    const odds = byWords + byCircumstance(older, newer)
    const share = minScoreShare(older, facts, odds - MIN_ODDS)
    if (share === null) continue
    const isReplaced = byWords >= MIN_ODDS + SURE && answersAsWell(older, newer, facts)
    if (isDated) updates.push({ older, newer, odds, isReplaced, isGain: newer.score >= share * older.score })
    else if (facts["denies"] === 1 || facts["opposite"] === 1)
      contradictions.push({ older: older.rank, newer: newer.rank })
  }
  return {
    updates: bestSupportedFirst(updates).map(({ older, newer, ...update }) => ({
      ...update,
      older: older.rank,
      newer: newer.rank,
    })),
    contradictions,
  }
}

/** Odds that leaving out the older statement needs besides: 2 of 100 open look-alikes are. */
const SURE = 0.5

/** True if the newer statement scores about as much and has the words and names of the question that the older one has. */
function answersAsWell(older: Statement, newer: Statement, facts: ReturnType<typeof pairFacts>): boolean {
  return newer.score >= 0.8 * older.score && facts["askedLess"]! <= 0 && facts["askedName"] === 0
}

/** Odds that a message of a conversation needs besides: chat repeats words, and seldom states one fact per message. */
const SPOKEN = 2

/**
 * Minimum score of a newer statement, as a share of the older one's, for it to be moved above that one: if it fits the
 * question worse, the older one is likelier the answer. Null if the two do not conflict. Messages of a conversation that
 * share less than half are mostly two steps of one subject, unless the newer one answers the question with another number.
 */
function minScoreShare({ entry }: Statement, facts: ReturnType<typeof pairFacts>, odds: number) {
  const isSpoken = entry.session !== null
  const answersOtherwise =
    facts["otherNumbers"] === 1 &&
    facts["askedNew"]! >= 0.7 &&
    (facts["askedLess"]! <= 0.1 || facts["changes"] === 1)
  if (isSpoken && answersOtherwise) return 0.5
  if (odds < (isSpoken ? SPOKEN : 0)) return null
  return isSpoken && facts["less"]! < 0.5 ? 0.9 : 0.5
}

/**
 * True for statements that differ and share enough words, or the words of a question. Most unrelated notes that would be
 * marked otherwise do not.
 */
function isOneSubject(facts: ReturnType<typeof pairFacts>, isQuestion: boolean): boolean {
  if (facts["less"] === 1 && facts["gapsBoth"]! + facts["gapsOneSide"]! === 0) return false
  if (!isQuestion) return facts["shared"]! >= 1.1 && facts["less"]! >= 0.3
  return (facts["shared"]! >= 0.8 && facts["less"]! >= 0.2) || facts["askedBoth"]! >= 0.3
}

/** Evidence that labelled pairs do not vary in: the places in the list of hits, topics, tags and entities. */
function byCircumstance({ labels: a, entry, rank }: Statement, { labels: b, ...newer }: Statement): number {
  const isOneTopic = entry.topic === newer.entry.topic
  const odds = (isOneTopic ? 0 : -2) - 0.15 * Math.max(0, Math.abs(rank - newer.rank) - 1)
  if (a.size === 0 || b.size === 0) return odds
  const shared = a.intersection(b).size
  // Equal labels count only within a topic, because in two projects they mean different things.
  return odds + (isOneTopic && shared > 0 ? (1.4 * shared) / Math.min(a.size, b.size) : -20)
}

type Update = {
  readonly older: Statement
  readonly newer: Statement
  readonly odds: number
  readonly isGain: boolean
  readonly isReplaced: boolean
}

/** Orders updates by evidence; updates with about equal evidence by time, newest first. */
function bestSupportedFirst(updates: readonly Update[]): Update[] {
  const best = new Map<Statement, number>()
  for (const { older, odds } of updates) best.set(older, Math.max(odds, best.get(older) ?? odds))
  const isWellSupported = ({ older, odds }: Update) => odds > best.get(older)! - ODDS_TOLERANCE
  const byTime = updates.toSorted((a, b) => compareTimes(b.newer, a.newer))
  return [...byTime.filter(isWellSupported), ...byTime.filter((update) => !isWellSupported(update))]
}

const ODDS_TOLERANCE = 1

type DatedPair = { readonly older: Statement; readonly newer: Statement; readonly isDated: boolean }

/** All pairs of statements, by time. If both were written at the same time, the one found first counts as the older. */
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

/**
 * False for statements of different roles or projects, and of two people about themselves: these differ without a conflict;
 * and for those of which somebody said that both hold.
 */
function mayConflict(older: Statement, newer: Statement): boolean {
  const [a, b] = [older.entry, newer.entry]
  if (a.beside?.includes(b.id) || b.beside?.includes(a.id)) return false
  const isSame = <T>(one: T | null, other: T | null) => one === null || other === null || one === other
  if ((older.cues.first || newer.cues.first) && a.author !== b.author) return false
  return isSame(a.role, b.role) && isSame(a.project, b.project)
}
