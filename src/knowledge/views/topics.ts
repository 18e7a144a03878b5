import { countTokens } from "../../text/token-count.ts"
import type { Entry, EntryKind } from "../entry.ts"
import { comparable } from "../labels.ts"
import { holds } from "./holds.ts"
import { compare } from "./order.ts"

export type TopicSummary = {
  /** As it is written most, of equals as it was written last. */
  readonly topic: string
  readonly entries: number
  /** Of these hold now. */
  readonly current: number
  readonly tokens: number
  readonly firstAt: string
  /** When an entry of it was last stored or revised. */
  readonly lastAt: string
  readonly kinds: { readonly [kind in EntryKind]?: number }
}

/** Topics by their last change, that of today first; however they are cased and spaced, they are one. */
export function topics(entries: readonly Entry[], now: string): TopicSummary[] {
  return [...Map.groupBy(entries, ({ topic }) => comparable(topic)).values()]
    .map((own) => summary(own, now))
    .sort((a, b) => (a.lastAt === b.lastAt ? compare(a.topic, b.topic) : compare(b.lastAt, a.lastAt)))
}

function summary(own: readonly Entry[], now: string): TopicSummary {
  const recorded = own.map(({ recordedAt }) => recordedAt).sort()
  const kinds: { [kind in EntryKind]?: number } = {}
  for (const { kind } of own) kinds[kind] = (kinds[kind] ?? 0) + 1
  return {
    topic: usualName(own),
    entries: own.length,
    current: own.filter((entry) => holds(entry, now)).length,
    tokens: own.reduce((sum, { text }) => sum + countTokens(text), 0),
    firstAt: recorded[0]!,
    lastAt: own
      .map(({ revisedAt }) => revisedAt)
      .sort()
      .at(-1)!,
    kinds,
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
  names.sort((a, b) => b.count - a.count || compare(b.last, a.last) || compare(a.name, b.name))
  return names[0]!.name
}
