import { AmanError } from "../../base/errors.ts"
import type { KnowledgeStore } from "../../store/memory/knowledge-store.ts"
import { canonicalId } from "../log/ids.ts"
import type { CheckedEntry } from "./check-entry.ts"
import type { Entry } from "./entry.ts"
import { isLiving, textHash, toEntry } from "./entry-rows.ts"
import { comparable } from "./labels.ts"
import { firstMoment } from "./times.ts"

/** Ids of the projects whose entries may be read and changed; null in the list: entries of all projects. */
export type Reach = () => readonly (string | null)[]

/** A store, and the part of it that may be reached; null: all of it. */
export type Reader = { readonly store: KnowledgeStore; readonly reach: Reach | null }

/** The entry with this id, deleted or not; throws NOT_FOUND when there is none within reach. */
export function existingEntry({ store, reach }: Reader, id: string): Entry {
  const body = store.entries.get(canonicalId(id))
  const entry = body === null ? null : toEntry(body)
  if (entry !== null && (reach === null || reach().includes(entry.project))) return entry
  store.requireSound()
  throw new AmanError("NOT_FOUND", `no entry ${id}`, { hint: "run: aman memory list" })
}

/** The entry with this id; throws NOT_FOUND when there is none within reach or it is deleted. */
export function undeletedEntry(reader: Reader, id: string): Entry {
  const entry = existingEntry(reader, id)
  if (entry.deletedAt === null) return entry
  throw new AmanError("NOT_FOUND", `entry ${entry.id} was deleted`, {
    hint: `run: aman memory restore ${entry.id}`,
  })
}

/** All entries with this key, deleted and superseded ones included. */
export function entriesOfKey(store: KnowledgeStore, project: string | null, key: string): Entry[] {
  // SQLite may store two different keys that are not well-formed Unicode as the same text.
  return store.entries
    .withKey(project, key)
    .map(toEntry)
    .filter((entry) => entry.key === key && entry.project === project)
}

/** The living entry with this key; null when there is none. */
export function entryOfKey(store: KnowledgeStore, project: string | null, key: string): Entry | null {
  return entriesOfKey(store, project, key).find(isLiving) ?? null
}

/** Id of the living entry with this key, else of the last entry that had it; null when no entry ever had it. */
export function idOfKey(store: KnowledgeStore, project: string | null, key: string): string | null {
  const all = entriesOfKey(store, project, key)
  return (all.find(isLiving) ?? all.at(-1))?.id ?? null
}

/**
 * The living entry (neither deleted nor superseded) with the same text in the same topic; null when there is none. An
 * entry does not count as the same if it has another author or time, is at another place of a conversation, has ceased
 * to be valid, or has an id in `excluded`.
 */
export function findSameEntry(
  store: KnowledgeStore,
  { fields, recordedAt }: CheckedEntry,
  now: string,
  excluded: ReadonlySet<string>,
): Entry | null {
  const { project, topic, text, session, ordinal, author, key } = fields
  const isSame = (entry: Entry): boolean =>
    isLiving(entry) &&
    !excluded.has(entry.id) &&
    (!hasEnded(entry, recordedAt ?? now) || entry.validUntil === fields.validUntil) &&
    entry.text.trim() === text.trim() &&
    entry.session === session &&
    entry.author === author &&
    entry.key === key &&
    (ordinal === null || entry.ordinal === ordinal) &&
    (recordedAt === null || entry.recordedAt === recordedAt)
  const candidates = store.entries.withText(project, comparable(topic), textHash(text))
  return candidates.map(toEntry).find(isSame) ?? null
}

/** True when the entry was no longer valid at that instant. */
export function hasEnded({ validUntil }: Entry, at: string): boolean {
  return validUntil !== null && firstMoment(validUntil) <= at
}
