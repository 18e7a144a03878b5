import type { Entity, Relation } from "./entity.ts"
import type { EntityFields, KnowledgeEvent } from "./event.ts"
import { comparable } from "./labels.ts"

/** What an entity is after its events, which must be in the order of (at, id). */
export function foldEntity(id: string, events: readonly KnowledgeEvent[]): Entity | null {
  if (events.some((event) => event.change.type === "purged")) return null
  return events.reduce<Entity | null>((entity, event) => entityStep(entity, id, event), null)
}

function entityStep(entity: Entity | null, id: string, { at, change }: KnowledgeEvent): Entity | null {
  if (change.type === "entity")
    return entity === null ? made(id, at, change.fields) : met(entity, at, change.fields)
  if (entity === null) return null
  if (change.type === "entity-revised") return { ...entity, ...change.fields, revisedAt: at }
  if (change.type === "entity-deleted") return { ...entity, deletedAt: at }
  return change.type === "entity-merged" && change.into !== id
    ? { ...entity, mergedInto: change.into }
    : entity
}

/** What a relation is after its events; stated again it has the later weight, and lives again where it was deleted. */
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

function made(id: string, at: string, fields: EntityFields): Entity {
  return { ...fields, id, recordedAt: at, revisedAt: at, mergedInto: null, deletedAt: null }
}

/** Two stores, or two people, made the same: what the later one knows is added. It lives again where it was deleted. */
function met(entity: Entity, at: string, fields: EntityFields): Entity {
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

/** Each once, and none that is the name itself. */
function otherNames(name: string, aliases: readonly string[]): string[] {
  const names = new Map(aliases.map((alias) => [comparable(alias), alias]))
  names.delete(comparable(name))
  return [...names.values()]
}
