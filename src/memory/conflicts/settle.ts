/*
 * Decides which hits of an answer are superseded or contradicted. `settle`: 1. declared supersessions; 2. updates among the
 * best hits, told by what was read of the two (readings.ts); 3. marks on both entries of a pair; 4. newer entries are moved
 * above older ones, unless the question is about the past.
 */

import { glossOf, type TextSpan } from "../../text/index.ts"
import type { Entry } from "../entries/entry.ts"
import { comparable } from "../entries/labels.ts"
import { isAboutPast } from "./past.ts"
import { inOrder, MIN_ODDS, type OddsOf, validSince } from "./readings.ts"

/** A found entry, as the ranking returns it. */
export type EntryHit = {
  readonly entry: Entry
  readonly score: number
  /** The part of a long text that matched; absent: the whole text. */
  readonly window?: TextSpan | null
}

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
  readonly odds: OddsOf
  /** Number of the best hits that are compared with each other. Among lower ranks more inferences are wrong. */
  readonly compared?: number
}

/**
 * Moves valid entries above those that they supersede, and marks both. It changes order and marks only; no hit is
 * dropped. Declared supersessions always count; among the best ten hits, those inferred from
 * what was read count, too. For questions about the past the order is not changed.
 */
export function settle<H extends EntryHit>(
  query: string,
  hits: readonly H[],
  { at, odds, compared = 10 }: SettleOptions,
): MarkedHit<H>[] {
  const marks = hits.map((hit) => declaredMark(hit, at))
  const declared = declaredPairs(hits, marks)
  const lifts: HitPair[] = []
  const inferred = inferPairs(hits.slice(0, compared), odds)
  for (const { older, newer, answersAsWell } of inferred.updates) {
    marks[older]!.outdatedBy ??= hits[newer]!.entry.id
    if (marks[older]!.isDeclared) continue
    marks[newer]!.updates.push(hits[older]!.entry.id)
    const { id, validFrom } = hits[newer]!.entry
    const hasBegun = validFrom === null || Date.parse(validFrom) <= Date.parse(at)
    if (answersAsWell && hasBegun && marks[older]!.outdatedBy === id)
      marks[newer]!.replaces.push(hits[older]!.entry.id)
    if (answersAsWell) lifts.push({ older, newer })
  }
  for (const { older, newer } of inferred.contradictions) {
    marks[older]!.contradicts.push(hits[newer]!.entry.id)
    marks[newer]!.contradicts.push(hits[older]!.entry.id)
  }
  for (const { older, newer } of declared) marks[newer]!.updates.push(hits[older]!.entry.id)
  const pairs = [...declared, ...lifts].filter(({ older, newer }) => Math.max(older, newer) < MAX_LIFTED)
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
 * Infers which hits supersede others (for each, the best supported first); `answersAsWell`: the newer one fits the question
 * about as well, so that it can stand for the older one. Of two statements of one time that deny each other, none is the newer: they contradict each
 * other.
 */
function inferPairs(hits: readonly EntryHit[], oddsOf: OddsOf) {
  const updates: Update[] = []
  const contradictions: HitPair[] = []
  const statements = hits.map((hit, rank) => ({ ...hit, rank, at: validSince(hit.entry) }))
  for (const { older, newer, isDated } of datedPairs(statements)) {
    const read = oddsOf(older.entry, newer.entry)
    const odds = read === null ? 0 : read + byCircumstance(older.entry, newer.entry)
    if (odds < MIN_ODDS || !mayConflict(older.entry, newer.entry)) continue
    if (isDated) updates.push({ older, newer, odds, answersAsWell: newer.score >= 0.5 * older.score })
    else contradictions.push({ older: older.rank, newer: newer.rank })
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

/** Evidence that the texts do not have: topics, tags and entities. */
function byCircumstance(older: Entry, newer: Entry): number {
  const isOneTopic = comparable(older.topic) === comparable(newer.topic)
  const [a, b] = [labelsOf(older), labelsOf(newer)]
  // Equal labels count only within a topic, because in two projects they mean different things.
  const areOther = a.size > 0 && b.size > 0 && !(isOneTopic && a.intersection(b).size > 0)
  return (isOneTopic ? 0 : -1) - (areOther ? 20 : 0)
}

function labelsOf({ tags, entities }: Entry): ReadonlySet<string> {
  return new Set([...tags, ...entities].map(comparable))
}

/** A hit with its place in the answer and the time in ms from which it is valid. */
type Statement = EntryHit & { readonly rank: number; readonly at: number }

type Update = {
  readonly older: Statement
  readonly newer: Statement
  readonly odds: number
  readonly answersAsWell: boolean
}

/** Orders updates by evidence; updates with about equal evidence by time, newest first. */
function bestSupportedFirst(updates: readonly Update[]): Update[] {
  const best = new Map<Statement, number>()
  for (const { older, odds } of updates) best.set(older, Math.max(odds, best.get(older) ?? odds))
  const isWellSupported = ({ older, odds }: Update) => odds > best.get(older)! - ODDS_TOLERANCE
  const byTime = updates.toSorted((a, b) => b.newer.at - a.newer.at)
  return [...byTime.filter(isWellSupported), ...byTime.filter((update) => !isWellSupported(update))]
}

const ODDS_TOLERANCE = 1

type DatedPair = { readonly older: Statement; readonly newer: Statement; readonly isDated: boolean }

/** All pairs of statements, by time. */
function datedPairs(statements: readonly Statement[]): DatedPair[] {
  const pairs: DatedPair[] = []
  for (let at = 0; at < statements.length; at++) {
    for (let other = at + 1; other < statements.length; other++) {
      const a = statements[at]!
      const b = statements[other]!
      const [older] = inOrder(a.entry, b.entry)
      pairs.push({
        ...(older === a.entry ? { older: a, newer: b } : { older: b, newer: a }),
        isDated: a.at !== b.at,
      })
    }
  }
  return pairs
}

/**
 * False for entries of different roles or projects, and of two people about themselves: these differ without a conflict;
 * and for those of which somebody said that both hold.
 */
function mayConflict(a: Entry, b: Entry): boolean {
  if (a.beside?.includes(b.id) || b.beside?.includes(a.id) || a.text.trim() === b.text.trim()) return false
  const isSame = <T>(one: T | null, other: T | null) => one === null || other === null || one === other
  if (
    a.author !== b.author &&
    [a, b].some(({ text }) => FIRST_PERSON.test(glossOf(text.slice(0, MAX_GLOSSED))))
  )
    return false
  return isSame(a.role, b.role) && isSame(a.project, b.project)
}

/** Characters of a text that are looked through for a first person; the reader reads fewer. */
const MAX_GLOSSED = 1_000
const FIRST_PERSON = /\b(?:I|my|me|mine|i'm|i've)\b/i
