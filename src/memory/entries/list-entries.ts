import { compareTexts } from "../../base/index.ts"
import type { ColumnFilter, KnowledgeStore } from "../../store/index.ts"
import { foldSubjects } from "../log/derive.ts"
import { toEvent } from "../log/event.ts"
import type { Entry, EntrySource, Json } from "./entry.ts"
import type { Given } from "./entry-fields.ts"
import { toEntry } from "./entry-rows.ts"
import { comparable, looseName } from "./labels.ts"
import { normaliseTags } from "./tags.ts"
import { firstLocalMoment, firstMoment, lastMoment, parseTime } from "./times.ts"

export type ListOptions = {
  readonly limit?: number
  readonly offset?: number
  /** "recorded" (default): oldest first; "newest": newest first; "session": by session, then place in it. */
  readonly order?: "recorded" | "newest" | "session"
  /** Lists the store as it was at this time (for a date: at the end of that day); absent: as it is now. */
  readonly knownAt?: string
}

export type EntryList = { readonly entries: Entry[]; readonly total: number }

/** One page of the matching entries, and the total number of matching entries. `now` is an instant. */
export function listEntries(
  store: KnowledgeStore,
  filter: StoreFilter,
  { limit = Number.POSITIVE_INFINITY, offset = 0, order = "recorded", knownAt: then }: ListOptions,
  now: string,
): EntryList {
  const matches = entryMatcher(filter, now)
  if (then === undefined && order !== "session" && Number.isFinite(limit)) {
    // One page, read without the other entries; null if the store is small or its columns do not suffice for the filter.
    const columns = columnFilter(filter, now)
    const read = () => store.entries.page(columns!, order === "newest", limit, offset)
    const page = columns && store.consistently(read)
    const entries = page?.bodies.map(toEntry)
    // The columns have no checksum, so the entries that were read are checked.
    if (entries?.every(matches)) return { entries, total: page!.total }
  }
  const entries = then === undefined ? narrowed(store, filter) : knownAt(store, then)
  const found = entries.filter(matches)
  if (order === "newest") found.reverse()
  if (order === "session") found.sort(bySession)
  return { entries: found.slice(offset, offset + limit), total: found.length }
}

/** Entries selected by the indexed columns; the matcher applies the other filters. Oldest first. */
function narrowed(store: KnowledgeStore, { topic, session, tags }: StoreFilter): Entry[] {
  const loose = topic === undefined ? null : looseName(topic)
  const bodies = store.entries.select({
    // The stored topics that are one with the given one.
    topics:
      loose === null ? undefined : store.entries.names("topic").filter((name) => looseName(name) === loose),
    sessions: session === undefined ? undefined : [session],
    tag: tags === undefined ? undefined : normaliseTags(tags)[0],
  })
  // Sorted by the time in the entries' bodies, because these have a checksum; the time in the table's column has
  // none.
  return bodies.map(toEntry).sort(byRecorded)
}

function bySession(a: Entry, b: Entry): number {
  return (
    compareTexts(a.session ?? "", b.session ?? "") || (a.ordinal ?? 0) - (b.ordinal ?? 0) || byRecorded(a, b)
  )
}

/** Every entry as it was at that time, oldest first: folded from the events up to then. */
function knownAt(store: KnowledgeStore, then: string): Entry[] {
  const events = store.events.until(lastMoment(parseTime(then, "known_at"))).map(toEvent)
  const states = [...foldSubjects(events).values()]
  return states.flatMap(({ of, value }) => (of === "entry" ? [value] : [])).sort(byRecorded)
}

function byRecorded(a: Entry, b: Entry): number {
  return compareTexts(a.recordedAt, b.recordedAt) || compareTexts(a.id, b.id)
}

/** Selects entries; an absent field selects all. Times are ISO 8601 dates or instants. */
export type EntryFilter = Given<Record<"topic" | "author" | "role" | "session", string>> & {
  /** Only entries recorded at or after this time. */
  readonly after?: string | undefined
  /** Only entries recorded before this time; for a date: before it began. */
  readonly before?: string | undefined
  /** Ids of projects; null stands for entries that belong to all projects. */
  readonly projects?: readonly (string | null)[] | undefined
  readonly kinds?: readonly string[] | undefined
  /** The entry must have all of these tags. */
  readonly tags?: readonly string[] | undefined
  /**
   * Only entries that were valid at this time (for a date: at its end); "now" for the present. An entry without a beginning
   * of validity is valid from the time at which it was recorded.
   */
  readonly as_of?: string | undefined
  /**
   * False: without entries that were superseded or have ended by now; true: without those that were declared wrong, which
   * were never valid.
   */
  readonly outdated?: boolean | undefined
  /** The entry must have each of these fields with this value. */
  readonly metadata?: { readonly [key: string]: Json } | undefined
}

export type StoreFilter = EntryFilter & {
  /** True: only deleted entries; otherwise none of them. */
  readonly deleted?: boolean | undefined
}

/** The fields of an entry that a filter reads. An entry without `deletedAt` is not deleted. */
type Filterable = Pick<
  Entry,
  | "project" | "topic" | "kind" | "tags" | "author" | "role" | "session" | "metadata" | "validFrom"
  | "validUntil" | "recordedAt" | "supersededAt"
