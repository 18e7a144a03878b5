import type { KnowledgeStore } from "../store/knowledge/knowledge-store.ts"
import type { Entry } from "./entry.ts"
import { type EntryFilter, entryMatcher } from "./entry-filter.ts"
import { toEntry } from "./entry-rows.ts"
import { knownAt } from "./known-at.ts"
import { comparable } from "./labels.ts"
import { normaliseTags } from "./tags.ts"

export type ListOptions = {
  readonly limit?: number
  readonly offset?: number
  /** "recorded": oldest first, as without; "newest"; "session": by session, in the order of what was said. */
  readonly order?: "recorded" | "newest" | "session"
  /** What the store knew then, of a date at its end, in the forms of then. */
  readonly knownAt?: string
}

export type Listed = { readonly entries: Entry[]; readonly total: number }

/** `now` is an instant. */
export function listEntries(
  store: KnowledgeStore,
  filter: EntryFilter,
  { limit = Number.POSITIVE_INFINITY, offset = 0, order = "recorded", knownAt: then }: ListOptions,
  now: string,
): Listed {
  const entries = then === undefined ? narrowed(store, filter) : knownAt(store, then)
  const found = entries.filter(entryMatcher(filter, now))
  if (order === "newest") found.reverse()
  if (order === "session") found.sort(bySession)
  return { entries: found.slice(offset, offset + limit), total: found.length }
}

/** Read by what the tables have an index for; the rest is for the matcher. */
function narrowed(store: KnowledgeStore, { topics, sessions, keys, tags }: EntryFilter): Entry[] {
  const bodies = store.entries.select({
    topics: topics?.map(comparable),
    sessions,
    keys,
    tag: tags === undefined ? undefined : normaliseTags(tags)[0],
  })
  return bodies.map(toEntry)
}

function bySession(a: Entry, b: Entry): number {
  return (
    compare(a.session ?? "", b.session ?? "") ||
    (a.ordinal ?? 0) - (b.ordinal ?? 0) ||
    compare(a.recordedAt, b.recordedAt) ||
    compare(a.id, b.id)
  )
}

function compare(a: string, b: string): number {
  if (a === b) return 0
  return a < b ? -1 : 1
}
