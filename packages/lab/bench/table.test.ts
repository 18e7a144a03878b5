import { expect, test } from "bun:test"
import { judge, limitText, missedTargets, renderTable, type Table } from "./table.ts"

const TABLE: Table = {
  title: "Speed",
  columns: [{ name: "what" }, { name: "ms", digits: 1 }, { name: "target" }],
  rows: [
    ["parse", judge(12.34, { max: 10 }), limitText({ max: 10 })],
    ["whole query", judge(2, { max: 10 }), limitText({ max: 10 })],
    ["quality", judge(0.5, { min: 0.6 }), limitText({ min: 0.6 })],
    ["unknown", null, limitText(null)],
  ],
  notes: ["made up"],
}

test("aligns words left and numbers right and marks a missed target", () => {
  expect(renderTable(TABLE)).toBe(
    [
      "Speed",
      "  what             ms  target",
      "  parse        ✗ 12.3  ≤ 10",
      "  whole query     2.0  ≤ 10",
      "  quality       ✗ 0.5  ≥ 0.6",
      "  unknown           –",
      "  made up",
    ].join("\n"),
  )
})

test("a row may have its own number of decimals", () => {
  const rows = [
    ["files", judge(5_000, null, 0), ""],
    ["ms", judge(1.25, { max: 1 }, 2), ""],
  ]
  expect(renderTable({ ...TABLE, rows, notes: [] })).toContain("files    5000\n  ms     ✗ 1.25")
})

test("lists misses with their place and target", () => {
  expect(missedTargets(TABLE)).toEqual(["Speed: parse, ms: 12.3 (≤ 10)", "Speed: quality, ms: 0.5 (≥ 0.6)"])
})

test("a missing measurement counts as neither met nor missed", () => {
  expect(judge(null, { max: 1 })).toBeNull()
  expect(missedTargets({ ...TABLE, rows: [["a", judge(3, null), ""]] })).toEqual([])
})
