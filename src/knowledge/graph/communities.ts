import { degreeOf, isInScope } from "./edge-choice.ts"
import type { KnowledgeGraph } from "./knowledge-graph.ts"
import type { GraphEntity } from "./settled-graph.ts"

export type CommunityOptions = {
  /** Ids of projects whose entities count, null for those of none; all where absent. */
  readonly projects?: readonly (string | null)[]
  /** Above 1 for smaller ones; 1 where absent. */
  readonly resolution?: number
}

export type Communities = {
  /** Of two and more, the largest first; in each the one with the most ties first. */
  readonly communities: readonly (readonly GraphEntity[])[]
  /** How much more is tied within them than chance would tie, -.5 to 1. */
  readonly modularity: number
  /** Entities that are tied to no other. */
  readonly alone: number
}

/** An entry about more than that is a list, and ties nobody. */
const MOST_IN_ENTRY = 20

/** Which entities belong together, by their relations and by the entries that speak of several (Louvain). */
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

/** Relations by their weight; an entry ties each two it speaks of, the less the more there are (Newman 2001). */
function* tiesOf(graph: KnowledgeGraph): Iterable<[one: number, other: number, weight: number]> {
  for (const { from, to, weight } of graph.relations) {
    if (weight > 0) yield [graph.numbers.get(from)!, graph.numbers.get(to)!, weight]
  }
  for (const entities of graph.mentions) {
    if (entities.length > MOST_IN_ENTRY) continue
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

/** The same graph gives the same communities. A linear congruence (Numerical Recipes) is chance enough for an order. */
function seededChance(): () => number {
  let state = 1
  return () => {
    state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0
    return state / 2 ** 32
  }
}
