import type { CheckedEntry } from "./check-entry.ts"
import type { Entry, EntrySource } from "./entry.ts"
import type { EntryFields } from "./event.ts"
import { entryOfKey, existingEntry, hasEnded, sameEntry, undeletedEntry } from "./find-entry.ts"
import type { NewEntry, Remembered } from "./new-entry.ts"
import { relate, writeEntities } from "./write-graph.ts"
import type { Writer } from "./writer.ts"

export type Made = {
  readonly entry: Entry
  readonly outcome: Remembered["outcome"]
  /** What was said besides the text, and is otherwise in the entry that says it already. */
  readonly untaken?: readonly string[]
}

/**
 * Stores one entry, or finds that it is there. `given` says which fields were asked for; `told`, which grows, has the
 * ids of what was told in one go: who says the same twice in a conversation said it twice.
 */
export function remember(
  writer: Writer,
  checked: CheckedEntry,
  given: NewEntry,
  told: Set<string> = new Set(),
): Made {
  const { fields, relations, supersedes, recordedAt } = checked
  // Before anything is written: an unknown one refuses the whole.
  for (const old of supersedes) undeletedEntry(writer.store, old)
  const made = keyed(writer, checked, given) ?? known(writer, checked, given, told) ?? stored(writer, checked)
  if (fields.session !== null) told.add(made.entry.id)
  writeEntities(writer, fields.project, fields.entities, recordedAt ?? writer.now)
  for (const relation of relations) relate(writer, fields.project, relation, recordedAt ?? writer.now)
  for (const old of supersedes) supersede(writer, old, made.entry, null, recordedAt ?? writer.now)
  return made
}

/** The old one gave way to the new: it held until the new one did, where that says since when. */
export function supersede(
  writer: Writer,
  old: string,
  { id, validFrom }: Entry,
  reason: string | null,
  at: string = writer.now,
): void {
  if (old === id) return
  const { validUntil } = existingEntry(writer.store, old)
  if (validFrom === null || validUntil !== null) writer.write(old, { type: "superseded", by: id, reason }, at)
  else writer.write(old, { type: "invalidated", validUntil: validFrom, reason, successor: id }, at)
}

function keyed(writer: Writer, { fields, recordedAt }: CheckedEntry, given: NewEntry): Made | null {
  if (fields.key === null) return null
  const entry = entryOfKey(writer.store, fields.project, fields.key)
  if (entry === null) return null
  const at = recordedAt ?? writer.now
  const changes = changed(entry, fields, given)
  // Said again, it holds again.
  const renewed = hasEnded(entry, at) && !given.validUntil ? { ...changes, validUntil: null } : changes
  if (Object.keys(renewed).length === 0) return { entry, outcome: "existing" }
  writer.write(entry.id, { type: "revised", fields: renewed }, at)
  return { entry: existingEntry(writer.store, entry.id), outcome: "revised" }
}

/** What was asked for and is otherwise. */
function changed(entry: Entry, fields: EntryFields, given: NewEntry): Partial<EntryFields> {
  const isOther = ([name, value]: [string, unknown]): boolean =>
    given[name as keyof NewEntry] !== undefined &&
    JSON.stringify(value) !== JSON.stringify(entry[name as keyof EntryFields])
  return Object.fromEntries(Object.entries(fields).filter(isOther))
}

function known(
  writer: Writer,
  checked: CheckedEntry,
  given: NewEntry,
  told: ReadonlySet<string>,
): Made | null {
  const entry = sameEntry(writer.store, checked, writer.now, told)
  if (entry === null) return null
  const others = Object.keys(changed(entry, checked.fields, given))
  const untaken = others.filter(
    (name) => Object.hasOwn(BESIDES, name) && !BESIDES[name]!(entry, checked.fields),
  )
  return { entry, outcome: "existing", untaken: untaken.map((name) => SAID[name] ?? name) }
}

/** Whether an entry has what was said besides its text. */
const BESIDES: Readonly<Record<string, (entry: Entry, said: EntryFields) => boolean>> = {
  kind: () => false,
  tags: ({ tags }, said) => said.tags.every((tag) => tags.includes(tag)),
  entities: ({ entities }, said) => said.entities.every((name) => entities.includes(name)),
  source: ({ source }, said) => placeOf(source) === placeOf(said.source),
  metadata: () => false,
  validFrom: () => false,
  validUntil: () => false,
}
const SAID: Readonly<Record<string, string>> = { validFrom: "valid_from", validUntil: "valid_until" }

/** Where it is, not what stands there now. */
function placeOf(source: EntrySource | null): string {
  return JSON.stringify([source?.path, source?.startLine, source?.endLine, source?.symbol])
}

function stored(writer: Writer, { fields, recordedAt }: CheckedEntry): Made {
  const id = writer.nextId()
  const { session, ordinal } = fields
  const place = session !== null && ordinal === null ? writer.store.entries.lastOrdinal(session) + 1 : ordinal
  writer.write(id, { type: "stored", fields: { ...fields, ordinal: place } }, recordedAt ?? writer.now)
  return { entry: existingEntry(writer.store, id), outcome: "stored" }
}
