import type { Salvaged } from "../store/knowledge/salvage.ts"
import { appendEvents } from "./append-events.ts"
import type { Entity, Relation } from "./entity.ts"
import type { Entry } from "./entry.ts"
import type { Change, EntityFields, EntryFields } from "./event.ts"
import { eventProblem } from "./exchange/event-shape.ts"
import { parseJson } from "./exchange/json-value.ts"
import type { Writer } from "./writer.ts"

type Bodies = Pick<Salvaged, "entries" | "entities" | "relations">

/** Writes what former tables say and the log, of which parts were lost, does not; how many of them it was. */
export function mendAll(writer: Writer, { entries, entities, relations }: Bodies): number {
  const { store } = writer
  const absent = (table: { get(id: string): string | null }, { id }: { readonly id: string }): boolean =>
    table.get(id) === null && !store.events.isPurged(id)
  const mended = [
    ...entries.map((body) => mendEntry(writer, body)),
    ...parsed<Entity>(entities, (one) => ({ type: "entity", fields: entityFields(one) }))
      .filter((one) => absent(store.entities, one))
      .map((one) => mendEntity(writer, one)),
    ...parsed<Relation>(relations, relationChange)
      .filter((one) => one.deletedAt === null && absent(store.relations, one))
      .map((one) => put(writer, one.id, one.recordedAt, relationChange(one))),
  ]
  return mended.filter(Boolean).length
}

function mendEntry(writer: Writer, body: string): boolean {
  const [entry] = parsed<Entry>([body], (one) => ({ type: "stored", fields: entryFields(one) }))
  const { entries, events } = writer.store
  if (entry === undefined || entries.get(entry.id) === body || events.isPurged(entry.id)) return false
  const fields = entryFields(entry)
  if (entries.get(entry.id) === null) put(writer, entry.id, entry.recordedAt, { type: "stored", fields })
  const known: Entry = JSON.parse(entries.get(entry.id)!)
  if (JSON.stringify(entryFields(known)) !== JSON.stringify(fields))
    writer.write(entry.id, { type: "revised", fields, reason: "recovered" }, entry.revisedAt)
  const { supersededBy, supersededAt, deletedAt } = entry
  if (supersededBy !== null && known.supersededBy === null)
    writer.write(entry.id, { type: "superseded", by: supersededBy, reason: null }, supersededAt!)
  if (deletedAt !== null && known.deletedAt === null)
    writer.write(entry.id, { type: "deleted", reason: null }, deletedAt)
  return true
}

function mendEntity(writer: Writer, entity: Entity): boolean {
  const { id, recordedAt, mergedInto, deletedAt } = entity
  put(writer, id, recordedAt, { type: "entity", fields: entityFields(entity) })
  if (mergedInto !== null) writer.write(id, { type: "entity-merged", into: mergedInto })
  if (deletedAt !== null) writer.write(id, { type: "entity-deleted" })
  return true
}

/** With exactly that time: it is when the thing was recorded. */
function put(writer: Writer, subject: string, at: string, change: Change): boolean {
  return appendEvents(writer.store, [{ id: writer.nextId(), at, subject, change }]) > 0
}

/** Those that are whole, by what an event of them would have to be. */
function parsed<T extends { readonly id: string; readonly recordedAt: string }>(
  bodies: readonly string[],
  change: (one: T) => Change,
): T[] {
  return bodies.flatMap((body) => {
    const one = parseJson(body) as T | null | undefined
    if (typeof one !== "object" || one === null) return []
    const event = { id: one.id, at: one.recordedAt, subject: one.id, change: change(one) }
    return eventProblem(event) === null ? [one] : []
  })
}

function entryFields(entry: Entry): EntryFields {
  const { project, topic, kind, text, tags, key, source, author, role, session } = entry
  const { ordinal, entities, metadata, validFrom, validUntil } = entry
  return {
    ...{ project, topic, kind, text, tags, key, source, author, role, session },
    ...{ ordinal, entities, metadata, validFrom, validUntil },
  }
}

function entityFields({ project, name, type, description, aliases, metadata }: Entity): EntityFields {
  return { project, name, type, description, aliases, metadata }
}

function relationChange({ from, to, relation, weight }: Relation): Change {
  return { type: "relation", from, to, relation, weight }
}
