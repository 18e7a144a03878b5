import { expect, test } from "bun:test"
import fc from "fast-check"
import { pageRank as ranked, type Seed, type WalkGraph } from "./pagerank.ts"

const pageRank = (graph: WalkGraph, seeds: readonly Seed[]) =>
  ranked(graph, seeds, { damping: 0.5, tolerance: 1e-6 })

/** A graph with these weighted edges in both directions. */
function graphOf(size: number, edges: readonly (readonly [number, number, number])[]): WalkGraph {
  const rows: [number, number][][] = Array.from({ length: size }, () => [])
  for (const [from, to, weight] of edges) {
    rows[from]!.push([to, weight])
    if (from !== to) rows[to]!.push([from, weight])
  }
  const first = [0]
  for (const row of rows) first.push(first.at(-1)! + row.length)
  const shares = rows.flatMap((row) => {
    const sum = row.reduce((total, [, weight]) => total + weight, 0)
    return row.map(([, weight]) => weight / sum)
  })
  const targets = rows.flat().map(([to]) => to)
  return {
    size,
    first: Int32Array.from(first),
    target: Int32Array.from(targets),
    share: Float64Array.from(shares),
  }
}

test("gives the seed 2/3 and its only neighbour 1/3 of the rank", () => {
  // r0 = .5 + .5 r1, r1 = .5 r0
  const { rank, steps } = pageRank(graphOf(2, [[0, 1, 1]]), [{ node: 0, weight: 3 }])
  expect(rank[0]).toBeCloseTo(2 / 3, 6)
  expect(rank[1]).toBeCloseTo(1 / 3, 6)
  expect(steps).toBeLessThanOrEqual(21)
})

test("restarts the walk at a node without edges", () => {
  const { rank } = pageRank(graphOf(3, [[1, 2, 1]]), [{ node: 0, weight: 1 }])
  expect([...rank]).toEqual([1, 0, 0])
})

test("gives more rank along a heavier edge", () => {
  const { rank } = pageRank(graphOf(3, [[0, 1, 0.9], [0, 2, 0.1]]), [{ node: 0, weight: 1 }]) // biome-ignore format: short
  expect(rank[1]! / rank[2]!).toBeCloseTo(9, 4)
})

test("returns zeros without seeds", () => {
  expect([...pageRank(graphOf(2, [[0, 1, 1]]), []).rank]).toEqual([0, 0])
})

const edge = fc.tuple(fc.nat(7), fc.nat(7), fc.double({ min: 0.01, max: 1, noNaN: true }))

test("equals the solution of the linear equations on random graphs", () => {
  const seeds = fc.array(fc.record({ node: fc.nat(7), weight: fc.double({ min: 0.1, max: 9, noNaN: true }) }), { minLength: 1, maxLength: 4 }) // biome-ignore format: short
  fc.assert(
    fc.property(fc.array(edge, { maxLength: 20 }), seeds, (edges, seeds) => {
      const graph = graphOf(8, edges)
      const { rank } = pageRank(graph, seeds)
      expect(rank.reduce((sum, value) => sum + value, 0)).toBeCloseTo(1, 5)
      for (const [node, value] of oneStepOn(graph, rank, seeds).entries()) {
        expect(rank[node]).toBeCloseTo(value, 5)
      }
    }),
  )
})

function oneStepOn(graph: WalkGraph, rank: Float64Array, seeds: readonly Seed[]): number[] {
  const next = Array.from(rank, () => 0)
  let back = 0.5
  for (const [from, mass] of rank.entries()) {
    const [start, end] = [graph.first[from]!, graph.first[from + 1]!]
    if (start === end) back += 0.5 * mass
    for (let at = start; at < end; at++) next[graph.target[at]!]! += 0.5 * mass * graph.share[at]!
  }
  const total = seeds.reduce((sum, { weight }) => sum + weight, 0)
  for (const { node, weight } of seeds) next[node]! += (back * weight) / total
  return next
}
