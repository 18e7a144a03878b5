/*
 * Computes the tables from the log. `derive` folds the events of each touched subject: entities and relations are
 * written at once; entries are written first, then `settleKey` decides which of the entries with one key is the
 * current one. `rebuild` does this for all subjects.
 */

import type { KnowledgeStore } from "../../store/memory/knowledge-store.ts"
import type { Entity, Relation } from "../entities/entity.ts"
import type { Entry } from "../entries/entry.ts"
import { entityRow, entryRow, relationRow, supersedeSameKey, toEntry } from "../entries/entry-rows.ts"
import { entriesOfKey } from "../entries/find-entry.ts"
import { comparable } from "../entries/labels.ts"
import type { EntityFields, KnowledgeEvent } from "./event.ts"
import { toEvent } from "./event.ts"
import { foldEntry } from "./fold-entry.ts"

/**
 * Updates the derived tables for these subjects from the log. Call inside the transaction that wrote the
 * events; `seq` is the number of the last one.
 */
export function derive(store: KnowledgeStore, subjects: Iterable<string>, seq: number): void {
  const touched = new Map<string, Entry | null>()
  for (const subject of new Set(subjects)) {
    const events = store.events.ofSubject(subject).map(toEvent)
    const kind = subjectKind(events)
    if (kind === "entry") touched.set(subject, foldEntry(subject, events))
    else deriveGraph(store, kind, subject, events, seq)
  }
  deriveEntries(store, touched, seq)
}

/**
 * The kind of a subject, by its events. A purged subject counts as an entry: it is removed from all tables.
 */
export function subjectKind(events: readonly KnowledgeEvent[]): "entry" | "entity" | "relation" {
  const types = events.map((event) => event.change.type)
  if (types.some((type) => type.startsWith("entity"))) return "entity"
  return types.some((type) => type.startsWith("relation")) ? "relation" : "entry"
}

function deriveGraph(
  store: KnowledgeStore,
  kind: "entity" | "relation",
  id: string,
  events: readonly KnowledgeEvent[],
  seq: number,
): void {
  if (kind === "entity") {
    const entity = foldEntity(id, events)
    if (entity === null) store.entities.remove(id)
    else store.entities.put(entityRow(entity, seq))
    return
  }
  const relation = foldRelation(id, events)
  if (relation === null) store.relations.remove(id)
  else store.relations.put(relationRow(relation, seq))
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
  // The log no longer says whether a purged subject was an entry, an entity or a relation.
  store.entities.remove(id)
  store.relations.remove(id)
}

/**
 * An entity's state after its events, which must be in the order of (at, id); null when purged or not
 * created.
 */
export function foldEntity(id: string, events: readonly KnowledgeEvent[]): Entity | null {
  if (events.some((event) => event.change.type === "purged")) return null
  return events.reduce<Entity | null>((entity, event) => entityStep(entity, id, event), null)
}

function entityStep(entity: Entity | null, id: string, { at, change }: KnowledgeEvent): Entity | null {
  if (change.type === "entity")
    return entity === null ? createdEntity(id, at, change.fields) : mergedEntity(entity, at, change.fields)
  if (entity === null) return null
  if (change.type === "entity-revised") return { ...entity, ...change.fields, revisedAt: at }
  if (change.type === "entity-deleted") return { ...entity, deletedAt: at }
  return change.type === "entity-merged" && change.into !== id
    ? { ...entity, mergedInto: change.into }
    : entity
}

/** A relation's state after its events; recording it again sets the later weight and undoes a deletion. */
export function foldRelation(id: string, events: readonly KnowledgeEvent[]): Relation | null {
  if (events.some((event) => event.change.type === "purged")) return null
  return events.reduce<Relation | null>((relation, event) => relationStep(relation, id, event), null)
}

function relationStep(
  relation: Relation | null,
  id: string,
  { at, change }: KnowledgeEvent,
): Relation | null {
  if (change.type === "relation-deleted") return relation === null ? null : { ...relation, deletedAt: at }
  if (change.type !== "relation") return relation
  const { from, to, relation: type, weight } = change
  const recordedAt = relation?.recordedAt ?? at
  return { id, from, to, relation: type, weight, recordedAt, revisedAt: at, deletedAt: null }
}

function createdEntity(id: string, at: string, fields: EntityFields): Entity {
  return { ...fields, id, recordedAt: at, revisedAt: at, mergedInto: null, deletedAt: null }
}

/**
 * The entity after it was created a second time, by another store or person: the later fields are added, and
 * a deletion is undone.
 */
function mergedEntity(entity: Entity, at: string, fields: EntityFields): Entity {
  return {
    ...entity,
    type: fields.type || entity.type,
    description: fields.description || entity.description,
    aliases: otherNames(entity.name, [...entity.aliases, fields.name, ...fields.aliases]),
    metadata: { ...entity.metadata, ...fields.metadata },
    revisedAt: at,
    deletedAt: null,
  }
}

/** The aliases without duplicates and without the name itself. */
function otherNames(name: string, aliases: readonly string[]): string[] {
  const names = new Map(aliases.map((alias) => [comparable(alias), alias]))
  names.delete(comparable(name))
  return [...names.values()]
}

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
