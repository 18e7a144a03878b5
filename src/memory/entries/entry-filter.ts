import { compareTexts } from "../../base/compare-texts.ts"
import type { ColumnFilter } from "../../store/memory/entries.ts"
import type { Entry, EntryKind, EntrySource, Json, Role } from "./entry.ts"
import { comparable } from "./labels.ts"
import { normaliseTags } from "./tags.ts"
import { firstMoment, lastMoment, parseTime } from "./times.ts"

/** Selects entries; an absent field selects all. Deleted entries are selected only with `deleted`. */
export type EntryFilter = {
  /** Ids of projects; null stands for entries that belong to all projects. */
  readonly projects?: readonly (string | null)[] | undefined
  readonly topics?: readonly string[] | undefined
  readonly kinds?: readonly EntryKind[] | undefined
  /** The entry must have all of these tags. */
  readonly tags?: readonly string[] | undefined
  readonly authors?: readonly string[] | undefined
  readonly roles?: readonly Role[] | undefined
  readonly sessions?: readonly string[] | undefined
  readonly keys?: readonly string[] | undefined
  /** The entry's source is this file or lies below this folder. */
  readonly path?: string | undefined
  /** The entry must have each of these fields with this value. */
  readonly metadata?: { readonly [key: string]: Json } | undefined
  /** Recorded at this time or later; recorded before this time (for a date: before it began). */
  readonly recordedSince?: string | undefined
  readonly recordedBefore?: string | undefined
  /**
   * Entries that were valid at this time (for a date: at its end); "now" for the present. An entry without a
   * beginning of validity is valid from the time at which it was recorded.
   */
  readonly asOf?: string | undefined
  /** False: only entries that are not superseded; true: only superseded ones. */
  readonly superseded?: boolean | undefined
  /** True: only deleted entries. */
  readonly deleted?: boolean | undefined
}

/** The fields of an entry that a filter reads. An entry without `deletedAt` is not deleted. */
export type Filterable = Pick<
  Entry,
  | "project" | "topic" | "kind" | "tags" | "key" | "author" | "role" | "session" | "metadata" | "validFrom"
  | "validUntil" | "recordedAt" | "supersededAt"
> & { readonly source: Pick<EntrySource, "path"> | null; readonly deletedAt?: string | null } // biome-ignore format: a list of names

export type EntryTest = (entry: Filterable) => boolean

/**
 * A test for entries that match the filter. `now` is an instant. Throws USAGE for an invalid time in the
 * filter.
 */
export function entryMatcher(filter: EntryFilter, now: string): EntryTest {
  const tests = [...stateTests(filter, now), ...nameTests(filter), ...otherTests(filter)]
  return (entry) => tests.every((test) => test(entry))
}

/** The same filter for the columns of the store; null if it reads a field that has no column of its own. */
export function columnFilter(filter: EntryFilter, now: string): ColumnFilter | null {
  const {
    projects,
    kinds,
    roles,
    superseded,
    deleted = false,
    recordedSince,
    recordedBefore,
    asOf,
    ...others
  } = filter
  if (Object.values(others).some((value) => value !== undefined)) return null
  return {
    ...{ projects, kinds, roles, superseded, deleted },
    validAt: asOf === undefined ? undefined : instantAsOf(asOf, now),
    recordedSince: firstInstant(recordedSince, "after"),
    recordedBefore: firstInstant(recordedBefore, "before"),
  }
}

/** True when the entry was valid at that instant. */
export function wasValidAt(
  { validFrom, validUntil, recordedAt, supersededAt }: Filterable,
  at: string,
): boolean {
  const until = validUntil ?? supersededAt
  return firstMoment(validFrom ?? recordedAt) <= at && (until === null || firstMoment(until) > at)
}

function stateTests({ deleted = false, superseded, asOf }: EntryFilter, now: string): EntryTest[] {
  const tests: EntryTest[] = [({ deletedAt = null }) => (deletedAt !== null) === deleted]
  if (superseded !== undefined) tests.push(({ supersededAt }) => (supersededAt !== null) === superseded)
  if (asOf !== undefined) {
    const at = instantAsOf(asOf, now)
    tests.push((entry) => wasValidAt(entry, at))
  }
  return tests
}

function instantAsOf(asOf: string, now: string): string {
  return asOf === "now" ? now : lastMoment(parseTime(asOf, "as of"))
}

function firstInstant(time: string | undefined, name: string): string | undefined {
  return time === undefined ? undefined : firstMoment(parseTime(time, name))
}

function nameTests(filter: EntryFilter): EntryTest[] {
  return [
    among(filter.projects, ({ project }) => project),
    among(filter.topics?.map(comparable), ({ topic }) => comparable(topic)),
    among(filter.kinds, ({ kind }) => kind),
    among(filter.authors?.map(comparable), ({ author }) => (author === null ? null : comparable(author))),
    among(filter.roles, ({ role }) => role),
    among(filter.sessions, ({ session }) => session),
    among(filter.keys, ({ key }) => key),
  ].filter((test) => test !== null)
}

function otherTests({ tags, path, metadata, recordedSince, recordedBefore }: EntryFilter): EntryTest[] {
  const tests: EntryTest[] = []
  if (tags !== undefined) {
    const wanted = normaliseTags(tags)
    tests.push((entry) => wanted.every((tag) => entry.tags.includes(tag)))
  }
  if (path !== undefined) {
    const below = path.replace(/\/*$/, "/")
    tests.push(({ source }) => source !== null && (source.path === path || source.path.startsWith(below)))
  }
  if (metadata !== undefined) {
    const wanted = Object.entries(metadata).map(([name, value]) => [name, canonical(value)] as const)
    tests.push((entry) =>
      wanted.every(
        ([name, value]) => Object.hasOwn(entry.metadata, name) && canonical(entry.metadata[name]!) === value,
      ),
    )
  }
  const since = firstInstant(recordedSince, "after")
  const before = firstInstant(recordedBefore, "before")
  if (since !== undefined) tests.push(({ recordedAt }) => recordedAt >= since)
  if (before !== undefined) tests.push(({ recordedAt }) => recordedAt < before)
  return tests
}

function among<T>(wanted: readonly T[] | undefined, value: (entry: Filterable) => T): EntryTest | null {
  if (wanted === undefined) return null
  const set = new Set(wanted)
  return (entry) => set.has(value(entry))
}

/** JSON text that is the same for equal values, whatever the order of their fields. */
function canonical(value: Json): string {
  if (Array.isArray(value)) return `[${value.map(canonical).join(",")}]`
  if (typeof value !== "object" || value === null) return JSON.stringify(value)
  const fields = Object.entries(value).sort(([a], [b]) => compareTexts(a, b))
  return `{${fields.map(([name, inner]) => `${JSON.stringify(name)}:${canonical(inner)}`).join(",")}}`
}
