import { AmanError, compareTexts } from "../../base/index.ts"
import type { KnowledgeStore } from "../../store/index.ts"
import { mentionedIn, purgeEntities, relate, writeEntities } from "../entities/change-entities.ts"
import { type Change, type EntryFields, type KnowledgeEvent, toEvent } from "../log/event.ts"
import { canonicalId } from "../log/ids.ts"
import type { Writer } from "../log/writer.ts"
import { type CheckedEntry, type CheckOptions, checkFields, checkReason } from "./check-entry.ts"
import type { Entry, EntrySource, NewEntry, RememberResult, SimilarEntry } from "./entry.ts"
import { changedFields, jsonName } from "./entry-fields.ts"
import {
  comparableText,
  entryOfKey,
  existingEntry,
  findSameEntry,
  hasEnded,
  nearDuplicate,
  type Reader,
  similarityKeys,
  toEntry,
  undeletedEntry,
} from "./entry-rows.ts"
import { comparable, looseKey, looseName } from "./labels.ts"
import { normaliseTags } from "./tags.ts"
import { firstMoment, parseTime, zoneAt } from "./times.ts"

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
  asGiven: CheckedEntry,
  given: NewEntry,
  excluded: Set<string> = new Set(),
): PlannedEntry {
  const { project, topic, key } = asGiven.fields
  const names = {
    topic: spelled(writer, "topic", project, topic),
    key: key && spelled(writer, "key", project, key),
  }
  const checked = { ...asGiven, fields: { ...asGiven.fields, ...names } }
  const { fields, relations, replaces, recordedAt } = checked
  // Checked before anything is written: one unknown id refuses the whole call.
  for (const old of replaces) undeletedEntry(writer, old)
  const made =
    keyed(writer, checked, given) ??
    planExisting(writer, checked, given, excluded) ??
    storeEntry(writer, checked)
  if (fields.session !== null) excluded.add(made.entry.id)
  writeEntities(writer, fields.project, fields.entities, recordedAt ?? writer.now)
  for (const relation of relations) relate(writer, fields.project, relation, recordedAt ?? writer.now)
  for (const old of replaces) supersede(writer, old, made.entry, recordedAt ?? writer.now)
  return made
}

/** For each transaction: the stored topics and keys of a project, by their loose form; several of one form are in a list. */
const spellings = new WeakMap<Writer, Map<string, Map<string, string[]>>>()

/** The name as it is stored if that differs only in case or hyphens, a topic also in plural; else the name itself, which counts as stored then. */
function spelled(writer: Writer, column: "topic" | "key", project: string | null, name: string): string {
  const places = spellings.get(writer) ?? new Map<string, Map<string, string[]>>()
  spellings.set(writer, places)
  const place = JSON.stringify([column, project])
  const loose = column === "key" ? looseKey : looseName
  const stored = places.get(place) ?? Map.groupBy(writer.store.entries.names(column, project), loose)
  places.set(place, stored)
  // The column of topics has their comparable form.
  const own = column === "topic" ? comparable(name) : name
  const alike = stored.get(loose(name))
  if (alike === undefined) stored.set(loose(name), [own])
  if (alike === undefined || alike.includes(own)) return name
  return column === "key" ? alike[0]! : writer.store.entries.spelling(project, alike[0]!)
}

/**
 * Records that the new entry replaces `old`. When the new entry has `validFrom`, the old entry was valid until that time;
 * one that would be valid for longer than that, or than now, is not.
 */
function supersede(
  writer: Writer,
  old: string,
  { id, validFrom }: Entry,
  at: string,
  reason: string | null = null,
): void {
  if (old === id) return
  const { validUntil } = existingEntry(writer, old)
  const end = validFrom ?? at
  const hasOwnEnd = validUntil === null ? validFrom === null : firstMoment(validUntil) <= firstMoment(end)
  if (hasOwnEnd) writer.write(old, { type: "superseded", by: id, reason }, at)
  else writer.write(old, { type: "invalidated", validUntil: end, reason, successor: id }, at)
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
  const isGiven = ([name]: [string, unknown]) => given[name as keyof NewEntry] !== undefined
  return changedFields<Partial<EntryFields>>(
    entry,
    Object.fromEntries(Object.entries(fields).filter(isGiven)),
  )
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
  const zone = recordedAt === null ? zoneAt(writer.now) : null
  const stored = { ...fields, ordinal: place, ...(zone !== null && { zone }) }
  writer.write(id, { type: "stored", fields: stored }, recordedAt ?? writer.now)
  return { entry: existingEntry(writer, id), outcome: "stored" }
}

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
  supersede(writer, entry.id, next, writer.now, reason)
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
    replaces: [...old.map(({ id }) => id), ...(given.replaces ?? [])],
  }
  return remember(writer, check(whole), whole)
}

