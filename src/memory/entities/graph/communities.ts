import type { GraphEntity } from "../settle-entities.ts"
import { degreeOf, isInScope } from "./edge-choice.ts"
import type { KnowledgeGraph } from "./knowledge-graph.ts"

type CommunityOptions = {
  /** Ids of projects whose entities count; null for those without one. Absent: all. */
  readonly projects?: readonly (string | null)[]
  /** Values above 1 give smaller communities; 1 when absent. */
  readonly resolution?: number
}

type Communities = {
  /**
   * Communities of at least two entities, the largest first; in each, the entity with the most relations and
   * entries first.
   */
  readonly communities: readonly (readonly GraphEntity[])[]
  /** Modularity: how much denser ties within communities are than by chance, -0.5 to 1. */
  readonly modularity: number
  /** Number of entities without any tie. */
  readonly alone: number
}

/** Maximum entities of an entry that creates ties; an entry with more is a list. */
const MAX_IN_ENTRY = 20

/** Communities of entities, by their relations and by entries that mention several of them (Louvain). */
export async function communities(
  graph: KnowledgeGraph,
  options: CommunityOptions = {},
): Promise<Communities> {
  const [{ UndirectedGraph }, { default: louvain }] = await Promise.all([
    import("graphology"),
    import("graphology-communities-louvain"),
  ])
  const ties = new UndirectedGraph<{ weight?: number }, { weight: number }>()
  for (const [one, other, weight] of tiesOf(graph)) {
    if (!(isInScope(graph, one, options.projects) && isInScope(graph, other, options.projects))) continue
    ties.mergeNode(String(one))
    ties.mergeNode(String(other))
    ties.updateEdge(String(one), String(other), (known) => ({ weight: (known.weight ?? 0) + weight }))
  }
  const alone = graph.entities.filter(
    (_, i) => isInScope(graph, i, options.projects) && !ties.hasNode(String(i)),
  ).length
  if (ties.order === 0) return { communities: [], modularity: 0, alone }
  const { communities, modularity } = louvain.detailed(ties, {
    resolution: options.resolution ?? 1,
    rng: seededChance(),
  })
  return { communities: grouped(graph, communities), modularity, alone }
}

/**
 * Ties from relations by their weight, and between every two entities of an entry, weaker the more entities
 * it mentions (Newman 2001).
 */
function* tiesOf(graph: KnowledgeGraph): Iterable<[one: number, other: number, weight: number]> {
  for (const { from, to, weight } of graph.relations) {
    if (weight > 0) yield [graph.numbers.get(from)!, graph.numbers.get(to)!, weight]
  }
  for (const entities of graph.mentions) {
    if (entities.length > MAX_IN_ENTRY) continue
    for (const [i, one] of entities.entries()) {
      for (const other of entities.slice(i + 1)) yield [one, other, 1 / (entities.length - 1)]
    }
  }
}

function grouped(graph: KnowledgeGraph, byNode: Readonly<Record<string, number>>): GraphEntity[][] {
  const groups = new Map<number, number[]>()
  for (const [node, community] of Object.entries(byNode)) {
    groups.set(community, [...(groups.get(community) ?? []), Number(node)])
  }
  return [...groups.values()]
    .map((nodes) => nodes.sort((one, other) => degreeOf(graph, other) - degreeOf(graph, one) || one - other))
    .sort((one, other) => other.length - one.length || one[0]! - other[0]!)
    .map((nodes) => nodes.map((node) => graph.entities[node]!))
}

/**
 * A fixed seed, so that the same graph gives the same communities. A linear congruential generator (Numerical
 * Recipes) is random enough for an order.
 */
function seededChance(): () => number {
  let state = 1
  return () => {
    state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0
    return state / 2 ** 32
  }
}
