import { expect, test } from "bun:test"
import fc from "fast-check"
import { dot, type Graph, joined, layout, MAX_NODES, mermaid } from "./graph.ts"
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
    path: "a",
    line: nth,
  }))
  return { nodes, edges: nodes.slice(1).map(({ id }) => ({ from: id, to: "a:0", confidence: 0.9 })) }
}

test("a neighbourhood of 5,000 symbols is cut to the maximum and says how many are left out", () => {
  const { graph, leftOut } = joined({ nodes: [], edges: [] }, star(5000))
  expect([graph.nodes.length, leftOut]).toEqual([MAX_NODES, 5000 - MAX_NODES])
  for (const { x, y } of layout(graph).values()) expect(x >= 0 && x <= 1 && y >= 0 && y <= 1).toBe(true)
})

test("a name in an exported graph cannot end its quotation", () => {
  const graph = { ...star(1), nodes: [{ id: 'x"', name: 'a"] --> b\n"\\', path: "p", line: 1 }] }
  expect(mermaid(graph)).toBe('flowchart LR\n  n0["a#34;#93; --#62; b#10;#34;#92;"]\n')
  expect(dot(graph)).toContain('"x\\"" [label="a\\"] --> b \\"\\\\", tooltip="p:1"]')
})
