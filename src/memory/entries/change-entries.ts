import { AmanError } from "../../base/errors.ts"
import type { Change } from "../log/event.ts"
import { canonicalId } from "../log/ids.ts"
import type { Writer } from "../log/writer.ts"
import { type CheckedEntry, type CheckOptions, checkFields, checkReason } from "./check-entry.ts"
import type { Entry } from "./entry.ts"
import { existingEntry, type Reader, undeletedEntry } from "./find-entry.ts"
import type { NewEntry } from "./new-entry.ts"
import { type PlannedEntry, remember, supersede } from "./remember.ts"
import { normaliseTags } from "./tags.ts"
import { parseTime } from "./times.ts"

export type Invalidation = {
  /** Time at which the entry ceased to be valid; absent: now. */
  readonly validUntil?: string | undefined
  readonly reason?: string | null
  /** Id of the entry that replaces it. */
  readonly successor?: string | null
}

/**
 * Writes the event that `change` returns for each entry; writes nothing if it returns null. Returns the entries in
 * the order of the ids.
 */
export function changeEntries(
  writer: Writer,
  ids: readonly string[],
  change: (entry: Entry) => Change | null,
  find: (reader: Reader, id: string) => Entry = undeletedEntry,
): Entry[] {
  return ids.map((id) => {
    const entry = find(writer, id)
    const planned = change(entry)
    if (planned !== null) writer.write(entry.id, planned)
    return planned === null ? entry : existingEntry(writer, entry.id)
  })
}

export type TagChange = { readonly add?: readonly string[]; readonly remove?: readonly string[] }

/**
 * Returns a function that makes the event for changed tags of an entry, or null when the entry has these tags
 * already. Throws CREDENTIAL for a tag that looks like a credential.
 */
export function tagged(
  { add = [], remove = [] }: TagChange,
  options: CheckOptions = {},
): (entry: Entry) => Change | null {
  const { tags: added } = checkFields({ tags: add }, options)
  const change = { type: "tagged", add: added!, remove: normaliseTags(remove) } as const
  return ({ tags }) =>
    change.add.some((tag) => !tags.includes(tag)) || change.remove.some((tag) => tags.includes(tag))
      ? change
      : null
}

export function invalidate(writer: Writer, id: string, how: Invalidation): Entry {
  const { successor = null } = how
  const reason = checkReason(how.reason)
  const validUntil = how.validUntil === undefined ? writer.now : parseTime(how.validUntil, "valid_until")
  const next = successor === null ? null : undeletedEntry(writer, successor).id
  const [entry] = changeEntries(writer, [id], (old) => {
    if (old.id === next) throw ownSuccessor(old.id)
    return { type: "invalidated", validUntil, reason, successor: next }
  })
  return entry!
}

/** Records that entry `by` replaces entry `old`. */
export function supersedeEntry(writer: Writer, old: string, by: string, reason: string | null): Entry {
  const entry = undeletedEntry(writer, old)
  const next = undeletedEntry(writer, by)
  if (entry.id === next.id) throw ownSuccessor(entry.id)
  supersede(writer, entry.id, next, reason)
  return existingEntry(writer, entry.id)
}

/**
 * Replaces several entries by one. It gets the tags and entities of all of them; project, topic and kind come
 * from the first one unless given.
 */
export function mergeEntries(
  writer: Writer,
  ids: readonly string[],
  given: NewEntry,
  check: (entry: NewEntry) => CheckedEntry,
): PlannedEntry {
  const old = ids.map((id) => undeletedEntry(writer, id))
  const [first] = old
  if (first === undefined)
    throw new AmanError("USAGE", "nothing to merge", { hint: "give the ids of the entries" })
  const whole: NewEntry = {
    project: first.project,
    topic: first.topic,
    kind: first.kind,
    source: old.length === 1 ? first.source : null,
    ...given,
    tags: [...old.flatMap(({ tags }) => tags), ...(given.tags ?? [])],
    entities: [...old.flatMap(({ entities }) => entities), ...(given.entities ?? [])],
    supersedes: [...old.map(({ id }) => id), ...(given.supersedes ?? [])],
  }
  return remember(writer, check(whole), whole)
}

/**
 * Removes the entries' events from the log; `KnowledgeStore.scrub` after the transaction removes them from
 * the disk. Entries purged before may be named again, so that a scrub that was incomplete can be repeated.
 */
export function purge(writer: Writer, ids: readonly string[]): void {
  for (const id of ids.map(canonicalId)) {
    if (writer.store.events.isPurged(id)) continue
    const entry = existingEntry(writer, id)
    writer.write(entry.id, { type: "purged" })
    writer.store.events.purge(entry.id)
  }
}

function ownSuccessor(id: string): AmanError {
  return new AmanError("USAGE", `entry ${id} cannot supersede itself`, {
    hint: "revise it, or choose another successor",
  })
}
