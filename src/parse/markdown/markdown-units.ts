import type { RowRange, Unit } from "../chunk/chunk.ts"
import { lineUnits } from "../chunk/line-units.ts"
import { type NestedDefinition, nestDefinitions } from "../definitions.ts"
import type { TextLines } from "../text-lines.ts"
import { blocksOf } from "./markdown-blocks.ts"
import { headingOf, sectionsOf, titleOf } from "./markdown-sections.ts"

type Block = {
  /** Level of the heading, 1 to 6; 0 for other blocks. */
  readonly depth: number
  readonly startRow: number
  readonly section: NestedDefinition | null
  /** The first row of each item of a list; empty for other blocks. */
  readonly itemRows: readonly number[]
}

/** Units of a page: sections, which contain blocks and sections of lower levels. */
export function markdownUnits(
  lines: TextLines,
  runChars: number,
): { units: Unit[]; sections: NestedDefinition[] } {
  const found = blocksOf(lines)
  const title = titleOf(found, lines)
  const sections = nestDefinitions([...title, ...sectionsOf(found, lines)])
  const byStart = new Map(sections.map((section) => [section.start, section]))
  const blocks = found.map((block): Block => {
    const heading = headingOf(block)
    const section = heading === null ? null : (byStart.get(heading.start) ?? null)
    return { depth: heading?.level ?? 0, startRow: block.row, section, itemRows: block.itemRows }
  })
  const rows = { startRow: 0, endRow: lines.count - 1 }
  return { units: unitsOf(blocks, rows, null, { lines, runChars }), sections }
}

type MarkdownPage = { readonly lines: TextLines; readonly runChars: number }

function unitsOf(blocks: readonly Block[], rows: RowRange, scope: string | null, page: MarkdownPage): Unit[] {
  if (blocks.length === 0) return lineUnits(page.lines, rows, scope, page.runChars)
  const units: Unit[] = []
  for (let at = 0; at < blocks.length; ) {
    const next = blocks[at]!.section ? sectionEnd(blocks, at) : at + 1
    const startRow = at === 0 ? rows.startRow : blocks[at]!.startRow
    const endRow = (blocks[next]?.startRow ?? rows.endRow + 1) - 1
    units.push(unitOf(blocks.slice(at, next), { startRow, endRow }, scope, page))
    at = next
  }
  return units
}

function sectionEnd(blocks: readonly Block[], at: number): number {
  const { depth } = blocks[at]!
  let next = at + 1
  while (next < blocks.length && !(blocks[next]!.depth > 0 && blocks[next]!.depth <= depth)) next++
  return next
}

function unitOf(blocks: readonly Block[], rows: RowRange, scope: string | null, page: MarkdownPage): Unit {
  const [head, ...rest] = blocks as [Block, ...Block[]]
  const innerScope = head.section?.path ?? scope
  const plain = (part: RowRange): Unit => ({
    ...part,
    holds: "statements",
    defines: false,
    innerScope: scope,
    open: () => lineUnits(page.lines, part, scope, page.runChars),
  })
  if (!head.section) return { ...plain(rows), open: () => items(head, rows, plain) }
  const headEnd = rest[0] ? rest[0].startRow - 1 : rows.endRow
  return {
    ...rows,
    holds: "members",
    defines: true,
    innerScope,
    open: () => [
      plain({ startRow: rows.startRow, endRow: headEnd }),
      ...(rest[0]
        ? unitsOf(rest, { startRow: rest[0].startRow, endRow: rows.endRow }, innerScope, page)
        : []),
    ],
  }
}

/** Units for the items of a list; for any other block, units of its lines. */
function items(block: Block, rows: RowRange, plain: (rows: RowRange) => Unit): Unit[] {
  const starts = block.itemRows.slice(1)
  if (starts.length === 0) return plain(rows).open()
  return [rows.startRow, ...starts].map((startRow, index) =>
    plain({ startRow, endRow: (starts[index] ?? rows.endRow + 1) - 1 }),
  )
}
