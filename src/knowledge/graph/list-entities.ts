import { comparable } from "../labels.ts"
import { isInScope } from "./edge-choice.ts"
import type { KnowledgeGraph } from "./knowledge-graph.ts"
import type { GraphEntity } from "./settled-graph.ts"

export type EntityFilter = {
  /** Ids of projects, null for what belongs to none; all where absent. */
  readonly projects?: readonly (string | null)[]
  readonly type?: string
  /** In the name, an alias or the description. */
  readonly text?: string
  /** Only those with neither relations nor entries. */
  readonly orphans?: boolean
  readonly limit?: number
  readonly offset?: number
}

export type ListedEntity = {
  readonly entity: GraphEntity
  readonly entries: number
  readonly relations: number
}

/** Those with the most entries first. */
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
    .sort(compare)
  return { entities: found.slice(offset, offset + limit), total: found.length }
}

function matches(
  { entity, entries, relations }: ListedEntity,
  { type, text, orphans }: EntityFilter,
): boolean {
  return (
    (type === undefined || comparable(entity.type) === comparable(type)) &&
    (orphans !== true || entries + relations === 0) &&
    (text === undefined || wordsOf(entity).some((words) => comparable(words).includes(comparable(text))))
  )
}

function wordsOf({ name, aliases, description }: GraphEntity): string[] {
  return [name, ...aliases, description]
}

function compare(one: ListedEntity, other: ListedEntity): number {
  const ties = other.entries - one.entries || other.relations - one.relations
  if (ties !== 0) return ties
  return comparable(one.entity.name) < comparable(other.entity.name) ? -1 : 1
}
