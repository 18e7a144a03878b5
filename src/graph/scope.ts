import type { Use } from "../code/use-code.ts"
import type { OutlineRow, SymbolRow } from "../store/symbols.ts"
import type { Definition } from "./definition.ts"
import type { FileView } from "./file-view.ts"
import { isCallable } from "./kinds.ts"
import { AROUND } from "./outline.ts"

/** A function inside a function is known there only. */
export function isInScope({ symbol }: Definition, { line }: Use, file: FileView): boolean {
  if (symbol.local === 0) return true
  const around = functionAround(symbol, file)
  return around === null || (around.startLine <= line && around.endLine >= line)
}

/** That which a local is defined in. */
export function functionAround({ startLine, endLine }: SymbolRow, file: FileView): OutlineRow | null {
  const around = file.outline.innermost(startLine - 1, AROUND.callable, endLine)
  return around < 0 ? null : file.outline.at(around)
}

export function hasBlocks(family: string): boolean {
  return family === "js" || family === "python"
}

/**
 * A file that defines a name several times does so in blocks of its own, such as the tests of a suite: the one that
 * stands last before the use is meant. Overloads stand one below the other, and a type and a value may share a name.
 */
export function ofNearestBlock(
  possible: readonly Definition[],
  { line }: Use,
  file: FileView,
): readonly Definition[] {
  if (!hasBlocks(file.family)) return possible
  const own = possible.filter((each) => each.file.id === file.id && each.symbol.owner === null)
  if (own.length < 2) return possible
  const kept = new Set(
    [...Map.groupBy(own, ({ symbol }) => symbol.kind).values()].flatMap((same) => nearestOf(same, line)),
  )
  return possible.filter((each) => each.file.id !== file.id || each.symbol.owner !== null || kept.has(each))
}

/** The last that begins before a line, else the first, with the overloads about it. */
function nearestOf(same: readonly Definition[], line: number): readonly Definition[] {
  const inOrder = same.toSorted((one, other) => one.symbol.startLine - other.symbol.startLine)
  const last = inOrder.findLastIndex(({ symbol }) => symbol.startLine <= line)
  let [from, to] = [Math.max(0, last), Math.max(0, last)]
  while (from > 0 && areTogether(inOrder[from - 1]!, inOrder[from]!)) from--
  while (to + 1 < inOrder.length && areTogether(inOrder[to]!, inOrder[to + 1]!)) to++
  return inOrder.slice(from, to + 1)
}

const MOST_APART = 2

function areTogether({ symbol: one }: Definition, { symbol: other }: Definition): boolean {
  return isCallable(one) && other.startLine - one.endLine <= MOST_APART
}

/** A local of that name is bound in the function around. */
export function isDeclaredNear({ name, line }: Use, file: FileView): boolean {
  const lines = file.linesDeclaring(name)
  if (lines.length === 0) return false
  const around = file.outline.innermost(line, AROUND.callable)
  if (around < 0) return false
  const { startLine, endLine } = file.outline.at(around)
  const first = lines[countBelow(lines, startLine)]
  return first !== undefined && first <= endLine
}

/** How many of ascending lines come before one. */
function countBelow(lines: readonly number[], line: number): number {
  let [from, to] = [0, lines.length]
  while (from < to) {
    const middle = (from + to) >>> 1
    if (lines[middle]! < line) from = middle + 1
    else to = middle
  }
  return from
}
