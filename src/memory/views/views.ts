/*
 * Read-only projections of entries: topics and tags with counts, the order in time, mentions between topics, and
 * proposals for cleaning up. None of them changes an entry.
 */

import { compareTexts } from "../../base/index.ts"
import { countTokens, stem, unicodeWords, words } from "../../text/index.ts"
import type { Entry } from "../entries/entry.ts"
import { comparable, looseName } from "../entries/labels.ts"
import { firstMoment } from "../entries/times.ts"

/** Sorts newest first; entries of the same time by id, latest first. */
export function byNewest(a: Entry, b: Entry): number {
  return compareTexts(b.recordedAt, a.recordedAt) || compareTexts(b.id, a.id)
}

/** First line of a text, cut at a word when it is longer than `maxLength`. */
export function headline(text: string, maxLength = 100): string {
  const line = text.trimStart().split("\n", 1)[0]!.trim()
  if (line.length <= maxLength) return line
  const space = line.lastIndexOf(" ", maxLength - 1)
  const cut = line.slice(0, space > maxLength / 2 ? space : maxLength - 1)
  return `${cut.toWellFormed() === cut ? cut : cut.slice(0, -1)}…`
}

/** True when the entry is valid at the instant `at`: not deleted, superseded or expired. */
export function isValidAt({ supersededAt, validUntil, deletedAt }: Entry, at: string): boolean {
  return (
    deletedAt === null &&
    (supersededAt === null || supersededAt > at) &&
    (validUntil === null || firstMoment(validUntil) > at)
  )
}

/**
 * Topics by last change, latest first. Spellings of one loose name are one topic. `headline` and `id`
 * are those of its newest valid entry; if no entry is valid, of its newest one.
 */
export function topics(entries: readonly Entry[], now: string) {
  return [...Map.groupBy([...entries].sort(byNewest), ({ topic }) => looseName(topic)).values()]
    .map((own) => {
      const newest = own.find((entry) => isValidAt(entry, now)) ?? own[0]!
      return {
        topic: usualName(own),
        entries: own.length,
        /** Number of entries that are valid now. */
        current: own.filter((entry) => isValidAt(entry, now)).length,
        tokens: own.reduce((sum, { text }) => sum + countTokens(text), 0),
        kinds: counts([...own].reverse().map(({ kind }) => kind)),
        firstAt: own.at(-1)!.recordedAt,
        /** Time at which an entry of the topic was last stored or revised. */
        lastAt: latest(own.map(({ revisedAt }) => revisedAt)),
        headline: headline(newest.text),
        id: newest.id,
      }
    })
    .sort((a, b) => compareTexts(b.lastAt, a.lastAt) || compareTexts(a.topic, b.topic))
}

/** The topic's most frequent spelling; of equally frequent ones, the latest. The entries are sorted newest first. */
function usualName(own: readonly Entry[]): string {
  const names = [...Map.groupBy(own, ({ topic }) => topic)]
  names.sort(([a, all], [b, others]) => {
    const byTime = compareTexts(others[0]!.recordedAt, all[0]!.recordedAt)
    return others.length - all.length || byTime || compareTexts(a, b)
  })
  return names[0]![0]
}

/** Tags, the most used first. */
export function tagCounts(entries: readonly Entry[]) {
  const uses = entries.flatMap(({ tags, recordedAt }) => tags.map((tag) => ({ tag, recordedAt })))
  return [...Map.groupBy(uses, ({ tag }) => tag)]
    .map(([tag, own]) => ({ tag, entries: own.length, lastAt: latest(own.map((use) => use.recordedAt)) }))
    .sort((a, b) => b.entries - a.entries || compareTexts(a.tag, b.tag))
}

/** Numbers of entries in total and by kind, state and other properties. */
export function stats(entries: readonly Entry[], now: string) {
  const count = (test: (entry: Entry) => boolean) => entries.filter(test).length
  const recorded = entries.map(({ recordedAt }) => recordedAt).sort()
  return {
    entries: entries.length,
    current: count((entry) => isValidAt(entry, now)),
    superseded: count(({ supersededAt }) => supersededAt !== null),
    /** Entries whose validity has ended without a successor. */
    ended: count((entry) => entry.supersededAt === null && !isValidAt(entry, now)),
    revised: count(({ revision }) => revision > 1),
    topics: new Set(entries.map(({ topic }) => looseName(topic))).size,
    tags: new Set(entries.flatMap(({ tags }) => tags)).size,
    sessions: new Set(entries.flatMap(({ session }) => session ?? [])).size,
    characters: entries.reduce((sum, { text }) => sum + text.length, 0),
    tokens: entries.reduce((sum, { text }) => sum + countTokens(text), 0),
    oldest: recorded[0] ?? null,
    newest: recorded.at(-1) ?? null,
    withSource: count(({ source }) => source !== null),
    byKind: counts(entries.map(({ kind }) => kind)),
    byRole: counts(entries.map(({ role }) => role)),
    byAuthor: counts(entries.map(({ author }) => author)),
  }
}

