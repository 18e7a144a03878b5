import { expect, test } from "bun:test"
import fc from "fast-check"
import { firstMoment, instant, lastMoment, parseImportTime, parseTime } from "./times.ts"

test.each([
  ["2026-11-21", "2026-11-21"],
  [" 2026-02-28 ", "2026-02-28"],
  ["2024-02-29", "2024-02-29"],
  ["0001-01-01", "0001-01-01"],
  ["2026-11-21T20:00", "2026-11-21T20:00:00.000Z"],
  ["2026-11-21 20:00:05", "2026-11-21T20:00:05.000Z"],
  ["2026-11-21T20:00:05.1234567Z", "2026-11-21T20:00:05.123Z"],
  ["2026-11-21t20:00:05,5z", "2026-11-21T20:00:05.500Z"],
  ["2026-11-21T20:00:00+02:00", "2026-11-21T18:00:00.000Z"],
  ["2026-11-21T00:30:00-0130", "2026-11-21T02:00:00.000Z"],
])("%p is %p", (text, time) => {
  expect(parseTime(text, "x")).toBe(time)
})

test.each([
  ...[
    "",
    "yesterday",
    "2026",
    "2026-11",
    "21.11.2026",
    "2026-02-30",
    "2026-13-01",
    "2025-02-29",
    "2026-00-10",
  ],
  ...[
    "2026-11-21T24:00",
    "2026-11-21T20:60",
    "2026-11-21T20:00:00+25:00",
    "2026-11-21T",
    "20261121",
    "1732200000",
  ],
])("%p is no date, and the message says whose", (text) => {
  expect(() => parseTime(text, "valid_from")).toThrow(
    expect.objectContaining({
      code: "USAGE",
      message: expect.stringContaining("valid_from"),
      hint: expect.any(String),
    }),
  )
})

test("every instant keeps its value, and its text sorts by time", () => {
  const times = fc.date({ min: new Date("0001-01-01"), max: new Date("9998-12-31"), noInvalidDate: true })
  fc.assert(
    fc.property(times, times, (a, b) => {
      const [one, other] = [parseTime(a.toISOString(), "a"), parseTime(b.toISOString(), "b")]
      expect(one).toBe(a.toISOString())
      expect(one < other).toBe(a.getTime() < b.getTime())
      const day = one.slice(0, 10)
      expect(firstMoment(day) <= one && one <= lastMoment(day)).toBe(true)
    }),
  )
})

test("instants compare as text for any clock", () => {
  fc.assert(
    fc.property(fc.double(), fc.double(), (one, other) => {
      expect(instant(one)).toHaveLength(24)
      if (one <= other) expect(instant(one) <= instant(other)).toBe(true)
    }),
  )
})

test.each([
  ["2026-03-05", "2026-03-05"],
  ["2026/03/05", "2026-03-05"],
  ["2026-03-05T10:11:12Z", "2026-03-05T10:11:12.000Z"],
  ["2026-03-05T10:11:12.5+02:00", "2026-03-05T10:11:12.500+02:00"],
  ["2026-03-05T10:11:12-0730", "2026-03-05T10:11:12.000-07:30"],
  ["2026-03-05 23:11:12+02", "2026-03-05T23:11:12.000+02:00"],
  ["2026-03-05T10:11:12+00:00", "2026-03-05T10:11:12.000Z"],
  ["2026-03-05 10:11:12", "2026-03-05T10:11:12.000Z"],
  ["2026-03-05T10:11:12.123456789Z", "2026-03-05T10:11:12.123Z"],
  ["1700000000", "2023-11-14T22:13:20.000Z"],
])("%s is %s", (text, expected) => {
  expect(parseImportTime(text)).toBe(expected)
})

test("numbers are seconds or milliseconds since 1970", () => {
  expect(parseImportTime(1_700_000_000)).toBe("2023-11-14T22:13:20.000Z")
  expect(parseImportTime(1_700_000_000_000)).toBe("2023-11-14T22:13:20.000Z")
  expect(parseImportTime(12)).toBeNull()
})

test.each([
  "",
  "yesterday",
  "2026-13-01",
  "2026-06-31",
  "2026-02-30T10:00Z",
  "2026-01-01T25:99",
  "8 May 2023",
  "12",
])("%p is no date", (text) => {
  expect(parseImportTime(text)).toBeNull()
})

test("every instant is parsed to the same instant", () => {
  const dates = fc.date({ min: new Date("1980-01-01"), max: new Date("2100-01-01"), noInvalidDate: true })
  fc.assert(
    fc.property(dates, (date) => {
      expect(parseImportTime(date.toISOString())).toBe(date.toISOString())
      expect(parseImportTime(date.getTime())).toBe(date.toISOString())
    }),
  )
})
