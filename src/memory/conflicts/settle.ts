/*
 * Decides which hits of an answer are superseded or contradicted. `settle`: 1. declared supersessions; 2. conflicts
 * among the best hits that their words show (estimate.ts), as updates or contradictions; 3. marks on both entries of a
 * pair; 4. newer entries are moved above older ones, unless the question is about the past.
 */

import { type Clause, oppositesOf } from "./clauses.ts"
import { compareSentences, conflictOdds, isAboutOtherCode, MIN_ODDS } from "./estimate.ts"
import { type Rarity, raritySum } from "./sentences.ts"
import {
  classifyQuestion,
  type EntryHit,
  type QuestionFacts,
  readQuestionContext,
  readStatement,
  type Statement,
} from "./statement.ts"

/** Marks of an entry in an answer: its relations to the other entries, and whether it is still valid. */
export type ConflictMark = {
  /**
   * Id of the entry that supersedes it, declared or inferred by the rules below; null when there is none.
   */
  readonly outdatedBy: string | null
  /** True when the supersession was declared; false when it was inferred from the words. */
  readonly isDeclared: boolean
  /** Entries of this answer that this one supersedes. */
  readonly updates: readonly string[]
  /** Entries of this answer that contradict this one. */
  readonly contradicts: readonly string[]
  /** When the entry's declared validity ended; null when the entry is still valid. */
  readonly endedAt: string | null
}

export type MarkedHit<H extends EntryHit> = { readonly hit: H; readonly mark: ConflictMark }

type SettleOptions = {
  /**
   * The moment the question is about, an ISO instant: an entry superseded after it still counts as valid.
   */
  readonly at: string
  readonly rarity?: Rarity
  /**
   * Number of the best hits that are compared with each other, 10 by default. Among lower ranks more inferences are
   * wrong.
   */
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
  options: SettleOptions,
): MarkedHit<H>[] {
  const question = classifyQuestion(query)
  const marks = hits.map((hit) => declaredMark(hit, options.at))
  const declared = declaredPairs(hits, marks)
  const gaining: HitPair[] = []
  const inferred = inferPairs(query, hits.slice(0, options.compared ?? 10), options.rarity ?? (() => 1))
  for (const { older, newer, isGain } of inferred.updates) {
    marks[older]!.outdatedBy ??= hits[newer]!.entry.id
    if (marks[older]!.isDeclared) continue
    marks[newer]!.updates.push(hits[older]!.entry.id)
    if (isGain) gaining.push({ older, newer })
  }
  for (const { older, newer } of inferred.contradictions) {
    marks[older]!.contradicts.push(hits[newer]!.entry.id)
    marks[newer]!.contradicts.push(hits[older]!.entry.id)
  }
  for (const { older, newer } of declared) marks[newer]!.updates.push(hits[older]!.entry.id)
  const order = question.isPast ? hits.map((_, at) => at) : lifted(hits.length, [...declared, ...gaining])
  return order.map((at) => ({ hit: hits[at]!, mark: marks[at]! }))
}

type Draft = {
  -readonly [Key in keyof ConflictMark]: ConflictMark[Key] extends readonly string[]
    ? string[]
    : ConflictMark[Key]
}

