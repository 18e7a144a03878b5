import { AmanError, nearest } from "../../base/index.ts"
import { comparable } from "../entries/labels.ts"
import type { Edge, GraphEntity, GraphRelation, KnowledgeGraph, KnownEntities } from "./entities.ts"

type EntityFilter = {
  /** Ids of projects; null for entities without one. Absent: all. */
  readonly projects?: readonly (string | null)[]
  readonly type?: string
  /** Text contained in the name, an alias or the description. */
  readonly text?: string
  readonly limit?: number
  readonly offset?: number
}

type ListedEntity = { readonly entity: GraphEntity; readonly entries: number; readonly relations: number }

/** Lists entities, those with the most entries first. */
export function listEntities(
  graph: KnowledgeGraph,
  { limit = Number.POSITIVE_INFINITY, offset = 0, ...filter }: EntityFilter = {},
): { entities: ListedEntity[]; total: number } {
  const { projects, type, text } = filter
  const searched = ({ name, aliases, description }: GraphEntity) => [name, ...aliases, description]
  const found = graph.entities
    .map((entity, number) => ({
      entity,
      entries: graph.mentionedBy[number]!.length,
      relations: graph.edges[number]!.length,
    }))
    .filter(
      ({ entity }, number) =>
        isInScope(graph, number, projects) &&
        (type === undefined || comparable(entity.type) === comparable(type)) &&
        (text === undefined ||
          searched(entity).some((words) => comparable(words).includes(comparable(text)))),
    )
    .sort((one, other) => {
      const ties = other.entries - one.entries || other.relations - one.relations
      return ties || (comparable(one.entity.name) < comparable(other.entity.name) ? -1 : 1)
    })
  return { entities: found.slice(offset, offset + limit), total: found.length }
}

/**
 * The number of the entity with that name, alias or id, as seen from a project. The error NOT_FOUND suggests
 * a similar name.
 */
export function findEntity(
  { names, numbers, entities }: KnownEntities,
  wanted: string,
  project: string | null,
): number {
  const named = names.find(wanted, project)
  const number = numbers.get(named?.id ?? wanted.trim().toLowerCase())
  const isSeen = (one: GraphEntity) => one.project === null || one.project === project
  if (number !== undefined && isSeen(entities[number]!)) return number
  const known = entities.filter(isSeen).map(({ name }) => name)
  const like = nearest(wanted, known)
  const hint = like === undefined ? "run: aman memory entities" : `did you mean ${like}?`
  throw new AmanError("NOT_FOUND", `no entity ${JSON.stringify(wanted)}`, { hint })
}

export const DIRECTIONS = ["outgoing", "incoming", "both"] as const
export type Direction = (typeof DIRECTIONS)[number]

/** Selects the relations to follow and the entities between which they are followed. */
type EdgeChoice = {
  /** Direction of the relations to follow; "both" when absent. */
  readonly direction?: Direction
  /** Types of relations, case-insensitive; all when absent. */
  readonly types?: readonly string[]
  /** Ids of the projects whose entities count; null stands for entities without a project. Absent: all. */
  readonly projects?: readonly (string | null)[]
}

/** Returns a function that returns the selected edges of an entity, by its number; the most informative edges first. */
function edgesBy(graph: KnowledgeGraph, choice: EdgeChoice): (entity: number) => readonly Edge[] {
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

function isInScope(
  { entities }: KnowledgeGraph,
  entity: number,
  projects: readonly (string | null)[] | undefined,
): boolean {
  return projects === undefined || projects.includes(entities[entity]!.project)
}

/**
 * An edge's weight, reduced by the number of relations and entries of its other end, because a relation to a hub says
 * little.
 */
function informativeness({ edges, mentionedBy }: KnowledgeGraph, { relation, other }: Edge): number {
  return relation.weight / Math.sqrt(edges[other]!.length + mentionedBy[other]!.length)
}

export type RelatedOptions = EdgeChoice & {
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
        if (next.length === 100 || distances.size === MAX_TOTAL) {
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

/** A path between two entities that visits no entity twice. */
type Path = {
  readonly entities: readonly GraphEntity[]
  /**
   * The relations between successive entities, one fewer than `entities`; of several relations between two entities,
   * the strongest.
   */
  readonly relations: readonly GraphRelation[]
}

type Step = {
  readonly hops: number
  /** Sum of the differences between the relations' weights and 1. */
  readonly loss: number
  readonly edge: Edge | null
  readonly before: number
}

/** The shortest path between two entities; of equally long ones, that with the strongest relations. Null: there is none. */
export function shortestPath(
  graph: KnowledgeGraph,
  from: number,
  to: number,
  choice: EdgeChoice = {},
): Path | null {
  const edgesOf = edgesBy(graph, choice)
  const steps = new Map<number, Step>([[from, { hops: 0, loss: 0, edge: null, before: from }]])
  // The search is breadth first: once the paths from a node are continued, no better path to that node can be found.
  const queue = [from]
  for (const node of queue) {
    const here = steps.get(node)!
    if (here.hops >= (steps.get(to)?.hops ?? Number.POSITIVE_INFINITY)) break
    for (const edge of edgesOf(node)) {
      const loss = here.loss + 1 - edge.relation.weight
      const step = { hops: here.hops + 1, loss, edge, before: node }
      const known = steps.get(edge.other)
      if (known === undefined) queue.push(edge.other)
      if (isBetter(step, known)) steps.set(edge.other, step)
    }
  }
  return from === to || !steps.has(to) ? null : pathTo(graph, steps, to)
}

function isBetter({ hops, loss }: Step, known: Step | undefined): boolean {
  return known === undefined || (hops === known.hops && loss < known.loss)
}

function pathTo(graph: KnowledgeGraph, steps: ReadonlyMap<number, Step>, to: number): Path {
  const entities = [graph.entities[to]!]
  const relations: GraphRelation[] = []
  for (let step = steps.get(to)!; step.edge !== null; step = steps.get(step.before)!) {
    entities.unshift(graph.entities[step.before]!)
    relations.unshift(step.edge.relation)
  }
  return { entities, relations }
}
