/** A graph for walks, in compressed rows: row i holds edges first[i] to first[i + 1], their shares sum to 1 or the row is empty. */
export type WalkGraph = {
  readonly size: number
  readonly first: Int32Array
  readonly target: Int32Array
  /** The chance of taking this edge out of its row. */
  readonly share: Float64Array
}

/** What is weighed where: node and weight. */
export type Seed = { readonly node: number; readonly weight: number }

const DAMPING = 0.5
const TOLERANCE = 1e-6
/** By then what still moves is below the tolerance: .5^20. */
const MOST_STEPS = 50

export type Ranking = {
  /** Sums to 1; all zero without seeds. */
  readonly rank: Float64Array
  /** The same without the walks that begin there just now. */
  readonly arrived: Float64Array
  /** Made until the sum of all changes was below 1e-6. */
  readonly steps: number
}

/**
 * Personalised PageRank: where a walk is that starts at a seed, goes on along an edge with probability .5 at each step
 * and else, or where there is none, starts anew.
 */
export function pageRank(graph: WalkGraph, seeds: readonly Seed[]): Ranking {
  const start = distribution(graph.size, seeds)
  let rank = start.slice()
  let next = new Float64Array(graph.size)
  if (seeds.length === 0) return { rank, arrived: next, steps: 0 }
  for (let steps = 1; ; steps++) {
    const lost = walk(graph, rank, next)
    const back = 1 - DAMPING + DAMPING * lost
    let change = 0
    for (let node = 0; node < graph.size; node++) {
      const value = next[node]! * DAMPING + back * start[node]!
      change += Math.abs(value - rank[node]!)
      next[node] = value
    }
    ;[rank, next] = [next, rank]
    if (change < TOLERANCE || steps === MOST_STEPS)
      return { rank, arrived: withoutStart(rank, start, back), steps }
  }
}

function withoutStart(rank: Float64Array, start: Float64Array, back: number): Float64Array {
  return rank.map((value, node) => value - back * start[node]!)
}

/** One step of everybody; returns what stood where no edge leads on. */
function walk({ size, first, target, share }: WalkGraph, from: Float64Array, to: Float64Array): number {
  to.fill(0)
  let lost = 0
  for (let node = 0; node < size; node++) {
    const mass = from[node]!
    if (mass === 0) continue
    const end = first[node + 1]!
    let at = first[node]!
    if (at === end) lost += mass
    for (; at < end; at++) to[target[at]!]! += mass * share[at]!
  }
  return lost
}

function distribution(size: number, seeds: readonly Seed[]): Float64Array {
  const start = new Float64Array(size)
  const sum = seeds.reduce((total, { weight }) => total + weight, 0)
  for (const { node, weight } of seeds) start[node]! += weight / sum
  return start
}
