/**
 * A graph for walks, in compressed rows: row i holds edges first[i] to first[i + 1], their shares sum to 1 or the row
 * is empty.
 */
export type WalkGraph = {
  readonly size: number
  readonly first: Int32Array
  readonly target: Int32Array
  /** The chance of taking this edge out of its row. */
  readonly share: Float64Array
}

/** What is weighed where: node and weight. */
export type Seed = { readonly node: number; readonly weight: number }

/** How a walk goes, and when it is followed no longer. */
export type Walk = {
  /** The chance of going on at each step. */
  readonly damping: number
  /** The share of walkers that may still be on their way. */
  readonly tolerance: number
}

/** By then what still moves is below the tolerance: .5^20, .85^50 in twice the steps at least. */
const MOST_STEPS = 50

export type Ranking = {
  /** Sums to 1; all zero without seeds. */
  readonly rank: Float64Array
  /** The same without the walks that begin there just now. */
  readonly arrived: Float64Array
  /** Made until less than the tolerance was on the way. */
  readonly steps: number
}

/**
 * Personalised PageRank: where a walk is that starts at a seed, goes on along an edge with the probability `damping` at
 * each step and else, or where there is none, starts anew. Mass is pushed on as it is met, so that a sweep may take it
 * over several edges (Gauss-Seidel; McSherry 2005): half the sweeps of going step by step.
 */
export function pageRank(graph: WalkGraph, seeds: readonly Seed[], walk: Walk): Ranking {
  const start = distribution(graph.size, seeds)
  if (seeds.length === 0) return { rank: start, arrived: new Float64Array(graph.size), steps: 0 }
  const { passed, steps } = passages(graph, start, walk)
  return fromVisits(graph, start, passed, steps)
}

/** How often walkers pass each node who start so, until they stop; shares of a row may sum to less than 1. */
export function passages(
  graph: WalkGraph,
  start: Float64Array,
  { damping, tolerance }: Walk,
): { readonly passed: Float64Array; readonly steps: number } {
  const passed = new Float64Array(graph.size)
  const waiting = start.slice()
  let steps = 0
  for (let left = 1; left >= tolerance && steps < MOST_STEPS; steps++)
    left = sweep(graph, damping, waiting, passed)
  return { passed, steps }
}

/** Every waiting walker passes its node and goes on; returns how many wait afterwards. */
function sweep(
  { size, first, target, share }: WalkGraph,
  damping: number,
  waiting: Float64Array,
  passed: Float64Array,
): number {
  for (let node = 0; node < size; node++) {
    const mass = waiting[node]!
    if (mass === 0) continue
    waiting[node] = 0
    passed[node]! += mass
    const going = mass * damping
    const end = first[node + 1]!
    for (let at = first[node]!; at < end; at++) waiting[target[at]!]! += going * share[at]!
  }
  let left = 0
  for (let node = 0; node < size; node++) left += waiting[node]!
  return left
}

/** Those that stop begin anew at a seed: the visits of one walk, in proportion. */
function fromVisits({ size }: WalkGraph, start: Float64Array, passed: Float64Array, steps: number): Ranking {
  let visits = 0
  for (let node = 0; node < size; node++) visits += passed[node]!
  const arrived = new Float64Array(size)
  for (let node = 0; node < size; node++) {
    arrived[node] = Math.max(0, (passed[node]! - start[node]!) / visits)
    passed[node]! /= visits
  }
  return { rank: passed, arrived, steps }
}

function distribution(size: number, seeds: readonly Seed[]): Float64Array {
  const start = new Float64Array(size)
  const sum = seeds.reduce((total, { weight }) => total + weight, 0)
  for (const { node, weight } of seeds) start[node]! += weight / sum
  return start
}
