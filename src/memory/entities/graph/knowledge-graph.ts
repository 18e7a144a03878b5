import type { EntityNames } from "../names/entity-names.ts"
import type { GraphEntity, GraphRelation } from "../settle-entities.ts"
import type { MentionRows } from "./walk-graph.ts"

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

/** Makes the graph of these mentions. `idOf`: the id of an entry by its number. */
export function knowledgeGraph(
  known: KnownEntities,
  { first, mentioned }: MentionRows,
  idOf: (entry: number) => string,
): KnowledgeGraph {
  const entries = Array.from({ length: first.length - 1 }, (_, entry) => idOf(entry))
  const mentions = entries.map((_, entry) => Array.from(mentioned.subarray(first[entry]!, first[entry + 1]!)))
  const mentionedBy: number[][] = known.entities.map(() => [])
  for (const [entry, entities] of mentions.entries())
    for (const entity of entities) mentionedBy[entity]!.push(entry)
  return { ...known, entries, mentions, mentionedBy }
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
