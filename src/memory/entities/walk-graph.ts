import { pageRank, type WalkGraph } from "../../base/index.ts"
import { TopSlots } from "../recall/scores.ts"
import type { KnownEntities } from "./entities.ts"

/** A graph for walks over entities and entries, and the ids of its entries by their numbers. */
export type EntryWalk = {
  /** Nodes: entities by their numbers, then entries by theirs. */
  readonly graph: WalkGraph
  /** Number of entities. */
  readonly entities: number
  readonly idOf: (entry: number) => string
  /** -1 for an entry that mentions no entity. */
  readonly numberOf: (id: string) => number
}

/** The graph of these relations and mentions; `mentions`: the entities that each entry mentions. */
export function walkGraph(
  edges: KnownEntities["edges"],
  mentions: readonly (readonly number[])[],
): WalkGraph {
  // Indexed loops, because this runs once in each command, before the engine has compiled it.
  const entities = edges.length
  const size = entities + mentions.length
  const first = new Int32Array(size + 1)
  for (let entity = 0; entity < entities; entity++) first[entity + 1] = edges[entity]!.length
  for (let entry = 0; entry < mentions.length; entry++) {
    const own = mentions[entry]!
    first[entities + entry + 1] = own.length
    for (let at = 0; at < own.length; at++) first[own[at]! + 1]!++
  }
  for (let node = 0; node < size; node++) first[node + 1]! += first[node]!
  const [target, share] = [new Int32Array(first[size]!), new Float64Array(first[size]!)]
  const next = first.slice()
  for (let entity = 0; entity < entities; entity++) {
    for (const { other, relation } of edges[entity]!) {
      target[next[entity]!] = other
      share[next[entity]!++] = relation.weight
    }
  }
  for (let entry = 0; entry < mentions.length; entry++) {
    const own = mentions[entry]!
    const node = entities + entry
    for (let at = 0; at < own.length; at++) {
      const entity = own[at]!
      target[next[entity]!] = node
      share[next[entity]!++] = MENTION
      target[next[node]!] = entity
      share[next[node]!++] = MENTION
    }
  }
  toShares(first, share)
  return { size, first, target, share }
}

/** Scales the weights of each node's edges to a sum of 1. */
function toShares(first: Int32Array, weights: Float64Array): void {
  for (let node = 0; node + 1 < first.length; node++) {
    const [from, end] = [first[node]!, first[node + 1]!]
    let sum = 0
    for (let at = from; at < end; at++) sum += weights[at]!
    if (sum > 0) for (let at = from; at < end; at++) weights[at]! /= sum
  }
}

/** Weight of an edge between an entry and an entity that it mentions; it equals that of the strongest relation. */
const MENTION = 1

/** The probability of continuing at each step, and a tolerance below the differences between scores that matter. */
const WALK = { damping: 0.5, tolerance: 1e-6 }

/** The start of the walk. */
export type ScoreSeeds = {
  /** Hits by id with their scores, 0 or more. */
  readonly entries: Iterable<readonly [id: string, weight: number]>
  /** Numbers of the entities that the question names. */
  readonly entities: readonly number[]
}

/**
 * Number of entries that get a score. The scores of further entries mean nothing, because over hubs every entry is
 * close to every other.
 */
const NEAREST = 50

/**
 * Closeness of entries to the seeds by personalised PageRank, by id: the nearest 50 for which `accepts` is
 * true, nearest first. The named entities together weigh as much as all hits. A score contains only rank
 * received over edges, without the share that a seed has from the start, divided by √(number of edges), because
 * an entry with very many relations says little.
 */
export function entryScores(
  { graph, entities, idOf, numberOf }: EntryWalk,
  seeds: ScoreSeeds,
  accepts: (id: string) => boolean,
): Map<string, number> {
  const hits = [...seeds.entries]
    .map(([id, weight]) => ({ node: entities + numberOf(id), weight }))
    .filter(({ node, weight }) => node >= entities && weight > 0)
  const sum = hits.reduce((total, { weight }) => total + weight, 0)
  const start = [
    ...hits.map(({ node, weight }) => ({ node, weight: weight / sum })),
    ...seeds.entities.map((node) => ({ node, weight: 1 / seeds.entities.length })),
  ]
  const { arrived } = pageRank(graph, start, WALK)
  const best = new TopSlots(NEAREST, idOf)
  const scores = arrived.subarray(entities)
  for (let entry = 0; entry < scores.length; entry++) {
    const node = entities + entry
    scores[entry]! /= Math.sqrt(graph.first[node + 1]! - graph.first[node]!)
    const score = scores[entry]!
    if (score > 0 && best.admits(score) && accepts(idOf(entry))) best.add(entry, score)
  }
  return new Map(best.slots().map((entry) => [idOf(entry), scores[entry]!]))
}
