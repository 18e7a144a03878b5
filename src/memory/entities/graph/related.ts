import type { GraphEntity, GraphRelation } from "../settle-entities.ts"
import { type EdgeChoice, edgesBy } from "./edge-choice.ts"
import type { KnowledgeGraph } from "./knowledge-graph.ts"

type RelatedOptions = EdgeChoice & {
  /** Max number of steps from the start entity, 1 to 5; 1 when absent. */
  readonly depth?: number
  /** Filter of entries by id; all when absent. */
  readonly accepts?: (entry: string) => boolean
}

type RelatedEntity = {
  readonly entity: GraphEntity
  /** Steps from the start entity, which has 0. */
  readonly distance: number
  /** Number of entries that mention the entity. */
  readonly entries: number
}

export type RelatedGraph = {
  /** The start entity first, then the nearest; of equally near ones, the most informative. */
  readonly entities: readonly RelatedEntity[]
  /** The selected relations between the returned entities. */
  readonly relations: readonly GraphRelation[]
  /** Ids of entries that mention one of them, those of the nearest first. */
  readonly entries: readonly string[]
  /** True when there are more related entities than were returned. */
  readonly truncated: boolean
}

const MAX_DEPTH = 5
const MAX_PER_LEVEL = 100
const MAX_TOTAL = 1000

/** The entities related to an entity within some steps: at most 100 per step, 1,000 in all. */
export function related(graph: KnowledgeGraph, start: number, options: RelatedOptions = {}): RelatedGraph {
  const depth = Math.min(MAX_DEPTH, Math.max(1, options.depth ?? 1))
  const edgesOf = edgesBy(graph, options)
  const distances = new Map([[start, 0]])
  const relations = new Set<GraphRelation>()
  let truncated = false
  let level = [start]
  for (let distance = 1; distance <= depth && level.length > 0; distance++) {
    const next: number[] = []
    for (const { relation, other } of level.flatMap(edgesOf)) {
      if (!distances.has(other)) {
        if (next.length === MAX_PER_LEVEL || distances.size === MAX_TOTAL) {
          truncated = true
          continue
        }
        distances.set(other, distance)
        next.push(other)
      }
      relations.add(relation)
    }
    level = next
  }
  const entries = mentioningEntries(graph, distances.keys(), options.accepts)
  return {
    entities: [...distances].map(([number, distance]) => ({
      entity: graph.entities[number]!,
      distance,
      entries: entries.counts.get(number)!,
    })),
    relations: [...relations],
    entries: [...entries.ids].slice(0, MAX_TOTAL),
    truncated: truncated || entries.ids.size > MAX_TOTAL,
  }
}

function mentioningEntries(
  graph: KnowledgeGraph,
  entities: Iterable<number>,
  accepts: (entry: string) => boolean = () => true,
): { readonly ids: Set<string>; readonly counts: Map<number, number> } {
  const ids = new Set<string>()
  const counts = new Map<number, number>()
  for (const entity of entities) {
    const own = graph.mentionedBy[entity]!.map((entry) => graph.entries[entry]!).filter(accepts)
    for (const id of own) ids.add(id)
    counts.set(entity, own.length)
  }
  return { ids, counts }
}
