import { comparable } from "../../entries/labels.ts"
import type { Edge, KnowledgeGraph } from "./knowledge-graph.ts"

export const DIRECTIONS = ["outgoing", "incoming", "both"] as const
export type Direction = (typeof DIRECTIONS)[number]

/** Selects the relations to follow and the entities between which they are followed. */
export type EdgeChoice = {
  /** Direction of the relations to follow; "both" when absent. */
  readonly direction?: Direction
  /** Types of relations, case-insensitive; all when absent. */
  readonly types?: readonly string[]
  /** Ids of the projects whose entities count; null stands for entities without a project. Absent: all. */
  readonly projects?: readonly (string | null)[]
}

/** Returns a function that returns the selected edges of an entity, by its number; the most informative edges first. */
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
    const edges = known.get(entity) ?? mostInformativeFirst(graph, graph.edges[entity]!.filter(accepts))
    known.set(entity, edges)
    return edges
  }
}

function mostInformativeFirst(graph: KnowledgeGraph, edges: readonly Edge[]): readonly Edge[] {
  return edges.toSorted(
    (one, another) =>
      informativeness(graph, another) - informativeness(graph, one) || one.other - another.other,
  )
}

export function isInScope(
  { entities }: KnowledgeGraph,
  entity: number,
  projects: readonly (string | null)[] | undefined,
): boolean {
  return projects === undefined || projects.includes(entities[entity]!.project)
}

/** Number of relations and entries of an entity. */
export function degreeOf({ edges, mentionedBy }: KnowledgeGraph, entity: number): number {
  return edges[entity]!.length + mentionedBy[entity]!.length
}

/** An edge's weight, reduced by the degree of its other end, because a relation to a hub says little. */
function informativeness(graph: KnowledgeGraph, { relation, other }: Edge): number {
  return relation.weight / Math.sqrt(degreeOf(graph, other))
}
