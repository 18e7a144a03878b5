import { expect, test } from "bun:test"
import fc from "fast-check"
import {
  ago,
  bytes,
  duration,
  groupDigits,
  largestCounts,
  percent,
  plural,
  printable,
  printableLine,
  wrap,
} from "./text.ts"

test("formats counts, sizes and times for people", () => {
  expect([0, 999, 1000, 1234567].map(groupDigits)).toEqual(["0", "999", "1,000", "1,234,567"])
  expect([plural(1, "file"), plural(2, "file"), plural(0, "file")]).toEqual(["1 file", "2 files", "0 files"])
  expect([3.4, 999, 1000, 9949, 9951, 59_400, 59_600, 200_000, 900_000].map(duration)).toEqual([
    "3 ms",
    "999 ms",
    "1.0 s",
    "9.9 s",
    "10 s",
    "59 s",
    "1 min",
    "3 min 20 s",
    "15 min",
  ])
  const now = Date.parse("2026-03-31T12:00:00Z")
  const times = [
    "31T12:00:30",
    "31T11:59:10",
    "31T11:58:59",
    "31T10:01:00",
    "30T12:00:00",
    "02T12:00:00",
    "01T12:00:00",
  ]
  expect(times.map((time) => ago(`2026-03-${time}Z`, now))).toEqual([
    "just now",
    "just now",
    "1 minute ago",
    "1 hour ago",
    "1 day ago",
    "29 days ago",
    "on 2026-03-01",
  ])
  expect([0, 999, 1000, 5_500_000, 154_000_000, 2.5e13].map(bytes)).toEqual([
    "0 bytes",
    "999 bytes",
    "1.0 KB",
    "5.5 MB",
    "154 MB",
    "25.0 TB",
  ])
  expect([0, 0.999, 1].map(percent)).toEqual(["0 %", "99 %", "100 %"])
})

test("lists the most frequent entries and counts the rest", () => {
  expect(largestCounts({ c: 1, go: 1200, rust: 30 }, 2)).toBe("go 1,200, rust 30, 1 more")
})

test("removes the escape character of escape sequences and keeps text and layout", () => {
  expect(printable("a\tb\r\nc\x1b[31md\x07\x9b2J")).toBe("a\tb\nc\u{fffd}[31md\u{fffd}\u{fffd}2J")
  expect(printable("ünï → 漢字 🙂")).toBe("ünï → 漢字 🙂")
})

test("removes bidirectional overrides, which could hide what code does", () => {
  expect(printable("if (x) \u202e⁦// check⁩")).not.toMatch(/[\u202a-\u202e\u2066-\u2069]/)
})

test("leaves no control sequence in any text", () => {
  fc.assert(
    fc.property(fc.string({ unit: "binary" }), (text) => {
      expect(printable(text)).not.toMatch(/(?![\n\t])\p{Cc}/u)
      expect(printableLine(text)).not.toMatch(/\p{Cc}|\p{Zl}|\p{Zp}/u)
    }),
  )
})

test("wraps between words and indents the following lines", () => {
  expect(wrap("one two three four five six", 26, 4)).toBe("one two three four\n    five six")
  expect(wrap("short", 80, 4)).toBe("short")
})

test("limits the line length on a wide terminal", () => {
  for (const line of wrap("word ".repeat(100), 1000).split("\n")) expect(line.length).toBeLessThanOrEqual(100)
})
