import { relate, writeEntities } from "../entities/write-graph.ts"
import type { EntryFields } from "../log/event.ts"
import type { Writer } from "../log/writer.ts"
import type { CheckedEntry } from "./check-entry.ts"
import type { Entry, EntrySource } from "./entry.ts"
import { jsonName } from "./entry-fields.ts"
import { entryOfKey, existingEntry, findSameEntry, hasEnded, undeletedEntry } from "./find-entry.ts"
import type { NewEntry, RememberResult } from "./new-entry.ts"

export type PlannedEntry = {
  readonly entry: Entry
  readonly outcome: RememberResult["outcome"]
  /** Names of given fields that were not stored: the existing entry with the same text has other values. */
  readonly untaken?: readonly string[]
}

/**
 * Stores one entry, or returns the existing entry that equals it. `given` has the fields as the caller gave them.
 * `excluded` has the ids of session entries stored by the same call; they are not taken for equal entries, so that a
 * sentence said twice in a conversation is stored twice.
 */
export function remember(
  writer: Writer,
  checked: CheckedEntry,
  given: NewEntry,
  excluded: Set<string> = new Set(),
): PlannedEntry {
  const { fields, relations, supersedes, recordedAt } = checked
  // Checked before anything is written: one unknown id refuses the whole call.
  for (const old of supersedes) undeletedEntry(writer, old)
  const made =
    keyed(writer, checked, given) ??
    planExisting(writer, checked, given, excluded) ??
    storeEntry(writer, checked)
  if (fields.session !== null) excluded.add(made.entry.id)
  writeEntities(writer, fields.project, fields.entities, recordedAt ?? writer.now)
  for (const relation of relations) relate(writer, fields.project, relation, recordedAt ?? writer.now)
  for (const old of supersedes) supersede(writer, old, made.entry, null, recordedAt ?? writer.now)
  return made
}

/**
 * Records that the new entry replaces `old`. When the new entry has `validFrom`, the old entry was valid until that
 * time.
 */
export function supersede(
  writer: Writer,
  old: string,
  { id, validFrom }: Entry,
  reason: string | null,
  at: string = writer.now,
): void {
  if (old === id) return
  const { validUntil } = existingEntry(writer, old)
  if (validFrom === null || validUntil !== null) writer.write(old, { type: "superseded", by: id, reason }, at)
  else writer.write(old, { type: "invalidated", validUntil: validFrom, reason, successor: id }, at)
}

function keyed(writer: Writer, { fields, recordedAt }: CheckedEntry, given: NewEntry): PlannedEntry | null {
  if (fields.key === null) return null
  const entry = entryOfKey(writer.store, fields.project, fields.key)
  if (entry === null) return null
  const at = recordedAt ?? writer.now
  const changes = differingFields(entry, fields, given)
  // Remembering an entry whose validity has ended makes it valid again.
  const renewed = hasEnded(entry, at) && !given.validUntil ? { ...changes, validUntil: null } : changes
  if (Object.keys(renewed).length === 0) return { entry, outcome: "existing" }
  writer.write(entry.id, { type: "revised", fields: renewed }, at)
  return { entry: existingEntry(writer, entry.id), outcome: "revised" }
}

/** The given fields whose values differ from the entry's. */
function differingFields(entry: Entry, fields: EntryFields, given: NewEntry): Partial<EntryFields> {
  const isOther = ([name, value]: [string, unknown]): boolean =>
    given[name as keyof NewEntry] !== undefined &&
    JSON.stringify(value) !== JSON.stringify(entry[name as keyof EntryFields])
  return Object.fromEntries(Object.entries(fields).filter(isOther))
}

function planExisting(
  writer: Writer,
  checked: CheckedEntry,
  given: NewEntry,
  excluded: ReadonlySet<string>,
): PlannedEntry | null {
  const entry = findSameEntry(writer.store, checked, writer.now, excluded)
  if (entry === null) return null
  const others = Object.keys(differingFields(entry, checked.fields, given))
  const untaken = others.filter(
    (name) => Object.hasOwn(HAS_GIVEN, name) && !HAS_GIVEN[name]!(entry, checked.fields),
  )
  return { entry, outcome: "existing", untaken: untaken.map(jsonName) }
}

/** For each field beside the text: true when the entry already contains the given value. */
const HAS_GIVEN: Readonly<Record<string, (entry: Entry, given: EntryFields) => boolean>> = {
  kind: () => false,
  tags: ({ tags }, given) => given.tags.every((tag) => tags.includes(tag)),
  entities: ({ entities }, given) => given.entities.every((name) => entities.includes(name)),
  source: ({ source }, given) => sourceKey(source) === sourceKey(given.source),
  metadata: () => false,
  validFrom: () => false,
  validUntil: () => false,
}

/** The path, lines and symbol of a source as one text, for comparison; the content of its lines does not count. */
function sourceKey(source: EntrySource | null): string {
  return JSON.stringify([source?.path, source?.startLine, source?.endLine, source?.symbol])
}

function storeEntry(writer: Writer, { fields, recordedAt }: CheckedEntry): PlannedEntry {
  const id = writer.nextId()
  const { session, ordinal } = fields
  const place = session !== null && ordinal === null ? writer.store.entries.lastOrdinal(session) + 1 : ordinal
  writer.write(id, { type: "stored", fields: { ...fields, ordinal: place } }, recordedAt ?? writer.now)
  return { entry: existingEntry(writer, id), outcome: "stored" }
}
