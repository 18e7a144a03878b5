import { expect, test } from "bun:test"
import fc from "fast-check"
import { periodAround, relativeDates } from "./relative-dates.ts"

// A Wednesday.
const SAID = "2023-05-10T16:30:00.000Z"

const spans = async (text: string, said = SAID) =>
  (await relativeDates(text, said)).map(({ text: words, start, end }) =>
    end === null ? [words, start] : [words, start, end],
  )

test.each([
  ["I went there last week.", [["last week", "2023-05-01", "2023-05-07"]]],
  ["We met yesterday and talked.", [["yesterday", "2023-05-09"]]],
  ["The deploy is tomorrow.", [["tomorrow", "2023-05-11"]]],
  ["I moved here two months ago.", [["two months ago", "2023-03-01", "2023-03-31"]]],
  ["I broke my leg three days ago", [["three days ago", "2023-05-07"]]],
  ["We shipped it on Tuesday.", [["on Tuesday", "2023-05-09"]]],
  ["She called on Friday.", [["on Friday", "2023-05-05"]]],
  ["We will ship on Friday.", [["on Friday", "2023-05-12"]]],
  ["We pushed the fix on Friday.", [["on Friday", "2023-05-05"]]],
  ["We extended the table to ten columns on Friday.", [["on Friday", "2023-05-05"]]],
  ["We pushed the review back to Friday.", [["Friday", "2023-05-12"]]],
  ["The release slipped to October.", [["October", "2023-10-01", "2023-10-31"]]],
  ["The review is due by Monday", [["Monday", "2023-05-15"]]],
  ["The audit is next Friday.", [["next Friday", "2023-05-19"]]],
  ["Last Friday the build broke.", [["Last Friday", "2023-05-05"]]],
  ["Next month we upgrade", [["Next month", "2023-06-01", "2023-06-30"]]],
  ["It has been broken since last year.", [["last year", "2022-01-01", "2022-12-31"]]],
  ["We painted it last weekend.", [["last weekend", "2023-05-06", "2023-05-07"]]],
  ["This week I am off", [["This week", "2023-05-08", "2023-05-14"]]],
  ["I started in March.", [["March", "2023-03-01", "2023-03-31"]]],
  ["I have it since March, she moved on", [["March", "2023-03-01", "2023-03-31"]]],
  ["I graduated in October.", [["October", "2022-10-01", "2022-10-31"]]],
  ["We will move in October.", [["October", "2023-10-01", "2023-10-31"]]],
  ["My appointment was on March 3", [["March 3", "2023-03-03"]]],
  ["today I met Anna", [["today", "2023-05-10"]]],
  ["Yesterday, yesterday!", [["Yesterday", "2023-05-09"]]],
])("%j, said on a Wednesday, 10 May 2023", async (text, expected) => {
  expect(await spans(text)).toEqual(expected)
})

test.each([
  "Released on 2023-04-01 as v1.2.3.",
  "It may take 5 minutes, or 10:30 at most.",
  "Set `next` to `last_week`, see src/last/monday.ts",
  "The ratio is 3:1 and 12/05 of it",
  "Use the last item of this list, then the next one.",
  "March on! It may rain.",
  "await today.at(0)",
  "The second run took two hours.",
  "Port 8080, 3.12.1, 2.0 and sat nav",
  "",
])("%j says no time that needs a date beside it", async (text) => {
  expect(await spans(text)).toEqual([])
})

test("the day is the UTC day, whatever the hour", async () => {
  expect(await spans("yesterday", "2023-05-10T00:00:01Z")).toEqual([["yesterday", "2023-05-09"]])
  expect(await spans("yesterday", "2023-05-10T23:59:59Z")).toEqual([["yesterday", "2023-05-09"]])
  expect(await spans("yesterday", "2023-05-10")).toEqual([["yesterday", "2023-05-09"]])
})

test("a bare weekday is one of the seven days up to the entry's day", async () => {
  const names = "Sunday Monday Tuesday Wednesday Thursday Friday Saturday".split(" ")
  await fc.assert(
    fc.asyncProperty(
      fc.integer({ min: 0, max: 40_000 }),
      fc.integer({ min: 0, max: 6 }),
      async (days, weekday) => {
        const said = new Date(days * 86_400_000).toISOString()
        const [found] = await relativeDates(`We met on ${names[weekday]}.`, said)
        const day = Date.parse(found!.start)
        expect(new Date(day).getUTCDay()).toBe(weekday)
        expect(days * 86_400_000 - day).toBeGreaterThanOrEqual(0)
        expect(days * 86_400_000 - day).toBeLessThan(7 * 86_400_000)
      },
    ),
    { numRuns: 60 },
  )
})

test("in any text, each span is part of the text and ends no earlier than it begins", async () => {
  const words = fc.constantFrom(
    ..."last next week Tuesday on yesterday 3 months ago in May . ` 2023 12:30 this past weekend é 来週 the".split(
      " ",
    ),
  )
  await fc.assert(
    fc.asyncProperty(
      fc.array(fc.oneof(words, fc.string({ maxLength: 4 })), { maxLength: 12 }),
      async (parts) => {
        const text = parts.join(" ")
        for (const found of await relativeDates(text, SAID)) {
          expect(text.slice(found.at, found.at + found.text.length)).toBe(found.text)
          expect(found.end === null || found.start < found.end).toBe(true)
        }
      },
    ),
    { numRuns: 200 },
  )
})

test("a period contains its day and follows the calendar", () => {
  fc.assert(
    fc.property(fc.integer({ min: 0, max: 40_000 }), (days) => {
      const day = new Date(days * 86_400_000).toISOString().slice(0, 10)
      for (const period of ["day", "week", "month", "quarter", "year", "decade"] as const) {
        const { start, end } = periodAround(day, period)
        expect(start <= day && day <= end).toBe(true)
      }
      expect(new Date(`${periodAround(day, "week").start}T00:00:00Z`).getUTCDay()).toBe(1)
    }),
  )
})
