import { expect, test } from "bun:test"
import { GRAPH_MIN_BYTES, planGraphs } from "./plan-graphs.ts"

const rows = GRAPH_MIN_BYTES / 256
const plan = (table: Partial<Parameters<typeof planGraphs>[0]>) =>
  planGraphs({ rows, dimensions: 256, graphs: [], built: 0, ...table })

test("builds no graph for a small table and drops existing ones", () => {
  expect(plan({ rows: rows - 1 })).toEqual({ keep: false, buildFrom: null })
  expect(plan({ rows: rows - 1, graphs: [{ count: rows - 1 }], built: rows })).toEqual({
    keep: false,
    buildFrom: null,
  })
})

test("builds one graph over all rows of a large table", () => {
  expect(plan({})).toEqual({ keep: false, buildFrom: 0 })
})

test("scans a short tail and builds another graph for a long one", () => {
  const graphs = [{ count: rows }]
  expect(plan({ rows: rows + 1000, graphs, built: rows })).toEqual({ keep: true, buildFrom: null })
  expect(plan({ rows: rows * 1.5, graphs, built: rows })).toEqual({ keep: true, buildFrom: rows })
})

test("rebuilds everything when a quarter of the rows is dead or there are too many graphs", () => {
  expect(plan({ graphs: [{ count: rows * 0.7 }], built: rows })).toEqual({ keep: false, buildFrom: 0 })
  const many = Array.from({ length: 6 }, () => ({ count: rows }))
  expect(plan({ rows: rows * 2, graphs: many, built: rows })).toEqual({ keep: false, buildFrom: 0 })
})