> & { readonly source: Pick<EntrySource, "path"> | null; readonly deletedAt?: string | null } // biome-ignore format: a list of names

type EntryTest = (entry: Filterable) => boolean

/** A test for entries that match the filter. `now` is an instant. Throws USAGE for an invalid time in the filter. */
export function entryMatcher(filter: StoreFilter, now: string): EntryTest {
  const tests = [...stateTests(filter, now), ...nameTests(filter), ...otherTests(filter)]
  return (entry) => tests.every((test) => test(entry))
}

/** The same filter for the columns of the store; null if it reads a field that has no column of its own. */
function columnFilter(filter: StoreFilter, now: string): ColumnFilter | null {
  const { projects, kinds, role, deleted = false, after, before, as_of } = filter
  const { topic, tags, author, session, outdated, metadata } = filter
  if ([topic, tags, author, session, outdated, metadata].some((value) => value !== undefined)) return null
  return {
    ...{ projects, kinds, roles: role === undefined ? undefined : [role], deleted },
    validAt: as_of === undefined ? undefined : instantAsOf(as_of, now),
    recordedSince: firstInstant(after, "after"),
    recordedBefore: firstInstant(before, "before"),
  }
}

/** True when the entry was valid at that instant. */
function wasValidAt({ validFrom, validUntil, recordedAt, supersededAt }: Filterable, at: string): boolean {
  return firstMoment(validFrom ?? recordedAt) <= at && !hasEndedBy({ validUntil, supersededAt }, at)
}

/** True for an entry that ended by that instant: it was superseded, or its validity is over. */
function hasEndedBy(
  { validUntil, supersededAt }: Pick<Filterable, "validUntil" | "supersededAt">,
  at: string,
): boolean {
  const until = validUntil ?? supersededAt
  return until !== null && firstMoment(until) <= at
}

function stateTests({ deleted = false, outdated, as_of }: StoreFilter, now: string): EntryTest[] {
  const tests: EntryTest[] = [({ deletedAt = null }) => (deletedAt !== null) === deleted]
  // What was superseded is over whatever the time of that is, because the clock of another machine may be ahead. What was
  // never true is no answer, also if it would have begun only later than now. Most entries have no end; for these nothing
  // more is read, because a question asks about each entry that shares a word with it.
  if (outdated !== undefined)
    tests.push((entry) => {
      const { validUntil, supersededAt } = entry
      if (validUntil === null && supersededAt === null) return true
      if (!outdated && (validUntil === null || firstMoment(validUntil) <= now)) return false
      return !hasEndedBy({ validUntil, supersededAt }, firstMoment(entry.validFrom ?? entry.recordedAt))
    })
  if (as_of !== undefined) {
    const at = instantAsOf(as_of, now)
    tests.push((entry) => wasValidAt(entry, at))
  }
  return tests
}

function instantAsOf(asOf: string, now: string): string {
  return asOf === "now" ? now : lastMoment(parseTime(asOf, "as of"))
}

function firstInstant(time: string | undefined, name: string): string | undefined {
  return time === undefined ? undefined : firstLocalMoment(parseTime(time, name))
}

function nameTests({ projects, topic, kinds, author, role, session }: StoreFilter): EntryTest[] {
  const tests: EntryTest[] = []
  if (projects !== undefined) tests.push(({ project }) => projects.includes(project))
  if (kinds !== undefined) tests.push(({ kind }) => kinds.includes(kind))
  if (topic !== undefined) tests.push(has(looseName(topic), (entry) => looseName(entry.topic)))
  if (author !== undefined)
    tests.push(has(comparable(author), (entry) => entry.author && comparable(entry.author)))
  if (role !== undefined) tests.push(has(role, (entry) => entry.role))
  if (session !== undefined) tests.push(has(session, (entry) => entry.session))
  return tests
}

function has(wanted: string, value: (entry: Filterable) => string | null): EntryTest {
  return (entry) => value(entry) === wanted
}

function otherTests({ tags, metadata, after, before }: StoreFilter): EntryTest[] {
  const tests: EntryTest[] = []
  if (tags !== undefined) {
    const wanted = normaliseTags(tags)
    tests.push((entry) => wanted.every((tag) => entry.tags.includes(tag)))
  }
  if (metadata !== undefined) {
    const wanted = Object.entries(metadata).map(([name, value]) => [name, canonical(value)] as const)
    tests.push((entry) =>
      wanted.every(
        ([name, value]) => Object.hasOwn(entry.metadata, name) && canonical(entry.metadata[name]!) === value,
      ),
    )
  }
  const since = firstInstant(after, "after")
  const until = firstInstant(before, "before")
  if (since !== undefined) tests.push(({ recordedAt }) => recordedAt >= since)
  if (until !== undefined) tests.push(({ recordedAt }) => recordedAt < until)
  return tests
}

/** JSON text that is the same for equal values, whatever the order of their fields. */
function canonical(value: Json): string {
  if (Array.isArray(value)) return `[${value.map(canonical).join(",")}]`
  if (typeof value !== "object" || value === null) return JSON.stringify(value)
  const fields = Object.entries(value).sort(([a], [b]) => compareTexts(a, b))
  return `{${fields.map(([name, inner]) => `${JSON.stringify(name)}:${canonical(inner)}`).join(",")}}`
}
