import type { KnowledgeGraph } from "./knowledge-graph.ts"
import { pageRank, type Seed, type WalkGraph } from "./pagerank.ts"

/** Where the walk starts. */
export type ScoreSeeds = {
  /** Hits by id, and how good they are; 0 and more. */
  readonly entries: Iterable<readonly [id: string, weight: number]>
  /** Numbers of the entities that the question names. */
  readonly entities: readonly number[]
}

/**
 * How near entries are to the seeds over the graph, by id; only those that some walk reaches. What the question names
 * weighs as much as all hits. A score is what comes over edges, not that one was a seed, divided by √(number of edges):
 * what is tied to everything tells little.
 */
export function entryScores(
  graph: KnowledgeGraph,
  walk: WalkGraph,
  numbers: ReadonlyMap<string, number>,
  seeds: ScoreSeeds,
): Map<string, number> {
  const starts = [
    ...shares(nodesOf(graph, numbers, seeds)),
    ...shares(seeds.entities.map((node) => [node, 1])),
  ]
  const scores = new Map<string, number>()
  if (starts.length === 0) return scores
  const { arrived } = pageRank(walk, starts)
  for (let node = graph.entities.length; node < walk.size; node++) {
    const value = arrived[node]!
    if (value <= 0) continue
    const degree = walk.first[node + 1]! - walk.first[node]!
    scores.set(graph.entries[node - graph.entities.length]!, value / Math.sqrt(degree))
  }
  return scores
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
