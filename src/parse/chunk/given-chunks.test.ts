import { expect, test } from "bun:test"
import fc from "fast-check"
import { isBlankRow, textLines } from "../text-lines.ts"
import type { RowRange } from "./chunk.ts"
import { withGivenChunks } from "./given-chunks.ts"

const SIZES = { chunkTokens: 40, mergeTokens: 10 }
/** Lines of text, about a third of them blank. */
const TEXT = fc.array(fc.oneof(fc.constant(""), fc.constant("  "), fc.lorem({ maxCount: 8 }), fc.lorem()), {
  minLength: 1,
  maxLength: 60,
})

/** Ranges of these lengths from the row `from` on, as far as there are rows, with `gap` rows between them. */
function ranges(lengths: readonly number[], from: number, rows: number, gap: number): RowRange[] {
  let startRow = from
  return lengths.flatMap((length) => {
    const range = { startRow, endRow: Math.min(rows, startRow + length) - 1 }
    startRow = range.endRow + 1 + gap
    return range.startRow < rows ? [range] : []
  })
}

test("chunks with given boundaries are ascending, cover each non-blank row once, and keep short given ones", () => {
  const lengths = fc.array(fc.integer({ min: 1, max: 12 }), { maxLength: 12 })
  fc.assert(
    fc.property(TEXT, lengths, lengths, fc.integer({ min: 0, max: 5 }), (texts, own, wanted, gap) => {
      const lines = textLines(texts.join("\n"))
      const rows = lines.count
      const parts = ranges([...own, ...new Array<number>(rows).fill(1)], 0, rows, 0)
      const ours = parts.map((range, at) => ({ ...range, scope: at % 2 === 0 ? "A.b" : "A" }))
      const given = ranges(wanted, gap, rows, gap)
      const chunks = withGivenChunks(given, ours, lines, SIZES)
      const owners = new Array<number>(rows).fill(0)
      let last = -1
      for (const { startRow, endRow } of chunks) {
        expect(startRow).toBeGreaterThan(last)
        expect(endRow).toBeLessThan(rows)
        for (let row = startRow; row <= endRow; row++) owners[row]!++
        last = endRow
      }
      for (let row = 0; row < rows; row++) if (!isBlankRow(lines, row)) expect(owners[row]).toBe(1)
      for (const { startRow, endRow } of given) {
        const inside = chunks.filter((chunk) => chunk.startRow <= endRow && chunk.endRow >= startRow)
        expect(inside.every((chunk) => chunk.startRow >= startRow && chunk.endRow <= endRow)).toBe(true)
        const chars = lines.starts[endRow + 1]! - lines.starts[startRow]!
        if (chars <= SIZES.chunkTokens * 4) expect(inside.length).toBeLessThanOrEqual(1)
      }
    }),
  )
})

test("a given chunk has the scope that encloses all of it", () => {
  const lines = textLines("a\nb\nc\nd\n")
  const own = ["A", "A.b", "A.c", null].map((scope, row) => ({ startRow: row, endRow: row, scope }))
  const given = [
    { startRow: 0, endRow: 1 },
    { startRow: 2, endRow: 3 },
  ]
  expect(withGivenChunks(given, own, lines, SIZES).map(({ scope }) => scope)).toEqual(["A", null])
})
