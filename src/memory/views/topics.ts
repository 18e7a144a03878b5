import { compareTexts } from "../../base/compare-texts.ts"
import { countTokens } from "../../text/token-count.ts"
import type { Entry, EntryKind } from "../entries/entry.ts"
import { comparable } from "../entries/labels.ts"
import { byNewest, headline, isValidAt } from "./order.ts"

export type TopicSummary = {
  /** Name of the topic in its most frequent spelling; of equally frequent ones, the latest. */
  readonly topic: string
  readonly entries: number
  /** Number of entries that are valid now. */
  readonly current: number
  readonly tokens: number
  readonly firstAt: string
  /** Time at which an entry of the topic was last stored or revised. */
  readonly lastAt: string
  readonly kinds: { readonly [kind in EntryKind]?: number }
}

/** Topics by last change, latest first. Spellings that differ only in case or spaces are one topic. */
export function topics(entries: readonly Entry[], now: string): TopicSummary[] {
  return [...Map.groupBy(entries, ({ topic }) => comparable(topic)).values()]
    .map((own) => topicSummary(own, now))
    .sort((a, b) =>
      a.lastAt === b.lastAt ? compareTexts(a.topic, b.topic) : compareTexts(b.lastAt, a.lastAt),
    )
}

function topicSummary(own: readonly Entry[], now: string): TopicSummary {
  const recorded = own.map(({ recordedAt }) => recordedAt).sort()
  const kinds: { [kind in EntryKind]?: number } = {}
  for (const { kind } of own) kinds[kind] = (kinds[kind] ?? 0) + 1
  return {
    topic: usualName(own),
    entries: own.length,
    current: own.filter((entry) => isValidAt(entry, now)).length,
    tokens: own.reduce((sum, { text }) => sum + countTokens(text), 0),
    kinds,
    firstAt: recorded[0]!,
    lastAt: own
      .map(({ revisedAt }) => revisedAt)
      .sort()
      .at(-1)!,
  }
}

function usualName(own: readonly Entry[]): string {
  const names = [...Map.groupBy(own, ({ topic }) => topic)].map(([name, all]) => ({
    name,
    count: all.length,
    last: all
      .map(({ recordedAt }) => recordedAt)
      .sort()
      .at(-1)!,
  }))
  names.sort((a, b) => b.count - a.count || compareTexts(b.last, a.last) || compareTexts(a.name, b.name))
  return names[0]!.name
}

type TagCount = { readonly tag: string; readonly entries: number; readonly lastAt: string }

/** Tags, the most used first. */
export function tagCounts(entries: readonly Entry[]): TagCount[] {
  const counts = new Map<string, { entries: number; lastAt: string }>()
  for (const { tags, recordedAt } of entries) {
    for (const tag of tags) {
      const known = counts.get(tag) ?? { entries: 0, lastAt: "" }
      known.entries++
      if (recordedAt > known.lastAt) known.lastAt = recordedAt
      counts.set(tag, known)
    }
  }
  return [...counts]
    .map(([tag, count]) => ({ tag, ...count }))
    .sort((a, b) => b.entries - a.entries || compareTexts(a.tag, b.tag))
}

type DigestLine = {
  readonly topic: string
  readonly entries: number
  readonly lastAt: string
  /** Beginning of the newest valid entry; if no entry is valid, of the newest entry. */
  readonly headline: string
  readonly id: string
}

/** A digest of the topics, one line each, latest change first. */
export function topicDigest(entries: readonly Entry[], now: string): DigestLine[] {
  const groups = Map.groupBy([...entries].sort(byNewest), ({ topic }) => comparable(topic))
  return topics(entries, now).map(({ topic, entries: count, lastAt }) => {
    const own = groups.get(comparable(topic))!
    const newest = own.find((entry) => isValidAt(entry, now)) ?? own[0]!
    return { topic, entries: count, headline: headline(newest.text), id: newest.id, lastAt }
  })
}
