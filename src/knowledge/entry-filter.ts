import type { Entry, EntryKind, Json, Role } from "./entry.ts"
import { comparable } from "./labels.ts"
import { normaliseTags } from "./tags.ts"
import { firstMoment, lastMoment } from "./times.ts"

/** Which entries are meant; what is absent matters not. Deleted ones are never meant unless asked for. */
export type EntryFilter = {
  /** Ids of projects; null among them: what belongs to all. */
  readonly projects?: readonly (string | null)[]
  readonly topics?: readonly string[]
  readonly kinds?: readonly EntryKind[]
  /** All of them. */
  readonly tags?: readonly string[]
  readonly authors?: readonly string[]
  readonly roles?: readonly Role[]
  readonly sessions?: readonly string[]
  readonly keys?: readonly string[]
  /** Of the source: that file, or all below that folder. */
  readonly path?: string
  readonly metadata?: { readonly [key: string]: Json }
  /** Recorded then or later; before then. */
  readonly recordedSince?: string
  readonly recordedBefore?: string
  /** What held then, of a date at its end; "now" for now. What says no beginning holds since it was recorded. */
  readonly asOf?: string
  /** Only what nothing has taken the place of, or only what something has. */
  readonly superseded?: boolean
  /** Only what was deleted. */
  readonly deleted?: boolean
}

/** `now` is an instant; dates in the filter are checked ones. */
export function matches(entry: Entry, filter: EntryFilter, now: string): boolean {
  return (
    (entry.deletedAt !== null) === (filter.deleted ?? false) &&
    (filter.superseded === undefined || (entry.supersededAt !== null) === filter.superseded) &&
    hasNames(entry, filter) &&
    (filter.tags === undefined || normaliseTags(filter.tags).every((tag) => entry.tags.includes(tag))) &&
    (filter.path === undefined || isBelow(entry.source?.path, filter.path)) &&
    (filter.metadata === undefined || hasMetadata(entry.metadata, filter.metadata)) &&
    (filter.recordedSince === undefined || entry.recordedAt >= firstMoment(filter.recordedSince)) &&
    (filter.recordedBefore === undefined || entry.recordedAt < firstMoment(filter.recordedBefore)) &&
    (filter.asOf === undefined || heldAt(entry, filter.asOf === "now" ? now : lastMoment(filter.asOf)))
  )
}

/** Whether it held at that instant. */
export function heldAt({ validFrom, validUntil, recordedAt, supersededAt }: Entry, at: string): boolean {
  const until = validUntil ?? supersededAt
  return firstMoment(validFrom ?? recordedAt) <= at && (until === null || firstMoment(until) > at)
}

function hasNames(entry: Entry, filter: EntryFilter): boolean {
  return (
    isAmong(entry.project, filter.projects) &&
    isAmong(comparable(entry.topic), filter.topics?.map(comparable)) &&
    isAmong(entry.kind, filter.kinds) &&
    isAmong(entry.author === null ? null : comparable(entry.author), filter.authors?.map(comparable)) &&
    isAmong(entry.role, filter.roles) &&
    isAmong(entry.session, filter.sessions) &&
    isAmong(entry.key, filter.keys)
  )
}

function isAmong<T>(value: T, wanted: readonly T[] | undefined): boolean {
  return wanted === undefined || wanted.includes(value)
}

function isBelow(path: string | undefined, wanted: string): boolean {
  return path !== undefined && (path === wanted || path.startsWith(wanted.replace(/\/*$/, "/")))
}

function hasMetadata(metadata: Entry["metadata"], wanted: Entry["metadata"]): boolean {
  return Object.entries(wanted).every(
    ([name, value]) =>
      Object.hasOwn(metadata, name) && JSON.stringify(metadata[name]) === JSON.stringify(value),
  )
}
