import { countTokens } from "../../text/token-count.ts"
import type { Entry } from "../entries/entry.ts"
import { comparable } from "../entries/labels.ts"
import { isValidAt } from "./order.ts"

export type Stats = {
  readonly entries: number
  readonly current: number
  readonly superseded: number
  /** Entries whose validity has ended without a successor. */
  readonly ended: number
  readonly revised: number
  readonly topics: number
  readonly tags: number
  readonly sessions: number
  readonly characters: number
  readonly tokens: number
  readonly oldest: string | null
  readonly newest: string | null
  readonly withSource: number
  readonly byKind: { readonly [kind: string]: number }
  readonly byRole: { readonly [role: string]: number }
  readonly byAuthor: { readonly [author: string]: number }
}

/** Numbers of entries in total and by kind, state and other properties. */
export function stats(entries: readonly Entry[], now: string): Stats {
  const count = (test: (entry: Entry) => boolean) => entries.filter(test).length
  const recorded = entries.map(({ recordedAt }) => recordedAt).sort()
  return {
    entries: entries.length,
    current: count((entry) => isValidAt(entry, now)),
    superseded: count(({ supersededAt }) => supersededAt !== null),
    ended: count((entry) => entry.supersededAt === null && !isValidAt(entry, now)),
    revised: count(({ revision }) => revision > 1),
    topics: new Set(entries.map(({ topic }) => comparable(topic))).size,
    tags: new Set(entries.flatMap(({ tags }) => tags)).size,
    sessions: new Set(entries.flatMap(({ session }) => (session === null ? [] : [session]))).size,
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
  const found = new Map<string, number>()
  for (const name of names) if (name !== null) found.set(name, (found.get(name) ?? 0) + 1)
  return Object.fromEntries([...found].sort(([, a], [, b]) => b - a))
}
