import { passages } from "../../base/pagerank.ts"
import { Best } from "../recall/best.ts"
import type { KnowledgeGraph } from "./knowledge-graph.ts"
import { DAMPING, type EntryWalk } from "./walk-graph.ts"

/** Where the walk starts. */
export type ScoreSeeds = {
  /** Hits by id, and how good they are; 0 and more. */
  readonly entries: Iterable<readonly [id: string, weight: number]>
  /** Numbers of the entities that the question names. */
  readonly entities: readonly number[]
}

/** Beyond these the graph says nothing: over hubs everything is near to everything. */
const NEAREST = 50

/**
 * How near entries are to the seeds over the graph by personalised PageRank, by id, the nearest 50 of those that
 * `accepts` lets pass first. What the question names weighs as much as all hits. A score is what comes over edges, not
 * that one was a seed, divided by √(number of edges): what is tied to everything tells little.
 */
export function entryScores(
  graph: KnowledgeGraph,
  walk: EntryWalk,
  numbers: ReadonlyMap<string, number>,
  seeds: ScoreSeeds,
  accepts: (id: string) => boolean,
): Map<string, number> {
  const entries = shares(numbered(numbers, seeds.entries))
  const entities = shares(seeds.entities.map((node) => [node, 1]))
  if (entries.length + entities.length === 0) return new Map()
  const parts = Number(entries.length > 0) + Number(entities.length > 0)
  const start = startOf(graph, walk, entries, entities, parts)
  const { passed } = passages(walk.ties, start, { damping: 1, tolerance: walk.tolerance })
  const arrived = arrivals(walk, passed)
  const visits = visitsOf(graph, passed, arrived) + (entries.length > 0 ? 1 / parts : 0)
  const scores = damped(walk, visits)
  const best = new Best(NEAREST, (entry) => graph.entries[entry]!)
  for (let entry = 0; entry < scores.length; entry++) {
    const score = scores[entry]!
    if (score > 0 && best.admits(score) && accepts(graph.entries[entry]!)) best.add(entry, score)
  }
  return new Map(best.slots().map((entry) => [graph.entries[entry]!, scores[entry]!]))
}

type Seed = readonly [number: number, weight: number]

/** Entries that are in the graph, by their numbers. */
function numbered(
  numbers: ReadonlyMap<string, number>,
  entries: Iterable<readonly [id: string, weight: number]>,
): Seed[] {
  const found: Seed[] = []
  for (const [id, weight] of entries) {
    const number = numbers.get(id)
    if (number !== undefined && weight > 0) found.push([number, weight])
  }
  return found
}

/** Weights that sum to 1. */
function shares(seeds: readonly Seed[]): Seed[] {
  const sum = seeds.reduce((total, [, weight]) => total + weight, 0)
  return seeds.map(([number, weight]) => [number, weight / sum])
}

/** Who starts at a folded entry is first met at its entities. */
function startOf(
  { mentions }: KnowledgeGraph,
  { ties, wide }: EntryWalk,
  entries: readonly Seed[],
  entities: readonly Seed[],
  parts: number,
): Float64Array {
  const start = new Float64Array(ties.size)
  for (const [entity, share] of entities) start[entity]! += share / parts
  for (const [entry, share] of entries) {
    const node = wide.get(entry)
    const mentioned = mentions[entry]!
    if (node !== undefined) start[node]! += share / parts
    else for (const entity of mentioned) start[entity]! += (share * DAMPING) / (parts * mentioned.length)
  }
  return start
}

/** How often walkers come to each entry over an edge. */
function arrivals(
  { toEntry, first, mentioned, scores: arrived }: EntryWalk,
  passed: Float64Array,
): Float64Array {
  const outOf = toEntry.slice()
  for (let entity = 0; entity < outOf.length; entity++) outOf[entity]! *= passed[entity]!
  for (let entry = 0; entry < arrived.length; entry++) {
    const end = first[entry + 1]!
    let sum = 0
    for (let at = first[entry]!; at < end; at++) sum += outOf[mentioned[at]!]!
    arrived[entry] = sum
  }
  return arrived
}

/** In the place of what arrived. */
function damped({ breadth, scores }: EntryWalk, visits: number): Float64Array {
  for (let entry = 0; entry < scores.length; entry++) scores[entry]! /= visits * breadth[entry]!
  return scores
}

/** Of all nodes but those of entries where walkers start. */
function visitsOf({ entities }: KnowledgeGraph, passed: Float64Array, arrived: Float64Array): number {
  let sum = 0
  for (let entity = 0; entity < entities.length; entity++) sum += passed[entity]!
  for (let entry = 0; entry < arrived.length; entry++) sum += arrived[entry]!
  return sum
}
