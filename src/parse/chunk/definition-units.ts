import { isTypeLike, type NestedDefinition } from "../definitions.ts"
import { isInSpan, type Spans } from "../spans.ts"
import { indentOf, isBlankRow, rowAt, type TextLines } from "../text-lines.ts"
import type { RowRange, Unit } from "./chunk.ts"
import { lineUnits } from "./line-units.ts"

export type Outline = {
  readonly lines: TextLines
  readonly definitions: readonly NestedDefinition[]
  readonly comments: Spans
  /** Maximum number of characters in the pieces of a unit that has no parts to split it into. */
  readonly runChars: number
}

type DefinitionGroup = { startRow: number; endRow: number; readonly members: NestedDefinition[] }
type OutlineTree = { readonly outline: Outline; readonly children: Children }
type Children = ReadonlyMap<NestedDefinition | null, readonly NestedDefinition[]>

/**
 * Units that cover the rows. They are made from the ranges of definitions, without a syntax tree, and from the lines
 * between them.
 */
export function definitionUnits(outline: Outline, rows: RowRange): Unit[] {
  const children = Map.groupBy(outline.definitions, ({ parent }) => parent)
  return unitsIn(null, rows, null, { outline, children })
}

function unitsIn(
  parent: NestedDefinition | null,
  rows: RowRange,
  scope: string | null,
  inside: OutlineTree,
): Unit[] {
  const { lines, runChars } = inside.outline
  const units: Unit[] = []
  let row = rows.startRow
  for (const group of groupsIn(parent, rows, inside)) {
    if (group.startRow > row)
      units.push(...lineUnits(lines, { startRow: row, endRow: group.startRow - 1 }, scope, runChars))
    units.push(unitOf(group, scope, inside))
    row = group.endRow + 1
  }
  if (row <= rows.endRow) units.push(...lineUnits(lines, { ...rows, startRow: row }, scope, runChars))
  return units
}

/**
 * Groups each definition with the comments above it and the blank rows below it. Definitions that share a row are in
 * one group.
 */
function groupsIn(
  parent: NestedDefinition | null,
  rows: RowRange,
  { outline, children }: OutlineTree,
): readonly DefinitionGroup[] {
  const { lines } = outline
  const groups: DefinitionGroup[] = []
  for (const definition of children.get(parent) ?? []) {
    const startRow = rowAt(lines, definition.start)
    const endRow = Math.min(rowAt(lines, Math.max(definition.start, definition.end - 1)), rows.endRow)
    // Only definitions that begin in these rows count. A notebook is cut cell by cell, and a section that begins in one
    // cell may end in another.
    if (startRow <= rows.endRow && endRow >= rows.startRow) {
      addToGroups(groups, { startRow, endRow, members: [definition] }, rows, outline)
    }
  }
  for (const [at, group] of groups.entries()) {
    const next = groups[at + 1]?.startRow ?? rows.endRow + 1
    while (group.endRow + 1 < next && isBlankRow(lines, group.endRow + 1)) group.endRow++
  }
  return groups
}

function addToGroups(
  groups: DefinitionGroup[],
  next: DefinitionGroup,
  rows: RowRange,
  outline: Outline,
): void {
  const last = groups.at(-1)
  if (last && next.startRow <= last.endRow) {
    last.members.push(...next.members)
    last.endRow = Math.max(last.endRow, next.endRow)
    return
  }
  const first = Math.max(last ? last.endRow + 1 : 0, rows.startRow)
  groups.push({ ...next, startRow: leadRow(Math.max(next.startRow, first), first, outline) })
}

/** First of the rows directly above `row` that contain only comments and attributes. */
function leadRow(row: number, firstRow: number, outline: Outline): number {
  let first = row
  while (first > firstRow && isLead(first - 1, outline)) first--
  return first
}

function isLead(row: number, { lines, comments }: Outline): boolean {
  const indent = indentOf(lines, row)
  if (indent < 0) return false
  const at = lines.starts[row]! + indent
  return lines.text[at] === "@" || isInSpan(comments, at)
}

function unitOf({ members, ...rows }: DefinitionGroup, scope: string | null, inside: OutlineTree): Unit {
  const { lines, runChars } = inside.outline
  const own = members.length === 1 ? members[0]! : null
  const innerScope = own ? own.path : scope
  const isOpen = own?.hasMembers === true && (own.kind === "section" || isTypeLike(own.kind))
  return {
    ...rows,
    holds: isOpen ? "members" : "statements",
    defines: true,
    innerScope,
    open: () => (own ? unitsIn(own, rows, innerScope, inside) : lineUnits(lines, rows, scope, runChars)),
  }
}
