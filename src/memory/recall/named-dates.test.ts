import { expect, test } from "bun:test"
import { isAtDate, namedDates } from "./question.ts"

test.each([
  ["What did she buy on 8 May 2023?", [[2023, 5, 8]]],
  ["What did she buy on May 8th, 2023?", [[2023, 5, 8]]],
  [
    "Where were they in June 2023 and in August?",
    [
      [2023, 6, null],
      [null, 8, null],
    ],
  ],
  [
    "What changed on 2024-03-01, and in 2022?",
    [
      [2024, 3, 1],
      [2022, null, null],
    ],
  ],
  ["What may she do after the march in the sun?", []],
])("%s", (question, expected) => {
  const found = namedDates(question).map(({ year, month, day }) => [year, month, day])
  expect(found.sort()).toEqual([...expected].sort())
})

test("a day includes the three after it, because people tell then what happened; a month and a year are exact", () => {
  const at = (question: string, time: string) => isAtDate(namedDates(question), time)
  expect(at("on 8 May 2023", "2023-05-08T09:00:00.000Z")).toBe(true)
  expect(at("on 8 May 2023", "2023-05-11T23:00:00.000Z")).toBe(true)
  expect(at("on 8 May 2023", "2023-05-12T00:00:00.000Z")).toBe(false)
  expect(at("on 8 May 2023", "2023-05-07T23:00:00.000Z")).toBe(false)
  expect(at("on 8 May 2023", "2023-05-08T01:00:00.000+09:00")).toBe(true)
  expect(at("on 8 May 2023", "2023-05-07T23:00:00.000-07:00")).toBe(false)
  expect(at("in May", "2021-05-30T00:00:00.000Z")).toBe(true)
  expect(at("in May 2023", "2021-05-30T00:00:00.000Z")).toBe(false)
  expect(at("in 2023", "2023-12-31T23:59:59.000Z")).toBe(true)
})

test("days that a question means by other words are exact", () => {
  const isIn = (time: string) => isAtDate([{ start: "2026-11-16", end: "2026-11-22" }], time)
  expect(isIn("2026-11-16T00:00:00.000Z")).toBe(true)
  expect(isIn("2026-11-22T23:00:00.000+09:00")).toBe(true)
  expect(isIn("2026-11-23T00:00:00.000Z")).toBe(false)
  expect(isAtDate([{ start: "2026-11-28", end: null }], "2026-11-29T08:00:00.000Z")).toBe(false)
})
