import { compareTexts } from "../../base/compare-texts.ts"
import type { KnowledgeStore } from "../../store/memory/knowledge-store.ts"
import { toEvent } from "../log/event.ts"
import { foldEntry } from "../log/fold-entry.ts"
import type { Entry } from "./entry.ts"
import { columnFilter, type EntryFilter, entryMatcher } from "./entry-filter.ts"
import { supersedeSameKey, toEntry } from "./entry-rows.ts"
import { comparable } from "./labels.ts"
import { normaliseTags } from "./tags.ts"
import { lastMoment, parseTime } from "./times.ts"

export type ListOptions = {
  readonly limit?: number
  readonly offset?: number
  /**
   * "recorded" (default): oldest first; "newest": newest first; "session": by session, then place in it.
   */
  readonly order?: "recorded" | "newest" | "session"
  /** Lists the store as it was at this time (for a date: at the end of that day); absent: as it is now. */
  readonly knownAt?: string
}

export type EntryList = { readonly entries: Entry[]; readonly total: number }

/** One page of the matching entries, and the total number of matching entries. `now` is an instant. */
export function listEntries(
  store: KnowledgeStore,
  filter: EntryFilter,
  { limit = Number.POSITIVE_INFINITY, offset = 0, order = "recorded", knownAt: then }: ListOptions,
  now: string,
): EntryList {
  const matches = entryMatcher(filter, now)
  if (then === undefined && order !== "session" && Number.isFinite(limit)) {
    const page = readPage(store, filter, { limit, offset, order }, now)
    if (page?.entries.every(matches)) return page
  }
  const entries = then === undefined ? narrowed(store, filter) : knownAt(store, then)
  const found = entries.filter(matches)
  if (order === "newest") found.reverse()
  if (order === "session") found.sort(bySession)
  return { entries: found.slice(offset, offset + limit), total: found.length }
}

/**
 * One page, read without the other entries; null if the store is small or its columns do not suffice for the filter. The
 * columns have no checksum, so the caller checks the entries that were read.
 */
function readPage(
  store: KnowledgeStore,
  filter: EntryFilter,
  { limit, offset, order }: { readonly limit: number; readonly offset: number; readonly order: string },
  now: string,
): EntryList | null {
  const columns = columnFilter(filter, now)
  const page =
    columns && store.consistently(() => store.entries.page(columns, order === "newest", limit, offset))
  return page && { entries: page.bodies.map(toEntry), total: page.total }
}

/** Entries selected by the indexed columns; the matcher applies the other filters. Oldest first. */
function narrowed(store: KnowledgeStore, { topics, sessions, keys, tags }: EntryFilter): Entry[] {
  const bodies = store.entries.select({
    topics: topics?.map(comparable),
    sessions,
    keys,
    tag: tags === undefined ? undefined : normaliseTags(tags)[0],
  })
  // Sorted by the time in the entries' bodies, because these have a checksum; the time in the table's column has
  // none.
  return bodies
    .map(toEntry)
    .sort((a, b) => compareTexts(a.recordedAt, b.recordedAt) || compareTexts(a.id, b.id))
}

function bySession(a: Entry, b: Entry): number {
  return (
    compareTexts(a.session ?? "", b.session ?? "") ||
    (a.ordinal ?? 0) - (b.ordinal ?? 0) ||
    compareTexts(a.recordedAt, b.recordedAt) ||
    compareTexts(a.id, b.id)
  )
}

/** Every entry as it was at that time, oldest first: folded from the events up to then. */
function knownAt(store: KnowledgeStore, then: string): Entry[] {
  const rows = store.events.until(lastMoment(parseTime(then, "known_at")))
  const bySubject = Map.groupBy(rows, ({ subject }) => subject)
  const entries = [...bySubject].flatMap(([id, events]) => foldEntry(id, events.map(toEvent)) ?? [])
  const groups = Map.groupBy(entries, ({ project, key }) =>
    key === null ? null : JSON.stringify([project, key]),
  )
  const settled = [...groups].flatMap(([key, group]) => (key === null ? group : supersedeSameKey(group)))
  return settled.sort((a, b) => (recordedKey(a) < recordedKey(b) ? -1 : 1))
}

function recordedKey({ recordedAt, id }: Entry): string {
  return recordedAt + id
}
