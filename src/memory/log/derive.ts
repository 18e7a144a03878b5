/*
 * Computes the tables from the log. `derive` folds the events of each touched subject: entities and relations are
 * written at once; entries are written first, then `settleKey` decides which of the entries with one key is the
 * current one. `rebuild` does this for all subjects.
 */

import type { KnowledgeStore } from "../../store/index.ts"
import type { Entity, Relation } from "../entities/entities.ts"
import type { Entry } from "../entries/entry.ts"
import {
  entityRow,
  entriesOfKey,
  entryRow,
  relationRow,
  supersedeSameKey,
  toEntry,
} from "../entries/entry-rows.ts"
import { comparable } from "../entries/labels.ts"
import { firstMoment, parseTime } from "../entries/times.ts"
import { type EntityFields, foldOrder, type KnowledgeEvent, toEvent, toRow } from "./event.ts"
import { entryForms, foldEntry } from "./fold-entry.ts"

/**
 * Updates the derived tables for these subjects from the log. Call inside the transaction that wrote the
 * events; `seq` is the number of the last one.
 */
export function derive(store: KnowledgeStore, subjects: Iterable<string>, seq: number): void {
  const touched = new Map<string, Entry | null>()
  for (const subject of new Set(subjects)) {
    const state = foldSubject(subject, store.events.ofSubject(subject).map(toEvent))
    if (state?.of === "entity") store.entities.put(entityRow(state.value, seq))
    else if (state?.of === "relation") store.relations.put(relationRow(state.value, seq))
    // The log no longer says whether a purged subject was an entry, an entity or a relation.
    else touched.set(subject, state?.value ?? null)
  }
  deriveEntries(store, touched, seq)
}

/** The kind of a subject, by its events. */
function subjectKind(events: readonly KnowledgeEvent[]): "entry" | "entity" | "relation" {
  const types = events.map((event) => event.change.type)
  if (types.some((type) => type.startsWith("entity"))) return "entity"
  return types.some((type) => type.startsWith("relation")) ? "relation" : "entry"
}

function deriveEntries(store: KnowledgeStore, touched: ReadonlyMap<string, Entry | null>, seq: number): void {
  const entries = new Map(touched)
  const groups = new Map<string, [project: string | null, key: string]>()
  for (const [id, entry] of touched) {
    const former = store.entries.get(id)
    for (const form of [entry, former === null ? null : toEntry(former)])
      if (form !== null && form.key !== null)
        groups.set(JSON.stringify([form.project, form.key]), [form.project, form.key])
    // The row is written before settleKey runs, so that settleKey finds all entries that have the key.
    if (entry === null) removeEntry(store, id)
    else store.entries.put(entryRow(entry, seq))
  }
  for (const [project, key] of groups.values()) settleKey(store, entries, project, key, seq)
}

function settleKey(
  store: KnowledgeStore,
  touched: ReadonlyMap<string, Entry | null>,
  project: string | null,
  key: string,
  seq: number,
): void {
  const present = entriesOfKey(store, project, key)
  const own = present.map(
    ({ id }) => touched.get(id) ?? foldEntry(id, store.events.ofSubject(id).map(toEvent))!,
  )
  for (const [i, settled] of supersedeSameKey(own).entries())
    if (JSON.stringify(settled) !== JSON.stringify(present[i])) store.entries.put(entryRow(settled, seq))
}

function removeEntry(store: KnowledgeStore, id: string): void {
  store.entries.remove(id)
  store.computed.clear()
  store.entities.remove(id)
  store.relations.remove(id)
}

/** An entity's state after an event; the events must be in the order of (at, id). Null until it is created. */
function entityStep(entity: Entity | null, id: string, { at, change }: KnowledgeEvent): Entity | null {
  if (change.type === "entity") {
    return entity === null
      ? { ...change.fields, id, recordedAt: at, revisedAt: at, mergedInto: null, deletedAt: null }
      : mergedEntity(entity, at, change.fields)
  }
  if (entity === null) return null
  if (change.type === "entity-revised") return { ...entity, ...change.fields, revisedAt: at }
  if (change.type === "entity-deleted") return { ...entity, deletedAt: at }
  return change.type === "entity-merged" && change.into !== id
    ? { ...entity, mergedInto: change.into }
    : entity
}

/** A relation's state after an event; recording it again sets the later weight and undoes a deletion. */
function relationStep(former: Relation | null, id: string, { at, change }: KnowledgeEvent): Relation | null {
  if (change.type === "relation-deleted") return former && { ...former, deletedAt: at }
  if (change.type !== "relation") return former
  const { from, to, relation, weight } = change
  const recordedAt = former?.recordedAt ?? at
  return { id, from, to, relation, weight, recordedAt, revisedAt: at, deletedAt: null }
}

/**
 * The entity after it was created a second time, by another store or person: the later fields are added, and a deletion is
 * undone.
 */
function mergedEntity(entity: Entity, at: string, fields: EntityFields): Entity {
  const all = [...entity.aliases, fields.name, ...fields.aliases]
  const aliases = new Map(all.map((alias) => [comparable(alias), alias]))
  aliases.delete(comparable(entity.name))
  return {
    ...entity,
    ...{ type: fields.type || entity.type, description: fields.description || entity.description },
    ...{ aliases: [...aliases.values()], metadata: { ...entity.metadata, ...fields.metadata } },
    ...{ revisedAt: at, deletedAt: null },
  }
}

/** What an entry, entity or relation is after its events. */
export type SubjectState =
  | { readonly of: "entry"; readonly value: Entry }
  | { readonly of: "entity"; readonly value: Entity }
  | { readonly of: "relation"; readonly value: Relation }
