/*
 * Decides which hits of an answer are superseded or contradicted. `settleRead` adds what was read to make a hit untrue.
 * `settle`: 1. declared supersessions; 2. updates among the best hits, told by what was read of the two (readings.ts);
 * 3. marks on both entries of a pair; 4. newer entries are moved above older ones, unless the question is about the past.
 */

import { glossOf, type TextSpan } from "../../text/index.ts"
import type { Entry } from "../entries/entry.ts"
import { comparable } from "../entries/labels.ts"
import { firstMoment } from "../entries/times.ts"
import { isValidAt } from "../views/views.ts"
import { isAboutPast } from "./past.ts"
import { inOrder, MIN_ODDS, type OddsOf, type Readings, validSince } from "./readings.ts"

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
  /** True when the supersession was declared; false when it was inferred from what was read. */
  readonly isDeclared: boolean
  /** Entries of this answer that this one supersedes. */
  readonly updates: readonly string[]
  /** Entries of this answer that contradict this one. */
  readonly contradicts: readonly string[]
  /** Entries that it probably replaces, judging by what was read, and for which it can stand. */
  readonly replaces: readonly string[]
}

export type MarkedHit<H extends EntryHit> = { readonly hit: H; readonly mark: ConflictMark }

type SettleOptions = {
  /** The moment the question is about, an ISO instant: an entry superseded after it still counts as valid. */
  readonly at: string
  readonly odds: OddsOf
  /** Number of the best hits that are compared with each other. */
  readonly compared?: number
}

/** Number of the best hits that are compared with each other. Among lower ranks more inferences are wrong. */
const COMPARED = 10
/**
 * Max entries that are added to an answer because they were read to make one of its hits untrue, and their score as a share of that
 * hit's: less than what stands for it by the score.
 */
const [MAX_NEWER, NEWER_SHARE] = [10, 0.4]

type StoredReadings = { readonly of: (ids: readonly string[]) => Pick<Readings, "conflicts" | "odds"> }

/**
 * Like `settle` by stored readings. Beside each of the best hits it adds the entries that were read to make it untrue, because an update
 * need not have the question's words; not for questions about the past. `newerHit` returns a hit for an entry, whose score does not
 * count; null if it must not be shown.
 */
export function settleRead<H extends EntryHit>(
  query: string,
  hits: readonly H[],
  {
    at,
    readings,
    newerHit,
    compared = COMPARED,
  }: Omit<SettleOptions, "odds"> & {
    readonly readings: StoredReadings
    readonly newerHit: (id: string, than: H) => H | null
  },
): MarkedHit<H>[] {
  const best = hits.slice(0, compared)
  const max = best.length + MAX_NEWER
  let asked = isAboutPast(query) ? [] : best.filter((hit) => holds(hit, at))
  // What is newer than an added one is asked for as well.
  while (asked.length > 0) {
    const { conflicts, odds } = readings.of(asked.map(({ entry }) => entry.id))
    const newerThan = (than: H) =>
      conflicts
        .filter(({ older }) => older === than.entry.id)
        .flatMap((pair) => newerHit(pair.newer, than) ?? [])
        .map((hit) => ({ ...hit, score: than.score * NEWER_SHARE }))
        .filter((hit) => holds(hit, at) && isConflict(than.entry, hit.entry, odds))
        .sort((a, b) => validSince(b.entry) - validSince(a.entry))
    const pairs = asked.flatMap((than) => newerThan(than).map((hit) => [than, hit] as const))
    const added: H[] = []
    for (const [than, hit] of pairs) {
      if (best.length >= max || best.some(({ entry }) => entry.id === hit.entry.id)) continue
      // One that does not stand for it must not take its place in a short answer.
      best.splice(best.indexOf(than) + (standsFor(than, hit, odds) ? 0 : 1), 0, hit)
      added.push(hit)
    }
    asked = added
  }
  const ids = new Set(best.map(({ entry }) => entry.id))
  const all = [...best, ...hits.slice(compared).filter(({ entry }) => !ids.has(entry.id))]
  return settle(query, all, { at, odds: readings.of([...ids]).odds, compared: best.length })
}

/** True for an entry that has begun, has not ended and was not superseded at that instant. */
function holds({ entry }: EntryHit, at: string): boolean {
  const { validFrom } = entry
  return isValidAt(entry, at) && (validFrom === null || firstMoment(validFrom) <= at)
}

