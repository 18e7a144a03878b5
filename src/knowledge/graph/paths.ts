import { type EdgeChoice, edgesBy } from "./edge-choice.ts"
import type { Edge, KnowledgeGraph } from "./knowledge-graph.ts"
import type { GraphEntity, GraphRelation } from "./settled-graph.ts"
import { lossOf, type MayGo, shortestWay, type Way } from "./shortest-way.ts"

export type PathOptions = EdgeChoice & {
  /** How many paths at most; 3 where absent. */
  readonly limit?: number
}

/** From one entity to another, nobody passed twice. */
export type Path = {
  readonly entities: readonly GraphEntity[]
  /** One less than entities: of two that are tied several times, the strongest. */
  readonly relations: readonly GraphRelation[]
}

/**
 * The paths between two entities: of fewest steps, of those the one with the strongest relations, and so on (Yen 1971).
 */
export function paths(graph: KnowledgeGraph, from: number, to: number, options: PathOptions = {}): Path[] {
  const edgesOf = edgesBy(graph, options)
  const first = shortestWay(edgesOf, from, to, () => true)
  if (from === to || first === null) return []
  const found = [first]
  const candidates = new Map<string, Way>()
  while (found.length < (options.limit ?? 3)) {
    for (const way of deviations(edgesOf, to, found)) candidates.set(way.nodes.join(" "), way)
    const [key, best] = [...candidates].sort(([, one], [, other]) => compare(one, other))[0] ?? []
    if (key === undefined || best === undefined) break
    candidates.delete(key)
    found.push(best)
  }
  return found.map(({ nodes, edges }) => ({
    entities: nodes.map((node) => graph.entities[node]!),
    relations: edges.map((edge) => edge.relation),
  }))
}

/** Ways that follow the last found up to some node and then leave all found so far. */
function* deviations(
  edgesOf: (node: number) => readonly Edge[],
  to: number,
  found: readonly Way[],
): Iterable<Way> {
  const last = found.at(-1)!
  for (let at = 0; at < last.edges.length; at++) {
    const root = last.nodes.slice(0, at + 1)
    const taken = new Set(
      found
        .filter(({ nodes }) => root.every((node, i) => nodes[i] === node))
        .map(({ nodes }) => nodes[at + 1]!),
    )
    const passed = new Set(root.slice(0, at))
    const mayGo: MayGo = (node, { other }) => !(passed.has(other) || (node === root[at] && taken.has(other)))
    const rest = shortestWay(edgesOf, root[at]!, to, mayGo)
    if (rest === null) continue
    const edges = [...last.edges.slice(0, at), ...rest.edges]
    yield { nodes: [...root.slice(0, at), ...rest.nodes], edges, loss: lossOf(edges) }
  }
}

function compare(one: Way, other: Way): number {
  return (
    one.edges.length - other.edges.length ||
    one.loss - other.loss ||
    (one.nodes.join(" ") < other.nodes.join(" ") ? -1 : 1)
  )
}
