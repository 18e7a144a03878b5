import { expect, test } from "bun:test"
import { GRAPH_MIN_BYTES, planGraphs } from "./plan-graphs.ts"

const rows = GRAPH_MIN_BYTES / 256
const plan = (table: Partial<Parameters<typeof planGraphs>[0]>) =>
  planGraphs({ rows, dimensions: 256, graphs: [], built: 0, ...table })

test("a small table gets no graph, and loses those it had when it was large", () => {
  expect(plan({ rows: rows - 1 })).toEqual({ keep: false, buildFrom: null })
  expect(plan({ rows: rows - 1, graphs: [{ count: rows - 1 }], built: rows })).toEqual({
    keep: false,
    buildFrom: null,
  })
})

test("a large one gets a graph over all of it", () => {
  expect(plan({})).toEqual({ keep: false, buildFrom: 0 })
})

test("a short tail is scanned, a long one gets a graph of its own", () => {
  const graphs = [{ count: rows }]
  expect(plan({ rows: rows + 1000, graphs, built: rows })).toEqual({ keep: true, buildFrom: null })
  expect(plan({ rows: rows * 1.5, graphs, built: rows })).toEqual({ keep: true, buildFrom: rows })
})

test("when a quarter has died, or the graphs are many, all is built anew", () => {
  expect(plan({ graphs: [{ count: rows * 0.7 }], built: rows })).toEqual({ keep: false, buildFrom: 0 })
  const many = Array.from({ length: 6 }, () => ({ count: rows }))
  expect(plan({ rows: rows * 2, graphs: many, built: rows })).toEqual({ keep: false, buildFrom: 0 })
})
