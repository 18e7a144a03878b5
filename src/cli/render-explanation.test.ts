import { expect, test } from "bun:test"
import picocolors from "picocolors"
import { explanationTable } from "./render-explanation.ts"

test("one row a feature, and the sum below its column", () => {
  const features = [
    { name: "words in body", value: 1, weight: 2.5, contribution: 2.5 },
    { name: "test", value: 1, weight: -0.75, contribution: -0.75 },
  ]
  const table = explanationTable(
    0.9,
    { channels: { keyword: 1, vector: 12 }, features, sum: 1.75 },
    picocolors.createColors(false),
  )
  expect(table.split("\n")).toEqual([
    "  found by keyword #1, vector #12",
    "  feature        value  weight   share",
    "  words in body  1.000   2.500  +2.500",
    "  test           1.000  -0.750  -0.750",
    "  sum                           +1.750  score 0.900",
  ])
})
