import { USE, type Use } from "../code/use-code.ts"
import type { Definition } from "./definition.ts"
import { type FileView, isCallable } from "./file-view.ts"

/** A function inside a function is known there only. */
export function isInScope({ symbol }: Definition, { line }: Use, file: FileView): boolean {
  if (symbol.local === 0) return true
  const around = file.enclosing(
    symbol.startLine,
    (other) =>
      isCallable(other) &&
      other !== symbol &&
      other.endLine >= symbol.endLine &&
      other.startLine < symbol.startLine,
  )
  return around === null || (around.startLine <= line && around.endLine >= line)
}

/**
 * A file that defines a type or value several times does so in blocks of its own, such as the tests of a suite: the one
 * that stands last before the use is meant.
 */
export function ofNearestBlock(
  possible: readonly Definition[],
  { line }: Use,
  file: FileView,
): readonly Definition[] {
  if (file.family !== "js" && file.family !== "python") return possible
  const own = possible.filter((each) => each.file.id === file.id && isValue(each))
  if (own.length < 2) return possible
  // A type and a value may share a name.
  const kept = new Set(
    [...Map.groupBy(own, ({ symbol }) => symbol.kind).values()].map(
      (same) => same.findLast(({ symbol }) => symbol.startLine <= line) ?? same[0],
    ),
  )
  return possible.filter((each) => each.file.id !== file.id || !isValue(each) || kept.has(each))
}

/** A local of that name is bound in the function around. */
export function isDeclaredNear({ name, line }: Use, file: FileView): boolean {
  const around = file.enclosing(line, isCallable)
  if (around === null) return false
  return file
    .usesOf(name)
    .some(
      (use) => (use.flags & USE.declares) !== 0 && use.line >= around.startLine && use.line <= around.endLine,
    )
}

function isValue({ symbol }: Definition): boolean {
  return symbol.owner === null && !isCallable(symbol)
}
