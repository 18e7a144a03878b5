import type { GraphEntity, GraphRelation } from "../settle-entities.ts"
import { type EdgeChoice, edgesBy } from "./edge-choice.ts"
import type { Edge, KnowledgeGraph } from "./knowledge-graph.ts"

type PathOptions = EdgeChoice & {
  /** Maximum number of paths; 3 when absent. */
  readonly limit?: number
}

/** A path between two entities that visits no entity twice. */
type Path = {
  readonly entities: readonly GraphEntity[]
  /**
   * The relations between successive entities, one fewer than `entities`; of several relations between two entities,
   * the strongest.
   */
  readonly relations: readonly GraphRelation[]
}

/**
 * The shortest paths between two entities; of equally long ones, those with the strongest relations first
 * (Yen 1971).
 */
export function paths(graph: KnowledgeGraph, from: number, to: number, options: PathOptions = {}): Path[] {
  const edgesOf = edgesBy(graph, options)
  const first = shortestWay(edgesOf, from, to, () => true)
  if (from === to || first === null) return []
  const found = [first]
  const candidates = new Map<string, PartialPath>()
  while (found.length < (options.limit ?? 3)) {
    for (const way of deviations(edgesOf, to, found)) candidates.set(way.nodes.join(" "), way)
    const [key, best] = [...candidates].sort(([, one], [, other]) => comparePaths(one, other))[0] ?? []
    if (key === undefined || best === undefined) break
    candidates.delete(key)
    found.push(best)
  }
  return found.map(({ nodes, edges }) => ({
    entities: nodes.map((node) => graph.entities[node]!),
    relations: edges.map((edge) => edge.relation),
  }))
}

/** Paths that follow the last found one up to some node and then leave all paths found so far. */
function* deviations(
  edgesOf: (node: number) => readonly Edge[],
  to: number,
  found: readonly PartialPath[],
): Iterable<PartialPath> {
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

function comparePaths(one: PartialPath, other: PartialPath): number {
  return (
    one.edges.length - other.edges.length ||
    one.loss - other.loss ||
    (one.nodes.join(" ") < other.nodes.join(" ") ? -1 : 1)
  )
}

/** A sequence of edges from the first node of a path to its last. */
type PartialPath = {
  readonly nodes: readonly number[]
  readonly edges: readonly Edge[]
  readonly loss: number
}

type Step = {
  readonly hops: number
  readonly loss: number
  readonly edge: Edge | null
  readonly before: number
}

/** True when a path may continue over this edge from this node. */
type MayGo = (node: number, edge: Edge) => boolean

/** The path with the fewest steps, and of those the least loss; null when there is none. */
function shortestWay(
  edgesOf: (node: number) => readonly Edge[],
  from: number,
  to: number,
  mayGo: MayGo,
): PartialPath | null {
  const steps = new Map<number, Step>([[from, { hops: 0, loss: 0, edge: null, before: from }]])
  // The search is breadth first: once the paths from a node are continued, no better path to that node can be found.
  const queue = [from]
  for (const node of queue) {
    const here = steps.get(node)!
    if (here.hops >= (steps.get(to)?.hops ?? Number.POSITIVE_INFINITY)) break
    for (const edge of edgesOf(node).filter((edge) => mayGo(node, edge))) {
      const step = { hops: here.hops + 1, loss: here.loss + lossOf([edge]), edge, before: node }
      const known = steps.get(edge.other)
      if (known === undefined) queue.push(edge.other)
      if (known === undefined || isBetter(step, known)) steps.set(edge.other, step)
    }
  }
  return steps.has(to) ? wayTo(steps, to) : null
}

function isBetter(step: Step, known: Step): boolean {
  return step.hops === known.hops && step.loss < known.loss
}

function wayTo(steps: ReadonlyMap<number, Step>, to: number): PartialPath {
  const nodes = [to]
  const edges: Edge[] = []
  for (let step = steps.get(to)!; step.edge !== null; step = steps.get(step.before)!) {
    nodes.unshift(step.before)
    edges.unshift(step.edge)
  }
  return { nodes, edges, loss: lossOf(edges) }
}

/** Sum of the differences between the relations' weights and 1. */
function lossOf(edges: readonly Edge[]): number {
  return edges.reduce((sum, { relation }) => sum + 1 - relation.weight, 0)
}