function declaredMark({ entry }: EntryHit, at: string): Draft {
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

function declaredPairs(hits: readonly EntryHit[], marks: readonly Draft[]): HitPair[] {
  const places = new Map(hits.map(({ entry }, at) => [entry.id, at]))
  return marks.flatMap(({ outdatedBy }, older) => {
    const newer = outdatedBy === null ? undefined : places.get(outdatedBy)
    return newer === undefined || newer === older ? [] : [{ older, newer }]
  })
}

/**
 * Returns the order in which each newer hit is moved to just above its older ones; the others keep their
 * order.
 */
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

type InferredPairs = {
  /** `isGain`: moving the newer above the older makes the answer better on average. */
  readonly updates: readonly (HitPair & { readonly isGain: boolean })[]
  readonly contradictions: readonly HitPair[]
}

/** Minimum share of the denied statement that the other one affirms. */
const MIN_CONTRADICTION = 0.4

/**
 * Infers from the words which hits supersede others (for each, the best supported first) and which contradict
 * each other.
 */
function inferPairs(query: string, hits: readonly EntryHit[], rarity: Rarity): InferredPairs {
  const asking = readQuestionContext(query, rarity)
  const best = hits.map((hit, rank) => readStatement(hit, rank, asking))
  const updates: Update[] = []
  const contradictions: HitPair[] = []
  for (const { older, newer, isDated } of datedPairs(best)) {
    if (!mayConflict(older, newer)) continue
    const isContradiction = contradicts(older, newer, asking)
    if (!isDated && !isContradiction) continue
    const odds = conflictOdds(older, newer, asking, isContradiction)
    if (odds < MIN_ODDS) continue
    // A statement that says explicitly that something changed does not contradict the old one. A reader needs both a
    // statement and its denial, so neither is moved.
    const isDenied = isContradiction && !newer.replaces
    if (isDated) updates.push({ older, newer, odds, isGain: !isDenied && isWorthLifting(older, newer) })
    if (isDenied || !isDated) contradictions.push({ older: older.rank, newer: newer.rank })
  }
  return {
    updates: bestSupportedFirst(updates).map(({ older, newer, isGain }) => ({
      older: older.rank,
      newer: newer.rank,
      isGain,
    })),
    contradictions,
  }
}

/** True unless the newer statement fits the question so much worse that the older one is likelier the answer. */
function isWorthLifting(older: Statement, newer: Statement): boolean {
  return newer.score >= MIN_SCORE_SHARE * older.score
}

/** Minimum score of a newer statement as a share of the older one's for it to be moved above that one. */
const MIN_SCORE_SHARE = 0.5

type Update = {
  readonly older: Statement
  readonly newer: Statement
  readonly odds: number
  readonly isGain: boolean
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
 * False for statements of different roles or of different projects, which may differ without a conflict, and for
 * statements about different places in code.
 */
function mayConflict(older: Statement, newer: Statement): boolean {
  const [a, b] = [older.entry, newer.entry]
  const isSame = <T>(one: T | null, other: T | null) => one === null || other === null || one === other
  return isSame(a.role, b.role) && isSame(a.project, b.project) && !isAboutOtherCode(older, newer)
}

/**
 * True when one of two statements denies what the other affirms. False when one of them is not about the question, or
 * when each names a subject that the other does not.
 */
export function contradicts(a: Statement, b: Statement, asking: QuestionFacts): boolean {
  return Math.max(denial(a, b, asking), denial(b, a, asking)) >= MIN_CONTRADICTION
}

/** Strength of a contradiction, 0 to 1: the share of the denied words that the affirming statement contains. */
function denial(denying: Statement, affirming: Statement, asking: QuestionFacts): number {
  const isOther = denying.entry.author !== affirming.entry.author
  let max = 0
  for (const denied of denying.clauses) {
    if (!denied.denies && denied.poles.size === 0) continue
    for (const affirmed of affirming.clauses) {
      // Two people speaking about themselves do not contradict each other.
      if (isOther && (denied.isFirstPerson || affirmed.isFirstPerson)) continue
      if (!isOpposed(denied, affirmed)) continue
      max = Math.max(max, agreement(denied, affirmed, asking))
    }
  }
  return max
}

function isOpposed(a: Clause, b: Clause): boolean {
  if (a.denies !== b.denies) return a.denies && !b.refuses
  if (a.poles.size === 0 || b.poles.size === 0) return false
  return [...a.poles].some((word) => oppositesOf(word).some((opposite) => b.poles.has(opposite)))
}

/**
 * Share of the denied clause's rarity that the affirming sentence contains, 0 to 1, lowered by the factors
 * below.
 */
function agreement(denied: Clause, affirmed: Clause, { asked, words, rarity }: QuestionFacts): number {
  const polar = denied.poles.union(affirmed.poles)
  const stems = [...denied.stems].filter((one) => !polar.has(one))
  const shared = stems.filter((one) => affirmed.stems.has(one) || affirmed.around.has(one))
  if (shared.length === 0 || shared.length < Math.min(2, stems.length)) return 0
  const own = shared.filter((one) => affirmed.stems.has(one) && asked.has(one))
  if (raritySum(own, words) < MIN_ASKED_SHARE * rarity) return 0
  if (compareSentences(denied.tokens(), affirmed.tokens(), polar).hasSubjectGap) return 0
  const isWellSupported = denied.predicate === null || shared.includes(denied.predicate)
  const share = (raritySum(shared, words) / raritySum(stems, words)) * (isWellSupported ? 1 : OTHER_PREDICATE)
  // A clause that denies every case ("never") is contradicted by any single case, in whatever words.
  return denied.deniesAll ? share : share * ONE_CASE
}

/** Minimum share of the question's rarity that the two clauses have in common. */
const MIN_ASKED_SHARE = 0.25

const ONE_CASE = 0.7
/** Factor when the other statement does not contain the denied word itself. */
const OTHER_PREDICATE = 0.85
