import { expect, test } from "bun:test"
import fc from "fast-check"
import {
  dot,
  type Graph,
  joinGraphs,
  MAX_NODES,
  mermaid,
  NO_GRAPH,
} from "../../../../src/symbols/answer/drawing.ts"
import { layout } from "./layout.ts"
import { treemap } from "./treemap.ts"

test("a treemap fills the box with areas in proportion, without overlap", () => {
  const amounts = fc.array(fc.integer({ min: 1, max: 10_000 }), { minLength: 1, maxLength: 40 })
  fc.assert(
    fc.property(amounts, (given) => {
      const sorted = given.toSorted((a, b) => b - a)
      const boxes = treemap(sorted, { x: 0, y: 0, width: 300, height: 200 })
      const total = sorted.reduce((sum, amount) => sum + amount, 0)
      for (const [nth, { x, y, width, height }] of boxes.entries()) {
        expect(width * height).toBeCloseTo((60_000 * sorted[nth]!) / total, 3)
        expect(x).toBeGreaterThanOrEqual(0)
        expect(x + width).toBeLessThanOrEqual(300.001)
        expect(y + height).toBeLessThanOrEqual(200.001)
      }
    }),
  )
})

function star(count: number): Graph {
  const nodes = Array.from({ length: count }, (_, nth) => ({
    id: `a:${nth}`,
    name: `n${nth}`,
    kind: "function",
    path: "a",
    line: nth,
    role: nth === 0 ? ("asked" as const) : ("related" as const),
    is_test: false,
  }))
  const edges = nodes.slice(1).map(({ id }) => ({ from: id, to: "a:0", certainty: "certain" as const }))
  return { nodes, edges, left_out: 0 }
}

test("a neighbourhood of 5,000 symbols is cut to the maximum and says how many are left out", () => {
  const { nodes, left_out } = joinGraphs(NO_GRAPH, star(5000))
  expect([nodes.length, left_out]).toEqual([MAX_NODES, 5000 - MAX_NODES])
})

test("arrows lead to the right, and no two nodes share a place, also in a cycle", () => {
  const names = fc.constantFrom(..."abcdefgh")
  fc.assert(
    fc.property(fc.array(fc.tuple(names, names), { maxLength: 20 }), (pairs) => {
      const edges = [{ from: "a", to: "start" }, ...pairs.map(([from, to]) => ({ from, to }))]
      const nodes = [...new Set(edges.flatMap(({ from, to }) => [from, to]))].map((id) => ({ id, width: 50 }))
      const { places, width, height } = layout(nodes, edges, ["start"])
      expect(places.get("a")!.x).toBeLessThan(places.get("start")!.x)
      expect(new Set([...places.values()].map(({ x, y }) => `${x} ${y}`)).size).toBe(nodes.length)
      for (const { x, y } of places.values()) {
        expect(x >= 0 && x + 50 <= width).toBe(true)
        expect(y >= 0 && y <= height).toBe(true)
      }
    }),
  )
})

test("a name in an exported graph cannot end its quotation", () => {
  const [node] = star(1).nodes
  const graph = { ...star(1), nodes: [{ ...node!, id: 'x"', name: 'a"] --> b\n"\\', path: "p", line: 1 }] }
  expect(mermaid(graph)).toStartWith('flowchart LR\n  n0["a#34;#93; --#62; b#10;#34;#92;"]:::asked\n')
  expect(dot(graph)).toContain('"x\\"" [label="a\\"] --> b \\"\\\\", tooltip="p:1", penwidth=2]')
})
