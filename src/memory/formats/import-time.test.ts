import { expect, test } from "bun:test"
import fc from "fast-check"
import { parseImportTime } from "./import-time.ts"

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
  ["2023/05/20 (Sat) 02:21", "2023-05-20T02:21:00.000Z"],
  ["1:56 pm on 8 May, 2023", "2023-05-08T13:56:00.000Z"],
  ["12:09 am on 13 September, 2023", "2023-09-13T00:09:00.000Z"],
  ["May 8, 2023 at 1:56 PM", "2023-05-08T13:56:00.000Z"],
  ["8 May 2023", "2023-05-08"],
  ["Mon, 08 May 2023 13:56:00 GMT", "2023-05-08T13:56:00.000Z"],
  ["1700000000", "2023-11-14T22:13:20.000Z"],
])("%s is %s", (text, expected) => {
  expect(parseImportTime(text)).toBe(expected)
})

test("numbers are seconds or milliseconds since 1970", () => {
  expect(parseImportTime(1_700_000_000)).toBe("2023-11-14T22:13:20.000Z")
  expect(parseImportTime(1_700_000_000_000)).toBe("2023-11-14T22:13:20.000Z")
  expect(parseImportTime(12)).toBeNull()
})

test.each(["", "yesterday", "2026-13-01", "2026-06-31", "2026-02-30T10:00Z", "25:99 on 8 May, 2023", "12"])(
  "%p is no date",
  (text) => {
    expect(parseImportTime(text)).toBeNull()
  },
)

test("every instant is parsed to the same instant", () => {
  const dates = fc.date({ min: new Date("1980-01-01"), max: new Date("2100-01-01"), noInvalidDate: true })
  fc.assert(
    fc.property(dates, (date) => {
      expect(parseImportTime(date.toISOString())).toBe(date.toISOString())
      expect(parseImportTime(date.getTime())).toBe(date.toISOString())
    }),
  )
})
