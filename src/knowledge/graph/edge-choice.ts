import { comparable } from "../labels.ts"
import type { Edge, KnowledgeGraph } from "./knowledge-graph.ts"

export const DIRECTIONS = ["outgoing", "incoming", "both"] as const
export type Direction = (typeof DIRECTIONS)[number]

/** Which relations are followed, and between whom. */
export type EdgeChoice = {
  /** "both" where absent. */
  readonly direction?: Direction
  /** Of relations, in any case; all where absent. */
  readonly types?: readonly string[]
  /** Ids of projects whose entities count, null for those of none; all where absent. */
  readonly projects?: readonly (string | null)[]
}

/** The edges of an entity that a choice lets pass, the most telling first. */
export function edgesBy(graph: KnowledgeGraph, choice: EdgeChoice): (entity: number) => readonly Edge[] {
  const types = choice.types === undefined ? null : new Set(choice.types.map(comparable))
  const accepts = ({ relation, other, isOutgoing }: Edge): boolean =>
    (choice.direction === undefined ||
      choice.direction === "both" ||
      (choice.direction === "outgoing") === isOutgoing) &&
    (types === null || types.has(comparable(relation.relation))) &&
    isInScope(graph, other, choice.projects)
  const known = new Map<number, readonly Edge[]>()
  return (entity) => {
    const edges = known.get(entity) ?? sorted(graph, graph.edges[entity]!.filter(accepts))
    known.set(entity, edges)
    return edges
  }
}

function sorted(graph: KnowledgeGraph, edges: readonly Edge[]): readonly Edge[] {
  return edges.toSorted(
    (one, another) => tellingness(graph, another) - tellingness(graph, one) || one.other - another.other,
  )
}

export function isInScope(
  { entities }: KnowledgeGraph,
  entity: number,
  projects: readonly (string | null)[] | undefined,
): boolean {
  return projects === undefined || projects.includes(entities[entity]!.project)
}

/** How many relations and entries an entity has. */
export function degreeOf({ edges, mentionedBy }: KnowledgeGraph, entity: number): number {
  return edges[entity]!.length + mentionedBy[entity]!.length
}

/** That something has to do with a hub says little. */
function tellingness(graph: KnowledgeGraph, { relation, other }: Edge): number {
  return relation.weight / Math.sqrt(degreeOf(graph, other))
}