export type SubjectStates = ReadonlyMap<string, SubjectState>

/** The state of each subject of these events, as a store that has exactly them derives it; purged ones are absent. */
export function foldSubjects(events: readonly KnowledgeEvent[]): SubjectStates {
  const states = new Map<string, SubjectState>()
  for (const [id, history] of Map.groupBy(foldOrder(events), ({ subject }) => subject)) {
    const state = foldSubject(id, history)
    if (state !== null) states.set(id, state)
  }
  const keyed = [...states.values()].flatMap(({ of, value }) =>
    of === "entry" && value.key !== null ? [value] : [],
  )
  const groups = Map.groupBy(keyed, ({ project, key }) => JSON.stringify([project, key]))
  for (const group of groups.values())
    for (const value of supersedeSameKey(group)) states.set(value.id, { of: "entry", value })
  return states
}

/** What a subject is after its events, in the order of (at, id); null when it is purged, or not created yet. */
function foldSubject(id: string, events: readonly KnowledgeEvent[]): SubjectState | null {
  if (events.some(isPurge)) return null
  const of = subjectKind(events)
  const value = FOLDS[of](id, events)
  return value && ({ of, value } as SubjectState)
}

/** Returns a function for the state after all events of a subject. */
function folded<T>(step: (state: T | null, id: string, event: KnowledgeEvent) => T | null) {
  return (id: string, events: readonly KnowledgeEvent[]): T | null =>
    events.reduce<T | null>((state, event) => step(state, id, event), null)
}

const FOLDS = { entry: foldEntry, entity: folded(entityStep), relation: folded(relationStep) }

export type RebuildReport = {
  readonly events: number
  readonly entries: number
  readonly entities: number
  readonly relations: number
  /** Ids whose rows differed from the log; empty unless the tables were wrong. */
  readonly differing: readonly string[]
}

/** Derives every table again from the log and reports which rows differed. Call inside a transaction. */
export function rebuild(store: KnowledgeStore): RebuildReport {
  store.derived.clear()
  // The stored data was computed from the former rows, which may have been wrong, so it is removed.
  store.computed.clear()
  derive(store, store.events.subjects(), store.events.lastSeq())
  return {
    events: store.events.count(),
    entries: store.entries.after(0).length,
    entities: store.entities.after(0).length,
    relations: store.relations.after(0).length,
    differing: store.derived.differing(),
  }
}

/** Adds events; returns the number of new ones. Skips events of purged subjects. Call inside a transaction. */
export function appendEvents(store: KnowledgeStore, events: readonly KnowledgeEvent[]): number {
  // Purges come first, so that the events they remove are not added by the same call.
  const ordered = [...events].sort((a, b) => Number(isPurge(b)) - Number(isPurge(a)))
  const touched = new Set<string>()
  let added = 0
  for (const event of ordered) {
    if (!isPurge(event) && store.events.isPurged(event.subject)) continue
    if (!store.events.add(toRow(event))) continue
    if (isPurge(event)) store.events.purge(event.subject)
    touched.add(event.subject)
    added++
  }
  derive(store, touched, store.events.lastSeq())
  return added
}

export function isPurge({ change }: KnowledgeEvent): boolean {
  return change.type === "purged"
}

export type ChangedSince = {
  /** Changed entries in their current state, deleted and superseded ones included. */
  readonly entries: readonly Entry[]
  readonly entities: readonly Entity[]
  readonly relations: readonly Relation[]
  /** Ids of the entries, entities and relations that were purged. */
  readonly purged: readonly string[]
  /** Cursor to pass to the next call. */
  readonly seq: number
}

/**
 * Changes since event number `seq`, for an index to apply; 0: everything. `entriesSince`: the number for entries, where
 * an index has more of them than of entities.
 */
export function changedSince(store: KnowledgeStore, seq: number, entriesSince = seq): ChangedSince {
  return store.consistently(() => {
    const last = store.events.lastSeq()
    if (last === seq) return { entries: [], entities: [], relations: [], purged: [], seq }
    return {
      entries: entriesSince === last ? [] : store.entries.after(entriesSince).map(toEntry),
      entities: store.entities.after(seq).map((body): Entity => JSON.parse(body)),
      relations: store.relations.after(seq).map((body): Relation => JSON.parse(body)),
      purged: entriesSince === 0 ? [] : store.events.purgedAfter(entriesSince),
      seq: last,
    }
  })
}

/** An event of an entry with its state before and after; null before it was stored and after it was purged. */
export type EntryStep = {
  readonly event: KnowledgeEvent
  readonly before: Entry | null
  readonly after: Entry | null
}

/** Events of entries from that date or instant on, oldest first. */
export function changesSince(store: KnowledgeStore, since: string): EntryStep[] {
  const start = firstMoment(parseTime(since, "since"))
  const subjects = new Set(store.events.since(start).map(({ subject }) => subject))
  return [...subjects]
    .flatMap((subject) => entrySteps(store, subject))
    .filter(({ event }) => event.at >= start)
    .sort((a, b) => (a.event.at + a.event.id < b.event.at + b.event.id ? -1 : 1))
}

/** All events of one entry, oldest first; empty when the id is not that of an entry. */
export function entrySteps(store: KnowledgeStore, id: string): EntryStep[] {
  const events = store.events.ofSubject(id).map(toEvent)
  if (!events.some(({ change }) => change.type === "stored" || change.type === "purged")) return []
  const forms = entryForms(id, events)
  return forms.map(({ event, entry }, i) => ({ event, before: forms[i - 1]?.entry ?? null, after: entry }))
}
