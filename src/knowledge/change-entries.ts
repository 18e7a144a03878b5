import { AmanError } from "../base/errors.ts"
import type { KnowledgeStore } from "../store/knowledge/knowledge-store.ts"
import { type CheckedEntry, checkReason } from "./check-entry.ts"
import type { Entry } from "./entry.ts"
import type { Change } from "./event.ts"
import { existingEntry, undeletedEntry } from "./find-entry.ts"
import { canonicalId } from "./ids.ts"
import type { NewEntry } from "./new-entry.ts"
import { type Made, remember, supersede } from "./remember.ts"
import { parseTime } from "./times.ts"
import type { Writer } from "./writer.ts"

export type Invalidation = {
  /** When it ceased to hold; absent: now. */
  readonly validUntil?: string | undefined
  readonly reason?: string | null
  /** The entry that says what holds since. */
  readonly successor?: string | null
}

/** In the order of the ids; an entry for which there is nothing to do stays as it is. */
export function changeEntries(
  writer: Writer,
  ids: readonly string[],
  change: (entry: Entry) => Change | null,
  find: (store: KnowledgeStore, id: string) => Entry = undeletedEntry,
): Entry[] {
  return ids.map((id) => {
    const entry = find(writer.store, id)
    const wanted = change(entry)
    if (wanted !== null) writer.write(entry.id, wanted)
    return wanted === null ? entry : existingEntry(writer.store, entry.id)
  })
}

export function invalidate(writer: Writer, id: string, how: Invalidation): Entry {
  const { successor = null } = how
  const reason = checkReason(how.reason)
  const validUntil = how.validUntil === undefined ? writer.now : parseTime(how.validUntil, "valid_until")
  const next = successor === null ? null : undeletedEntry(writer.store, successor).id
  const [entry] = changeEntries(writer, [id], (old) => {
    if (old.id === next) throw ownSuccessor(old.id)
    return { type: "invalidated", validUntil, reason, successor: next }
  })
  return entry!
}

/** The old one gives way to the new. */
export function supersedeEntry(writer: Writer, old: string, by: string, reason: string | null): Entry {
  const entry = undeletedEntry(writer.store, old)
  const next = undeletedEntry(writer.store, by)
  if (entry.id === next.id) throw ownSuccessor(entry.id)
  supersede(writer, entry.id, next, reason)
  return existingEntry(writer.store, entry.id)
}

/**
 * One entry in the place of several: it has the tags and entities of them all, and where nothing else is said their
 * topic.
 */
export function merge(
  writer: Writer,
  ids: readonly string[],
  given: NewEntry,
  check: (entry: NewEntry) => CheckedEntry,
): Made {
  const old = ids.map((id) => undeletedEntry(writer.store, id))
  const [first] = old
  if (first === undefined) throw new AmanError("USAGE", "nothing to merge", { hint: "name the entries' ids" })
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
 * All that was ever said of them leaves the log, and with `KnowledgeStore.scrub` after the transaction the disk. Those
 * that are purged already may be named again, where the disk is what matters.
 */
export function purge(writer: Writer, ids: readonly string[]): void {
  for (const id of ids.map(canonicalId)) {
    if (writer.store.events.isPurged(id)) continue
    const entry = existingEntry(writer.store, id)
    writer.write(entry.id, { type: "purged" })
    writer.store.events.purge(entry.id)
  }
}

function ownSuccessor(id: string): AmanError {
  return new AmanError("USAGE", `entry ${id} cannot take its own place`, {
    hint: "revise it, or name another successor",
  })
}
