import { charsOf, indentOf, isBlankRow, type TextLines } from "../text-lines.ts"
import type { RowRange, Unit } from "./chunk.ts"

/**
 * Units of a text without known structure. Each paragraph is a unit; a paragraph of more than `maxChars` characters is
 * cut into several.
 */
export function lineUnits(lines: TextLines, rows: RowRange, scope: string | null, maxChars: number): Unit[] {
  const units: Unit[] = []
  let row = rows.startRow
  while (row <= rows.endRow) {
    const endRow = paragraphEnd(lines, row, rows.endRow)
    for (let start = row; start <= endRow; ) {
      const end = runEnd(lines, start, endRow, maxChars)
      units.push(lineUnit(start, end, scope))
      start = end + 1
    }
    row = endRow + 1
  }
  return units
}

function lineUnit(startRow: number, endRow: number, scope: string | null): Unit {
  return { startRow, endRow, holds: "statements", defines: false, innerScope: scope, open: () => [] }
}

/** The last row of the paragraph that begins at `startRow`, including the blank rows after it. */
function paragraphEnd(lines: TextLines, startRow: number, lastRow: number): number {
  let row = startRow
  while (row < lastRow && isBlankRow(lines, row)) row++
  while (row < lastRow && !isBlankRow(lines, row + 1)) row++
  while (row < lastRow && isBlankRow(lines, row + 1)) row++
  return row
}

/**
 * The last row of a unit that begins at `startRow` and has at most `maxChars` characters, but at least one row. The
 * unit ends before the least indented row in its second half.
 */
function runEnd(lines: TextLines, startRow: number, lastRow: number, maxChars: number): number {
  let end = startRow
  while (end < lastRow && charsOf(lines, startRow, end + 1) <= maxChars) end++
  if (end === lastRow) return end
  let best = end + 1
  for (let row = end; row > (startRow + end) >> 1; row--) {
    const indent = indentOf(lines, row)
    if (indent >= 0 && indent < indentOf(lines, best)) best = row
  }
  return best - 1
}
