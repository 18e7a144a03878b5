import { AmanError } from "../base/errors.ts"
import type { KnowledgeStore } from "../store/knowledge/knowledge-store.ts"
import type { CheckedEntry } from "./check-entry.ts"
import type { Entry } from "./entry.ts"
import { textHash, toEntry } from "./entry-rows.ts"
import { canonicalId } from "./ids.ts"
import { comparable } from "./labels.ts"
import { isLiving } from "./one-per-key.ts"
import { firstMoment } from "./times.ts"

/** The entry of an id, deleted or not; NOT_FOUND where there is none. */
export function existingEntry(store: KnowledgeStore, id: string): Entry {
  const body = store.entries.get(canonicalId(id))
  if (body !== null) return toEntry(body)
  throw new AmanError("NOT_FOUND", `no entry ${id}`, { hint: "run: aman memory list" })
}

/** The same, but a deleted one has first to be restored. */
export function undeletedEntry(store: KnowledgeStore, id: string): Entry {
  const entry = existingEntry(store, id)
  if (entry.deletedAt === null) return entry
  throw new AmanError("NOT_FOUND", `entry ${entry.id} was deleted`, {
    hint: `run: aman memory restore ${entry.id}`,
  })
}

/** Those that bear the key, whatever became of them. */
export function entriesOfKey(store: KnowledgeStore, project: string | null, key: string): Entry[] {
  // A column may hold two keys that are no well-formed text as one.
  return store.entries
    .withKey(project, key)
    .map(toEntry)
    .filter((entry) => entry.key === key && entry.project === project)
}

/** The one that bears the key now. */
export function entryOfKey(store: KnowledgeStore, project: string | null, key: string): Entry | null {
  return entriesOfKey(store, project, key).find(isLiving) ?? null
}

/** Of the one that bears the key now, else of the last that did; null where none ever did. */
export function idOfKey(store: KnowledgeStore, project: string | null, key: string): string | null {
  const all = entriesOfKey(store, project, key)
  return (all.find(isLiving) ?? all.at(-1))?.id ?? null
}

/**
 * The living entry that says the same in the same topic. What somebody else said, or at another time, or elsewhere in
 * a conversation, is another statement; so is one of something that had ceased to hold. Not one of those `told`.
 */
export function sameEntry(
  store: KnowledgeStore,
  { fields, recordedAt }: CheckedEntry,
  now: string,
  told: ReadonlySet<string>,
): Entry | null {
  const { project, topic, text, session, ordinal, author, key } = fields
  const isSame = (entry: Entry): boolean =>
    isLiving(entry) &&
    !told.has(entry.id) &&
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

/** Whether it no longer held at that instant. */
export function hasEnded({ validUntil }: Entry, at: string): boolean {
  return validUntil !== null && firstMoment(validUntil) <= at
}
