import type { KnowledgeStore } from "../store/knowledge/knowledge-store.ts"
import type { Entity, Relation } from "./entity.ts"
import type { EntityFields } from "./event.ts"
import { idOf } from "./ids.ts"
import { comparable } from "./labels.ts"
import type { NewRelation } from "./new-entry.ts"
import type { Writer } from "./writer.ts"

/**
 * The id of an entity or relation follows from what it is, so that two stores in which the same came up apart mean the
 * same when they meet.
 */
export function entityId(project: string | null, name: string): string {
  return idOf("entity", project, comparable(name))
}

export function relationId(from: string, to: string, type: string): string {
  return idOf("relation", from, to, comparable(type))
}

/** The living entity of that name: the project's own before one of all projects, by name before by alias. */
export function entityNamed(store: KnowledgeStore, project: string | null, name: string): Entity | null {
  const wanted = comparable(name)
  const rank = (entity: Entity): number =>
    (entity.project === project ? 0 : 2) + (comparable(entity.name) === wanted ? 0 : 1)
  const found = store.entities
    .named(wanted)
    .map((body) => standing(store, JSON.parse(body) as Entity))
    .filter((entity) => entity !== null)
    .filter((entity) => entity.project === project || entity.project === null)
  return found.sort((a, b) => rank(a) - rank(b) || (a.id < b.id ? -1 : 1))[0] ?? null
}

/** What it was merged into, at last; null where that is deleted. */
function standing(store: KnowledgeStore, entity: Entity): Entity | null {
  const last = merged(store, entity)
  return last.deletedAt === null ? last : null
}

/** The end of its merges; where they run in a circle, the smallest id of it. */
function merged(store: KnowledgeStore, entity: Entity): Entity {
  const way = [entity]
  for (;;) {
    const last = way.at(-1)!
    const body = last.mergedInto === null ? null : store.entities.get(last.mergedInto)
    if (body === null) return last
    const next = JSON.parse(body) as Entity
    const start = way.findIndex(({ id }) => id === next.id)
    if (start >= 0) return way.slice(start).reduce((least, one) => (one.id < least.id ? one : least))
    way.push(next)
  }
}

/** Makes those that are missing. */
export function writeEntities(
  writer: Writer,
  project: string | null,
  names: readonly string[],
  at: string = writer.now,
): void {
  for (const name of names) writeEntity(writer, project, { name }, at)
}

/** The entity of that name, made where it is missing; what is given beside the name is added to it. */
export function writeEntity(
  writer: Writer,
  project: string | null,
  given: Partial<EntityFields> & { readonly name: string },
  at: string = writer.now,
): string {
  const known = entityNamed(writer.store, project, given.name)
  const isNew = known === null
  if (!isNew && Object.keys(given).length === 1) return known.id
  const id = known?.id ?? standingId(writer.store, project, given.name)
  const fields: EntityFields = { project, type: "", description: "", aliases: [], metadata: {}, ...given }
  writer.write(id, { type: "entity", fields }, at)
  return id
}

/** Of the entity of that name in this very scope, living or not: what it was merged into at last; or a new one's. */
export function standingId(store: KnowledgeStore, project: string | null, name: string): string {
  const known = entityNamed(store, project, name)
  if (known !== null && known.project === project) return known.id
  const id = entityId(project, name)
  const body = store.entities.get(id)
  return body === null ? id : merged(store, JSON.parse(body) as Entity).id
}

/** States a relation by the names of what it is between; again: with another weight. Returns its id. */
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
