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

test("lines after an insertion are found further up in the older version", () => {
  expect(mapBack(hunk(20, 3, 20, 1), [hunk(5, 0, 6, 4)])).toEqual({ start: 16, end: 18 })
})

test("lines after a removal are found further down in the older version", () => {
  expect(mapBack(hunk(20, 1, 20, 1), [hunk(5, 4, 4, 0)])).toEqual({ start: 24, end: 24 })
})

test("a change before an edit in between keeps its lines", () => {
  expect(mapBack(hunk(3, 2, 3, 2), [hunk(5, 4, 5, 1)])).toEqual({ start: 3, end: 4 })
})

test("lines that were edited in between cannot be mapped", () => {
  expect(mapBack(hunk(10, 5, 10, 5), [hunk(12, 1, 12, 1)])).toBeNull()
})

test("lines around a place where others were removed in between cannot be mapped", () => {
  expect(mapBack(hunk(10, 5, 10, 5), [hunk(12, 3, 11, 0)])).toBeNull()
})

test("a pure insertion names the lines before and after it", () => {
  expect(mapBack(hunk(7, 0, 8, 3), [hunk(1, 0, 2, 2)])).toEqual({ start: 5, end: 6, added: true })
})

test("an insertion between lines that were parted since cannot be mapped", () => {
  expect(mapBack(hunk(7, 0, 8, 3), [hunk(7, 1, 7, 1)])).toBeNull()
  expect(mapBack(hunk(7, 0, 8, 3), [hunk(8, 1, 7, 0)])).toBeNull()
})

test("an insertion at the head of a file begins at its first line", () => {
  expect(mapBack(hunk(0, 0, 1, 2), [])).toEqual({ start: 1, end: 1, added: true })
})