/** True if the older one need not be shown: the odds are high, or the newer one fits the question about as well. */
function standsFor(older: EntryHit, newer: EntryHit, oddsOf: OddsOf): boolean {
  const isNewer = validSince(newer.entry) > validSince(older.entry)
  return (
    isNewer && (conflictOdds(older.entry, newer.entry, oddsOf) >= CERTAIN || newer.score >= 0.5 * older.score)
  )
}

/**
 * Moves valid entries above those that they supersede, and marks both. It changes order and marks only; no hit is
 * dropped. Declared supersessions always count; among the best hits, those inferred from
 * what was read count, too. For questions about the past the order is not changed.
 */
export function settle<H extends EntryHit>(
  query: string,
  hits: readonly H[],
  { at, odds, compared = COMPARED }: SettleOptions,
): MarkedHit<H>[] {
  const marks = hits.map((hit) => declaredMark(hit, at))
  const declared = declaredPairs(hits, marks)
  const lifts: HitPair[] = []
  const inferred = inferPairs(hits.slice(0, compared), odds)
  for (const { older, newer, standsForOlder } of inferred.updates) {
    if (!holds(hits[newer]!, at)) continue
    marks[older]!.outdatedBy ??= hits[newer]!.entry.id
    if (marks[older]!.isDeclared) continue
    marks[newer]!.updates.push(hits[older]!.entry.id)
    if (!standsForOlder) continue
    if (marks[older]!.outdatedBy === hits[newer]!.entry.id) marks[newer]!.replaces.push(hits[older]!.entry.id)
    lifts.push({ older, newer })
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
 * score and chance are at least theirs.
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
      const all = [hit, ...replaces.map((id) => byId.get(id)!.hit)]
      const score = Math.max(...all.map((each) => each.score))
      const chance = Math.max(...all.map((each) => each.chance))
      return { hit: { ...hit, score, chance }, mark: { ...mark, replaces } }
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

type Update = HitPair & { readonly standsForOlder: boolean }

/**
 * Infers which hits supersede others: first those that stand for the older one, then the newest. Of two statements of one
 * time that deny each other, none is the newer: they contradict each other.
 */
function inferPairs(hits: readonly EntryHit[], oddsOf: OddsOf) {
  const updates: Update[] = []
  const contradictions: HitPair[] = []
  const sinceOf = (at: number) => validSince(hits[at]!.entry)
  for (let one = 0; one < hits.length; one++) {
    for (let other = 0; other < one; other++) {
      const [a, b] = [hits[one]!.entry, hits[other]!.entry]
      const [older, newer] = inOrder(a, b)[0] === a ? [one, other] : [other, one]
      if (conflictOdds(a, b, oddsOf) < MIN_ODDS) continue
      const standsForOlder = standsFor(hits[older]!, hits[newer]!, oddsOf)
      if (sinceOf(one) === sinceOf(other)) contradictions.push({ older, newer })
      else updates.push({ older, newer, standsForOlder })
    }
  }
  updates.sort(
    (a, b) => Number(b.standsForOlder) - Number(a.standsForOlder) || sinceOf(b.newer) - sinceOf(a.newer),
  )
  return { updates, contradictions }
}

/** Log odds from which an update need not fit the question: of look-alikes 1 in 100 reach them, of updates 50. */
const CERTAIN = 3

/** True if one of two entries is the newer one and makes the older one untrue. */
export function isConflict(older: Entry, newer: Entry, oddsOf: OddsOf): boolean {
  return inOrder(older, newer)[1] === newer && conflictOdds(older, newer, oddsOf) >= MIN_ODDS
}

function conflictOdds(a: Entry, b: Entry, oddsOf: OddsOf): number {
  const read = oddsOf(...inOrder(a, b))
  return read === null || read < MIN_ODDS || !mayConflict(a, b) ? 0 : read + byCircumstance(a, b)
}

/** Evidence that the texts do not have: topics, tags and entities. */
function byCircumstance(one: Entry, other: Entry): number {
  const isOneTopic = comparable(one.topic) === comparable(other.topic)
  const [a, b] = [labelsOf(one), labelsOf(other)]
  // Equal labels count only within a topic, because in two projects they mean different things.
  const areOther = a.size > 0 && b.size > 0 && !(isOneTopic && a.intersection(b).size > 0)
  return (isOneTopic ? 0 : -1) - (areOther ? 20 : 0)
}

function labelsOf({ tags, entities }: Entry): ReadonlySet<string> {
  return new Set([...tags, ...entities].map(comparable))
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