/** The number of occurrences of each name, most frequent first; null is not counted. */
function counts(names: readonly (string | null)[]): { [name: string]: number } {
  const groups = [...Map.groupBy(names, (name) => name)].map(([name, all]) => [name, all.length] as const)
  return Object.fromEntries(groups.filter(([name]) => name !== null).sort(([, a], [, b]) => b - a))
}

function latest(times: readonly string[]): string {
  return [...times].sort().at(-1)!
}

/**
 * The entry with `count` entries before and after it, oldest first, of the same session if it has one; [] when the id
 * is unknown.
 */
export function around(entries: readonly Entry[], id: string, count: number): Entry[] {
  const middle = entries.find((entry) => entry.id === id)
  if (middle === undefined) return []
  const inOrder = entries
    .filter(({ session }) => middle.session === null || session === middle.session)
    .sort((a, b) => inSession(a, b) || byNewest(b, a))
  const at = inOrder.indexOf(middle)
  return inOrder.slice(Math.max(0, at - count), at + count + 1)
}

function inSession(a: Entry, b: Entry): number {
  return a.session !== null && a.session === b.session ? (a.ordinal ?? 0) - (b.ordinal ?? 0) : 0
}

/** Entries stored or revised in the last `hours` hours, latest first. */
export function recent(entries: readonly Entry[], hours: number, now: string): Entry[] {
  const since = daysBefore(now, hours / 24)
  return entries
    .filter(({ revisedAt }) => revisedAt >= since)
    .sort((a, b) => compareTexts(b.revisedAt, a.revisedAt) || byNewest(a, b))
}

function daysBefore(now: string, days: number): string {
  return new Date(Date.parse(now) - days * 86_400_000).toISOString()
}

/** An entry that mentions a topic, and the topic's name, id, key or entity that was found in it. */
type Mention = {
  readonly entry: Entry
  readonly by: "topic" | "id" | "key" | "entity"
  readonly name: string
}

/** Other topics that mention a topic, most mentions first; each entry with its strongest mention. */
export function xref(entries: readonly Entry[], topic: string) {
  const isOwn = (entry: Entry) => looseName(entry.topic) === looseName(topic)
  const own = entries.filter(isOwn)
  const ids = new Set(own.map(({ id }) => id))
  const keys = own.flatMap(({ key }) => (key === null ? [] : [{ stems: stemmed(key), name: key }]))
  const entities = new Map(own.flatMap((entry) => entry.entities).map((name) => [comparable(name), name]))
  const mentionIn = (entry: Entry): Mention[] => {
    const text = stemmed(entry.text)
    const has = (stems: string) => stems !== " " && text.includes(stems)
    const found: [Mention["by"], string | undefined][] = [
      ["id", (entry.text.match(/\b[0-9a-z]{20}\b/gi) ?? []).find((id) => ids.has(id))],
      ["topic", has(stemmed(topic)) ? topic : undefined],
      ["key", keys.find(({ stems }) => has(stems))?.name],
      ["entity", entry.entities.map((name) => entities.get(comparable(name))).find(Boolean)],
    ]
    return found.flatMap(([by, name]) => (name === undefined ? [] : [{ entry, by, name }])).slice(0, 1)
  }
  const mentions = entries
    .filter((entry) => !isOwn(entry))
    .sort(byNewest)
    .flatMap(mentionIn)
  return [...Map.groupBy(mentions, ({ entry }) => looseName(entry.topic)).values()]
    .map((all) => ({ topic: all[0]!.entry.topic, mentions: all }))
    .sort((a, b) => b.mentions.length - a.mentions.length || compareTexts(a.topic, b.topic))
}

/** The stems of a text, each between two spaces, so that searching for such a text finds whole words in order. */
function stemmed(text: string): string {
  return ` ${words(text).map(stem).join(" ")}${text === "" ? "" : " "}`
}

