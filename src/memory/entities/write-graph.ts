import { compareTexts } from "../../base/compare-texts.ts"
import type { KnowledgeStore } from "../../store/memory/knowledge-store.ts"
import type { NewRelation } from "../entries/entry.ts"
import { comparable } from "../entries/labels.ts"
import type { EntityFields } from "../log/event.ts"
import { stableId } from "../log/ids.ts"
import type { Writer } from "../log/writer.ts"
import type { Entity, Relation } from "./entity.ts"

/**
 * The id of an entity; derived from its content, so that two stores that create the same entity or relation
 * separately agree when they are merged.
 */
export function entityId(project: string | null, name: string): string {
  return stableId("entity", project, comparable(name))
}

export function relationId(from: string, to: string, type: string): string {
  return stableId("relation", from, to, comparable(type))
}

/**
 * The entity with that name that is not deleted; null when there is none. An entity of the project is preferred to one
 * that belongs to all projects, and one with this name to one with this alias.
 */
export function entityNamed(store: KnowledgeStore, project: string | null, name: string): Entity | null {
  const wanted = comparable(name)
  const rank = (entity: Entity): number =>
    (entity.project === project ? 0 : 2) + (comparable(entity.name) === wanted ? 0 : 1)
  const found = store.entities
    .named(wanted)
    .map((body) => remaining(store, JSON.parse(body) as Entity))
    .filter((entity) => entity !== null)
    .filter((entity) => entity.project === project || entity.project === null)
  return found.sort((a, b) => rank(a) - rank(b) || compareTexts(a.id, b.id))[0] ?? null
}

/** The entity into which this one was finally merged, or itself; null when that entity is deleted. */
function remaining(store: KnowledgeStore, entity: Entity): Entity | null {
  const last = followMerges(store, entity)
  return last.deletedAt === null ? last : null
}

/** The entity at the end of a chain of merges; in a cycle of merges, the entity with the smallest id. */
function followMerges(store: KnowledgeStore, entity: Entity): Entity {
  const way = [entity]
  for (;;) {
    const last = way.at(-1)!
    const body = last.mergedInto === null ? null : store.entities.get(last.mergedInto)
    if (body === null) return last
    const next = JSON.parse(body) as Entity
    const start = way.findIndex(({ id }) => id === next.id)
    if (start >= 0) return way.slice(start).reduce((min, one) => (one.id < min.id ? one : min))
    way.push(next)
  }
}

/** Creates the entities that do not exist. */
export function writeEntities(
  writer: Writer,
  project: string | null,
  names: readonly string[],
  at: string = writer.now,
): void {
  for (const name of names) writeEntity(writer, project, { name }, at)
}

/**
 * Returns the id of the entity with that name, which is created if needed. Further fields are added to it.
 */
export function writeEntity(
  writer: Writer,
  project: string | null,
  given: Partial<EntityFields> & { readonly name: string },
  at: string = writer.now,
): string {
  const known = entityNamed(writer.store, project, given.name)
  const isNew = known === null
  if (!isNew && Object.keys(given).length === 1) return known.id
  const id = known?.id ?? survivingEntityId(writer.store, project, given.name)
  const fields: EntityFields = { project, type: "", description: "", aliases: [], metadata: {}, ...given }
  writer.write(id, { type: "entity", fields }, at)
  return id
}

/**
 * The id of the entity with that name in exactly this scope, deleted or not, after merges; a new id when
 * there is none.
 */
export function survivingEntityId(store: KnowledgeStore, project: string | null, name: string): string {
  const known = entityNamed(store, project, name)
  if (known !== null && known.project === project) return known.id
  const id = entityId(project, name)
  const body = store.entities.get(id)
  return body === null ? id : followMerges(store, JSON.parse(body) as Entity).id
}

/** Creates a relation between two entities given by name, or changes its weight. Returns its id. */
export function relate(
  writer: Writer,
  project: string | null,
  { from, to, type, weight = 1 }: NewRelation,
  at: string = writer.now,
): string {
  const ends = [from, to].map((name) => writeEntity(writer, project, { name }, at)) as [string, string]
  const id = relationId(ends[0], ends[1], type)
  if (isStated(writer.store, id, weight)) return id
  writer.write(id, { type: "relation", from: ends[0], to: ends[1], relation: type, weight }, at)
  return id
}

function isStated(store: KnowledgeStore, id: string, weight: number): boolean {
  const body = store.relations.get(id)
  const known: Relation | null = body === null ? null : JSON.parse(body)
  return known !== null && known.deletedAt === null && known.weight === weight
}
