import { type EdgeChoice, edgesBy } from "./edge-choice.ts"
import type { KnowledgeGraph } from "./knowledge-graph.ts"
import type { GraphEntity, GraphRelation } from "./settled-graph.ts"

export type RelatedOptions = EdgeChoice & {
  /** 1 to 5 steps; 1 where absent. */
  readonly depth?: number
  /** Which entries count; all where absent. */
  readonly accepts?: (entry: string) => boolean
}

export type RelatedEntity = {
  readonly entity: GraphEntity
  /** Steps from the entity asked for; 0 is itself. */
  readonly distance: number
  /** How many entries speak of it. */
  readonly entries: number
}

export type Related = {
  /** The one asked for first, then the nearest, of those the most telling. */
  readonly entities: readonly RelatedEntity[]
  /** Those chosen between them. */
  readonly relations: readonly GraphRelation[]
  /** Ids of entries that speak of one of them, of the nearest first. */
  readonly entries: readonly string[]
  /** Whether there is more than is shown. */
  readonly truncated: boolean
}

export const MOST_DEPTH = 5
const MOST_A_LEVEL = 100
const MOST = 1000

/** What an entity has to do with others, over so many steps: at most 100 a step, 1,000 in all. */
export function related(graph: KnowledgeGraph, start: number, options: RelatedOptions = {}): Related {
  const depth = Math.min(MOST_DEPTH, Math.max(1, options.depth ?? 1))
  const edgesOf = edgesBy(graph, options)
  const distances = new Map([[start, 0]])
  const relations = new Set<GraphRelation>()
  let truncated = false
  let level = [start]
  for (let distance = 1; distance <= depth && level.length > 0; distance++) {
    const next: number[] = []
    for (const { relation, other } of level.flatMap(edgesOf)) {
      if (!distances.has(other)) {
        if (next.length === MOST_A_LEVEL || distances.size === MOST) {
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
  const entries = entriesOf(graph, distances.keys(), options.accepts)
  return {
    entities: [...distances].map(([number, distance]) => ({
      entity: graph.entities[number]!,
      distance,
      entries: entries.counts.get(number)!,
    })),
    relations: [...relations],
    entries: [...entries.ids].slice(0, MOST),
    truncated: truncated || entries.ids.size > MOST,
  }
}

function entriesOf(
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
