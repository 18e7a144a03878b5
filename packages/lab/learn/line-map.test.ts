import { expect, test } from "bun:test"
import type { DiffHunk } from "./history.ts"
import { mapBack } from "./line-map.ts"

const hunk = (oldStart: number, oldCount: number, newStart: number, newCount: number): DiffHunk => ({
  oldStart,
  oldCount,
  newStart,
  newCount,
  lines: [],
})

test("maps lines after an insertion to a smaller line number in the older version", () => {
  expect(mapBack(hunk(20, 3, 20, 1), [hunk(5, 0, 6, 4)])).toEqual({ start: 16, end: 18 })
})

test("maps lines after a removal to a larger line number in the older version", () => {
  expect(mapBack(hunk(20, 1, 20, 1), [hunk(5, 4, 4, 0)])).toEqual({ start: 24, end: 24 })
})

test("keeps the lines of a change before an edit", () => {
  expect(mapBack(hunk(3, 2, 3, 2), [hunk(5, 4, 5, 1)])).toEqual({ start: 3, end: 4 })
})

test("cannot map lines that were edited in between", () => {
  expect(mapBack(hunk(10, 5, 10, 5), [hunk(12, 1, 12, 1)])).toBeNull()
})

test("cannot map lines around a later removal", () => {
  expect(mapBack(hunk(10, 5, 10, 5), [hunk(12, 3, 11, 0)])).toBeNull()
})

test("maps a pure insertion to the lines before and after it", () => {
  expect(mapBack(hunk(7, 0, 8, 3), [hunk(1, 0, 2, 2)])).toEqual({ start: 5, end: 6, added: true })
})

test("cannot map an insertion between lines that were separated since", () => {
  expect(mapBack(hunk(7, 0, 8, 3), [hunk(7, 1, 7, 1)])).toBeNull()
  expect(mapBack(hunk(7, 0, 8, 3), [hunk(8, 1, 7, 0)])).toBeNull()
})

test("maps an insertion at the top of a file to its first line", () => {
  expect(mapBack(hunk(0, 0, 1, 2), [])).toEqual({ start: 1, end: 1, added: true })
})
