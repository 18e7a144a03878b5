import type { EntityNames } from "../names/entity-names.ts"
import type { GraphEntity, GraphRelation } from "../settle-entities.ts"

/** An edge seen from one of its ends; `other` is the number of the other end. */
export type Edge = { readonly relation: GraphRelation; readonly other: number; readonly isOutgoing: boolean }

export type KnownEntities = {
  /** An entity's number is its index here. */
  readonly entities: readonly GraphEntity[]
  readonly relations: readonly GraphRelation[]
  readonly names: EntityNames
  /** Numbers by every id that an entity has, or had before a merge. */
  readonly numbers: ReadonlyMap<string, number>
  readonly edges: readonly (readonly Edge[])[]
}

/** Entities, their relations and the entries that mention them, at one moment. */
export type KnowledgeGraph = KnownEntities & {
  /** Ids of the entries that mention an entity; an entry's number is its index here. */
  readonly entries: readonly string[]
  /** The entities that an entry mentions, sorted; indexed by the entry's number. */
  readonly mentions: readonly (readonly number[])[]
  /** The entries that mention an entity, sorted; indexed by the entity's number. */
  readonly mentionedBy: readonly (readonly number[])[]
}

/** Builds the graph. `mentionsOf` returns the numbers of the entities that an entry mentions, sorted. */
export function knowledgeGraph<E extends { readonly id: string }>(
  known: KnownEntities,
  entries: Iterable<E>,
  mentionsOf: (entry: E) => readonly number[],
): KnowledgeGraph {
  const ids: string[] = []
  const mentions: (readonly number[])[] = []
  const mentionedBy: number[][] = known.entities.map(() => [])
  for (const entry of entries) {
    const entities = mentionsOf(entry)
    if (entities.length === 0) continue
    for (const entity of entities) mentionedBy[entity]!.push(ids.length)
    ids.push(entry.id)
    mentions.push(entities)
  }
  return { ...known, entries: ids, mentions, mentionedBy }
}

/** The graph with entries appended: id and the numbers of the entities that each mentions. */
export function withEntries(
  graph: KnowledgeGraph,
  added: Iterable<readonly [string, readonly number[]]>,
): KnowledgeGraph {
  const ids = [...graph.entries]
  const mentions = [...graph.mentions]
  const more = new Map<number, number[]>()
  for (const [id, entities] of added) {
    for (const entity of entities) more.set(entity, [...(more.get(entity) ?? []), ids.length])
    ids.push(id)
    mentions.push(entities)
  }
  const mentionedBy = [...graph.mentionedBy]
  for (const [entity, entries] of more) mentionedBy[entity] = [...mentionedBy[entity]!, ...entries]
  return { ...graph, entries: ids, mentions, mentionedBy }
}

export function knownEntities(
  entities: readonly GraphEntity[],
  relations: readonly GraphRelation[],
  names: EntityNames,
): KnownEntities {
  const numbers = new Map(entities.flatMap(({ ids }, number) => ids.map((id) => [id, number])))
  return { entities, relations, names, numbers, edges: edgesOf(entities.length, relations, numbers) }
}

function edgesOf(
  count: number,
  relations: readonly GraphRelation[],
  numbers: ReadonlyMap<string, number>,
): Edge[][] {
  const edges: Edge[][] = Array.from({ length: count }, () => [])
  for (const relation of relations) {
    const [from, to] = [numbers.get(relation.from)!, numbers.get(relation.to)!]
    edges[from]!.push({ relation, other: to, isOutgoing: true })
    edges[to]!.push({ relation, other: from, isOutgoing: false })
  }
  return edges
}
