import { expect, test } from "bun:test"
import { textLines } from "../text-lines.ts"
import type { Unit } from "./chunk.ts"
import { chunkUnits } from "./chunk.ts"

// A row of 40 characters is ten tokens.
const ROW = `${"x".repeat(39)}\n`
const lines = textLines(ROW.repeat(10_000))

function unit(startRow: number, endRow: number, more: Partial<Unit> = {}): Unit {
  return { startRow, endRow, holds: "statements", defines: true, innerScope: null, open: () => [], ...more }
}

function cut(units: Unit[], chunkTokens: number, mergeTokens: number): string[] {
  const chunks = chunkUnits(units, lines, { chunkTokens, mergeTokens })
  return chunks.map(({ startRow, endRow, scope }) => `${startRow}-${endRow}${scope ? ` ${scope}` : ""}`)
}

test("merges neighbours up to the merge size", () => {
  const units = [unit(0, 1), unit(2, 3), unit(4, 5), unit(6, 7)]
  expect(cut(units, 1000, 50)).toEqual(["0-3", "4-7"])
  expect(cut(units, 1000, 0)).toEqual(["0-1", "2-3", "4-5", "6-7"])
})

test("splits a unit larger than a chunk and merges its parts within its scope", () => {
  const parts = Array.from({ length: 30 }, (_, at) => unit(at, at, { innerScope: "big" }))
  const big = unit(0, 29, { innerScope: "big", open: () => parts })
  expect(cut([big], 300, 0)).toEqual(["0-29"])
  // Parts of an opened unit are merged up to a third of the chunk size, although the merge size is 0.
  expect(cut([big], 150, 0).slice(0, 3)).toEqual(["0-6", "7-10 big", "11-14 big"])
})

test("opens a type above the merge size into its members and keeps its head with the first", () => {
  const members = [unit(0, 0), unit(1, 10), unit(11, 20)]
  const type = unit(0, 20, { holds: "members", innerScope: "Type", open: () => members })
  expect(cut([type], 1000, 100)).toEqual(["0-10", "11-20 Type"])
  expect(cut([type], 1000, 300)).toEqual(["0-20"])
})

test("does not merge members of a type with the code after the type", () => {
  const members = [unit(0, 9), unit(10, 11)]
  const type = unit(0, 11, { holds: "members", innerScope: "Type", open: () => members })
  expect(cut([type, unit(12, 12)], 1000, 100)).toEqual(["0-9", "10-11 Type", "12-12"])
})

test("starts a new chunk for an opened type below definitions, but not below a preamble", () => {
  const members = [unit(5, 11), unit(12, 20)]
  const type = unit(5, 20, { holds: "members", innerScope: "Type", open: () => members })
  expect(cut([unit(0, 4), type], 1000, 130)).toEqual(["0-4", "5-11", "12-20 Type"])
  expect(cut([unit(0, 4, { defines: false }), type], 1000, 130)).toEqual(["0-11", "12-20 Type"])
})

test("merges a tiny unit that defines nothing with the next chunk, and the last one with the chunk above", () => {
  const crumb = (row: number) => unit(row, row, { defines: false })
  expect(cut([crumb(0), unit(1, 5), crumb(6)], 1000, 0)).toEqual(["0-6"])
  expect(cut([unit(0, 5), crumb(6), unit(7, 9)], 1000, 0)).toEqual(["0-5", "6-9"])
})

test("merges chunks evenly when there are more than 4,096", () => {
  const chunks = cut(
    Array.from({ length: 10_000 }, (_, row) => unit(row, row)),
    1000,
    0,
  )
  expect(chunks.length).toBe(3334)
  expect(chunks.slice(0, 2)).toEqual(["0-2", "3-5"])
  expect(chunks.at(-1)).toBe("9999-9999")
})

test("leaves out blank rows at the edges", () => {
  const text = textLines("\n\na\n\nb\n\n")
  const chunks = chunkUnits([unit(0, 3), unit(4, 5)], text, { chunkTokens: 100, mergeTokens: 0 })
  expect(chunks).toEqual([
    { startRow: 2, endRow: 2, scope: null },
    { startRow: 4, endRow: 4, scope: null },
  ])
})
