import { expect, test } from "bun:test"
import { toUnitRows } from "./unit-rows.ts"

test("vectors come out at length 1", () => {
  const rows = toUnitRows(
    [
      [3, 4],
      [0, -2],
    ],
    2,
    null,
  )
  expect([...rows]).toEqual([Math.fround(0.6), Math.fround(0.8), 0, -1])
})

test("whatever is no vector of the space is refused, each with its reason", () => {
  const wrong: [unknown, string][] = [
    [undefined, "no vectors for 1 texts"],
    [{}, "no vectors"],
    [[], "0 vectors for 1 texts"],
    [
      [
        [1, 2],
        [1, 2],
      ],
      "2 vectors for 1 texts",
    ],
    [[[]], "vectors of 0 dimensions"],
    [["x"], "vectors of 0 dimensions"],
    [[Array(9000).fill(1)], "vectors of 9000 dimensions"],
    [[[1, null]], "what is no number"],
    [[[1, Number.NaN]], "what is no number"],
    [[[0, 0]], "without direction"],
    [[[1e200, 1e200]], "without direction"],
  ]
  for (const [answer, reason] of wrong) expect(() => toUnitRows(answer, 1, null)).toThrow(reason)
  expect(() => toUnitRows([[1, 2, 3]], 1, 2)).toThrow("a vector of 3 dimensions, not 2")
  expect(() => toUnitRows([[1, 2], [1]], 2, null)).toThrow("a vector of 1 dimensions, not 2")
})
