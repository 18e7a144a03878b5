import { pageRank, type Seed, type WalkGraph } from "../../base/pagerank.ts"
import { Best } from "../recall/best.ts"
import type { KnowledgeGraph } from "./knowledge-graph.ts"

/** Where the walk starts. */
export type ScoreSeeds = {
  /** Hits by id, and how good they are; 0 and more. */
  readonly entries: Iterable<readonly [id: string, weight: number]>
  /** Numbers of the entities that the question names. */
  readonly entities: readonly number[]
}

/** Beyond these the graph says nothing: over hubs everything is near to everything. */
const NEAREST = 100

/**
 * How near entries are to the seeds over the graph, by id, the nearest 100 of those that `accepts` lets pass first. What the
 * question names weighs as much as all hits. A score is what comes over edges, not that one was a seed, divided by
 * √(number of edges): what is tied to everything tells little.
 */
export function entryScores(
  graph: KnowledgeGraph,
  walk: WalkGraph,
  numbers: ReadonlyMap<string, number>,
  seeds: ScoreSeeds,
  accepts: (id: string) => boolean,
): Map<string, number> {
  const starts = [
    ...shares(nodesOf(graph, numbers, seeds)),
    ...shares(seeds.entities.map((node) => [node, 1])),
  ]
  if (starts.length === 0) return new Map()
  const scores = damped(pageRank(walk, starts).arrived, walk, graph.entities.length)
  const best = new Best(NEAREST, (entry) => graph.entries[entry]!)
  for (let entry = 0; entry < scores.length; entry++) {
    const score = scores[entry]!
    if (score > 0 && best.admits(score) && accepts(graph.entries[entry]!)) best.add(entry, score)
  }
  return new Map(best.slots().map((entry) => [graph.entries[entry]!, scores[entry]!]))
}

/** Of the entries, which follow the entities. */
function damped(arrived: Float64Array, { first }: WalkGraph, entities: number): Float64Array {
  return arrived
    .subarray(entities)
    .map((value, entry) => value / Math.sqrt(first[entities + entry + 1]! - first[entities + entry]!))
}

function nodesOf(
  { entities }: KnowledgeGraph,
  numbers: ReadonlyMap<string, number>,
  seeds: ScoreSeeds,
): [node: number, weight: number][] {
  const nodes: [number, number][] = []
  for (const [id, weight] of seeds.entries) {
    const number = numbers.get(id)
    if (number !== undefined && weight > 0) nodes.push([entities.length + number, weight])
  }
  return nodes
}

/** Weights that sum to 1. */
function shares(nodes: readonly (readonly [node: number, weight: number])[]): Seed[] {
  const sum = nodes.reduce((total, [, weight]) => total + weight, 0)
  return nodes.map(([node, weight]) => ({ node, weight: weight / sum }))
}