/**
 * Removes the entries' events from the log, and those of entities and relations that came with them;
 * `KnowledgeStore.scrub` after the transaction removes them from the disk. Entries purged before may be named again, so
 * that a scrub that was incomplete can be repeated.
 */
export function purge(writer: Writer, ids: readonly string[]): void {
  const { events } = writer.store
  const present = ids.map(canonicalId).filter((id) => !events.isPurged(id))
  const subjects = new Set(present.map((id) => existingEntry(writer, id).id))
  const written = [...subjects].flatMap((id) => events.ofSubject(id).map(toEvent))
  const names = written.flatMap(({ change }) =>
    change.type === "stored" || change.type === "revised" ? (change.fields.entities ?? []) : [],
  )
  const together = Map.groupBy(events.at(written.map(({ at }) => at)).map(toEvent), ({ at }) => at)
  for (const id of subjects) {
    writer.write(id, { type: "purged" })
    events.purge(id)
  }
  const recorded = [...together.values()].flatMap((rows) => recordedWith(subjects, rows, writer))
  purgeEntities(writer, new Set(names.map(comparable)), new Set(recorded))
}

/**
 * Ids of the entities and relations that were recorded with these entries, by the events of one instant: those after an event
 * of one and before one of another entry. A relation of which other entries of that instant mention both ends is left out: it
 * may be theirs, as imports write all relations last.
 */
function recordedWith(entries: ReadonlySet<string>, rows: readonly KnowledgeEvent[], { store }: Writer) {
  const isGraph = ({ change }: KnowledgeEvent) => change.type === "entity" || change.type === "relation"
  const others = rows.filter((event) => !isGraph(event) && !entries.has(event.subject))
  const isNamed = mentionedIn(
    others.map(({ change }) => ("fields" in change ? Object.values(change.fields) : change)),
  )
  const isMentioned = (id: string) => isNamed(JSON.parse(store.entities.get(id) ?? "{}").name)
  const recorded: string[] = []
  let isOwn = others.length === 0
  for (const event of rows.toSorted((a, b) => compareTexts(a.id, b.id))) {
    const { subject, change } = event
    if (!isGraph(event)) isOwn = entries.has(subject)
    else if (isOwn && !(change.type === "relation" && [change.from, change.to].every(isMentioned)))
      recorded.push(subject)
  }
  return recorded
}

function ownSuccessor(id: string): AmanError {
  return new AmanError("USAGE", `entry ${id} cannot supersede itself`, {
    hint: "revise it, or choose another successor",
  })
}

/** Max entries compared: those that share the most rare words with the new one. */
const MAX_COMPARED = 32

/** Living entries of the same project and topic with nearly the same text, most similar first. */
export function similarEntries(
  store: KnowledgeStore,
  { id, project, topic, text }: Pick<Entry, "id" | "project" | "topic" | "text">,
): SimilarEntry[] {
  const own = comparableText(text)
  const candidates = store.entries.sharing(similarityKeys(project, topic, own), MAX_COMPARED).map(toEntry)
  return candidates
    .filter((other) => other.id !== id)
    .flatMap((other) => {
      const found = nearDuplicate(own, comparableText(other.text))
      return found === null ? [] : [{ id: other.id, text: other.text, ...found }]
    })
    .sort((a, b) => b.score - a.score || compareTexts(a.id, b.id))
    .slice(0, 5)
}

/** The error for a caller that stores new entries only (`ifNew`). */
export function notNewError(similar: readonly SimilarEntry[]): AmanError {
  const ids = similar.map(({ id, score }) => `${id} (${score.toFixed(2)})`).join(", ")
  return new AmanError("NOT_NEW", `nearly equal entries exist: ${ids}`, {
    hint: "revise or supersede that entry, or store this one without --if-new (if_new)",
  })
}
