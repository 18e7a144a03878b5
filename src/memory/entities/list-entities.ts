import { AmanError } from "../../base/errors.ts"
import { nearest } from "../../base/nearest.ts"
import { comparable } from "../entries/labels.ts"
import { isInScope } from "./graph/edge-choice.ts"
import type { KnowledgeGraph, KnownEntities } from "./graph/knowledge-graph.ts"
import type { GraphEntity } from "./settle-entities.ts"

type EntityFilter = {
  /** Ids of projects; null for entities without one. Absent: all. */
  readonly projects?: readonly (string | null)[]
  readonly type?: string
  /** Text contained in the name, an alias or the description. */
  readonly text?: string
  /** True: only entities with neither relations nor entries. */
  readonly orphans?: boolean
  readonly limit?: number
  readonly offset?: number
}

type ListedEntity = {
  readonly entity: GraphEntity
  readonly entries: number
  readonly relations: number
}

/** Lists entities, those with the most entries first. */
export function listEntities(
  graph: KnowledgeGraph,
  { limit = Number.POSITIVE_INFINITY, offset = 0, ...filter }: EntityFilter = {},
): { entities: ListedEntity[]; total: number } {
  const found = graph.entities
    .map((entity, number) => ({
      entity,
      entries: graph.mentionedBy[number]!.length,
      relations: graph.edges[number]!.length,
    }))
    .filter((listed, number) => isInScope(graph, number, filter.projects) && matches(listed, filter))
    .sort(compareEntities)
  return { entities: found.slice(offset, offset + limit), total: found.length }
}

function matches(
  { entity, entries, relations }: ListedEntity,
  { type, text, orphans }: EntityFilter,
): boolean {
  return (
    (type === undefined || comparable(entity.type) === comparable(type)) &&
    (orphans !== true || entries + relations === 0) &&
    (text === undefined ||
      searchedTexts(entity).some((words) => comparable(words).includes(comparable(text))))
  )
}

function searchedTexts({ name, aliases, description }: GraphEntity): string[] {
  return [name, ...aliases, description]
}

function compareEntities(one: ListedEntity, other: ListedEntity): number {
  const ties = other.entries - one.entries || other.relations - one.relations
  if (ties !== 0) return ties
  return comparable(one.entity.name) < comparable(other.entity.name) ? -1 : 1
}

/**
 * The number of the entity with that name, alias or id, as seen from a project. The error NOT_FOUND suggests
 * a similar name.
 */
export function findEntity(
  { names, numbers, entities }: KnownEntities,
  wanted: string,
  project: string | null,
): number {
  const named = names.find(wanted, project)
  const number = numbers.get(named?.id ?? wanted.trim().toLowerCase())
  const isSeen = (one: GraphEntity) => one.project === null || one.project === project
  if (number !== undefined && isSeen(entities[number]!)) return number
  const known = entities.filter(isSeen).map(({ name }) => name)
  const like = nearest(wanted, known)
  const hint = like === undefined ? "run: aman memory entities" : `did you mean ${like}?`
  throw new AmanError("NOT_FOUND", `no entity ${JSON.stringify(wanted)}`, { hint })
}