type PruneReason = "superseded" | "ended" | "repeated" | "source gone" | "old"

/** An entry that may be deleted, with its strongest reason; `detail` says it with the date or the other entry. */
type PruneProposal = { readonly entry: Entry; readonly reason: PruneReason; readonly detail: string }

/**
 * Proposes entries to delete; deletes nothing. Entries older than `days` that were never revised count as old; `gone`:
 * ids of entries whose source was deleted.
 */
export function prune(
  entries: readonly Entry[],
  { now, days, gone }: { readonly now: string; readonly days: number; readonly gone: ReadonlySet<string> },
): PruneProposal[] {
  const before = daysBefore(now, days)
  const living = entries.filter((entry) => isValidAt(entry, now)).sort((a, b) => byNewest(b, a))
  // The newest of several equal entries is not proposed.
  const kept = new Map(living.map((entry) => [sameness(entry), entry.id]))
  return entries.flatMap((entry) => {
    const { id, supersededAt, validUntil, recordedAt } = entry
    const same = isValidAt(entry, now) ? kept.get(sameness(entry)) : id
    const isOld = entry.revision === 1 && recordedAt < before && entry.kind !== "decision"
    const reasons: readonly [boolean, PruneReason, string][] = [
      [isBefore(supersededAt, before), "superseded", `by ${entry.supersededBy} on ${dayOf(supersededAt)}`],
      [isBefore(validUntil, before), "ended", `held until ${dayOf(validUntil)}`],
      [same !== id, "repeated", `the same as ${same}`],
      [gone.has(id), "source gone", `${entry.source?.path ?? "its code"} was deleted`],
      [isOld, "old", `unchanged since ${dayOf(recordedAt)}`],
    ]
    const [, reason, detail] = reasons.find(([applies]) => applies) ?? []
    return reason === undefined ? [] : [{ entry, reason, detail: detail! }]
  })
}

const isBefore = (time: string | null, before: string) => time !== null && time < before

const dayOf = (time: string | null) => (time ?? "").slice(0, 10)

function sameness({ project, topic, text }: Entry): string {
  return JSON.stringify([project, comparable(topic), comparable(text)])
}

/** Entries of one topic with nearly the same text, newest first; `overlap`: the least with the newest one, 0 to 1. */
type CompactGroup = { readonly topic: string; readonly entries: Entry[]; overlap: number }

/** Min share of the shorter entry's words that two entries of a group have in common. */
const MIN_OVERLAP = 0.5
/** Min words of an entry that may be in a group. */
const MIN_WORDS = 3

/** Proposes entries to merge; changes nothing. Entries that are no longer valid are ignored. */
export function compact(entries: readonly Entry[], now: string): CompactGroup[] {
  const living = entries.filter((entry) => isValidAt(entry, now)).sort(byNewest)
  // Words that indicate a text's subject: four characters or more, or with a character outside ASCII.
  const isTelling = (word: string) => word.length >= 4 || /[^\p{ASCII}]/u.test(word)
  const subjects = new Map(
    living.map((entry) => [entry, new Set(unicodeWords(entry.text).filter(isTelling))]),
  )
  const overlap = (entry: Entry, { entries: [newest] }: CompactGroup) =>
    overlapOfSmaller(subjects.get(entry)!, subjects.get(newest!)!)
  const places = Map.groupBy(living, ({ project, topic }) => JSON.stringify([project, comparable(topic)]))
  return [...places.values()]
    .flatMap((ofTopic) => {
      const groups: CompactGroup[] = []
      // Each entry joins the first group whose newest member it resembles, so that no chain links unrelated entries.
      for (const entry of ofTopic) {
        const group = groups.find((found) => overlap(entry, found) > MIN_OVERLAP)
        if (group === undefined) groups.push({ topic: entry.topic, entries: [entry], overlap: 1 })
        else {
          group.overlap = Math.min(group.overlap, overlap(entry, group))
          group.entries.push(entry)
        }
      }
      return groups.filter((group) => group.entries.length > 1)
    })
    .sort((a, b) => b.overlap - a.overlap)
}

/** Share of the smaller set's words that the other has, 0 to 1; 0 when it has fewer than MIN_WORDS. */
function overlapOfSmaller(a: ReadonlySet<string>, b: ReadonlySet<string>): number {
  const smaller = Math.min(a.size, b.size)
  return smaller < MIN_WORDS ? 0 : a.intersection(b).size / smaller
}
