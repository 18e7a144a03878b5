import { firstAtLeast } from "../../base/sorted.ts"
import { DECLARED_GLOBAL } from "../../code/references/default-exports.ts"
import { USE, type Use } from "../../code/references/use-code.ts"
import type { OutlineRow, SymbolRow } from "../../store/index/symbols.ts"
import type { SymbolDefinition } from "../definition.ts"
import { isCallable, isType } from "../definition.ts"
import type { FileView } from "../file-view.ts"
import { AROUND } from "../outline.ts"

/**
 * True when the definition is visible at the use. A function inside a function is visible only in the outer function.
 */
export function isInScope({ symbol }: SymbolDefinition, { line }: Use, file: FileView): boolean {
  if (symbol.local === 0) return true
  const around = enclosingFunction(symbol, file)
  return around === null || (around.startLine <= line && around.endLine >= line)
}

/**
 * True for a JavaScript function that its enclosing function returns in an object, as hooks and factories do: `return {
 * open, close }`. Other code reaches it through that object.
 */
export function isReturned({ symbol, file: home }: SymbolDefinition): boolean {
  if (symbol.local === 0 || symbol.owner !== null || home.family !== "js") return false
  let known = RETURNED.get(symbol)
  if (known === undefined) {
    known = isInReturned(symbol, home)
    RETURNED.set(symbol, known)
  }
  return known
}

/** Cached results of `isReturned`, because it is called for the same definition for many uses. */
const RETURNED = new WeakMap<SymbolRow, boolean>()

function isInReturned(symbol: SymbolRow, home: FileView): boolean {
  const around = enclosingFunction(symbol, home)
  if (around === null) return false
  return home
    .usesOf(symbol.name)
    .some(
      ({ flags, qualifier, path, line }) =>
        (flags & USE.member) !== 0 &&
        qualifier === null &&
        path?.startsWith("<") === true &&
        around.startLine <= line &&
        line <= around.endLine,
    )
}

/**
 * True when code in `file` cannot name the definition, because it is private to another file: a static function of C,
 * or a private definition of a JVM language, JavaScript or TypeScript. Other languages are not checked; in C# and PHP,
 * for example, partial types and traits spread private members over several files.
 */
export function isHiddenFrom({ symbol, file: home }: SymbolDefinition, file: FileView): boolean {
  if (home.id === file.id) return false
  const { signature } = symbol
  if (home.family === "c")
    return symbol.owner === null && /^static\b/.test(signature) && !HEADER.test(home.path)
  return (home.family === "jvm" || home.family === "js") && PRIVATE.test(signature)
}

const HEADER = /\.(?:h|hh|hpp|hxx|inc|inl|ipp)$/
/** Matches a private definition, but not Scala's `private[shop]`, which is visible in a package. */
const PRIVATE =
  /^(?:@\w+(?:\([^)]*\))?\s+|(?:static|final|abstract|override|open|inline|suspend)\s+)*private(?!\[)\s/

/**
 * True for a type of TypeScript that every file sees without an import: in a `declare global` block, or in a declaration
 * file that is no module.
 */
export function isGlobalType({ symbol, file: home }: SymbolDefinition): boolean {
  if (home.family !== "js" || symbol.owner !== null || !isType(symbol)) return false
  let known = GLOBAL.get(symbol)
  if (known === undefined) {
    known = isInGlobalScope(symbol, home)
    GLOBAL.set(symbol, known)
  }
  return known
}

/** Answers of `isGlobalType`, because many uses ask about one definition. */
const GLOBAL = new WeakMap<SymbolRow, boolean>()

function isInGlobalScope({ startLine, signature }: SymbolRow, home: FileView): boolean {
  if (home.path.endsWith(".d.ts") && home.imports.length === 0 && !/^export\b/.test(signature)) return true
  return home
    .usesOf(DECLARED_GLOBAL)
    .some(({ line, qualifier }) => line <= startLine && startLine <= Number(qualifier))
}

/**
 * True for a definition in a module that is part of a file, such as Rust's `mod tests { … }` and TypeScript's
 * `namespace Shop { … }`: code of that module names it without the module.
 */
export function isOfInnerModule({ symbol, file }: SymbolDefinition): boolean {
  const { owner, startLine, endLine } = symbol
  if (owner === null || !HAS_INNER_MODULES.test(file.family)) return false
  return file.outline.moduleAround(startLine, endLine)?.name === owner
}

const HAS_INNER_MODULES = /^(?:rust|js)$/

/** The function that a local symbol is defined in; null when there is none. */
export function enclosingFunction({ startLine, endLine }: SymbolRow, file: FileView): OutlineRow | null {
  const around = file.outline.innermost(startLine - 1, AROUND.callable, endLine)
  return around < 0 ? null : file.outline.at(around)
}

export function hasBlocks(family: string): boolean {
  return family === "js" || family === "python"
}

/**
 * Removes definitions in other blocks of the same file. A file that defines a name several times usually does so in
 * separate blocks, such as the tests of a suite; a use means the last definition before it. Overloads, which follow
 * each other, stay together. A type and a value with the same name both stay.
 */
export function inNearestBlock(
  possible: readonly SymbolDefinition[],
  { line }: Use,
  file: FileView,
): readonly SymbolDefinition[] {
  if (!hasBlocks(file.family)) return possible
  const own = possible.filter((each) => each.file.id === file.id && each.symbol.owner === null)
  if (own.length < 2) return possible
  const kept = new Set(
    [...Map.groupBy(own, ({ symbol }) => symbol.kind).values()].flatMap((same) => nearestOf(same, line)),
  )
  return possible.filter((each) => each.file.id !== file.id || each.symbol.owner !== null || kept.has(each))
}

/** The last definition that begins at or before a line, with its overloads. If all begin later, the first one. */
function nearestOf(same: readonly SymbolDefinition[], line: number): readonly SymbolDefinition[] {
  const inOrder = same.toSorted((one, other) => one.symbol.startLine - other.symbol.startLine)
  const lastBefore = inOrder.findLastIndex(({ symbol }) => symbol.startLine <= line)
  let [from, to] = [Math.max(0, lastBefore), Math.max(0, lastBefore)]
  while (from > 0 && areTogether(inOrder[from - 1]!, inOrder[from]!)) from--
  while (to + 1 < inOrder.length && areTogether(inOrder[to]!, inOrder[to + 1]!)) to++
  return inOrder.slice(from, to + 1)
}

const MAX_GAP_LINES = 2

function areTogether({ symbol: one }: SymbolDefinition, { symbol: other }: SymbolDefinition): boolean {
  return isCallable(one) && other.startLine - one.endLine <= MAX_GAP_LINES
}

/** True when the enclosing function binds a local variable of that name, which hides a definition at the use. */
export function isDeclaredNear({ name, line, flags }: Use, file: FileView): boolean {
  const lines = file.linesDeclaring(name)
  if (lines.length === 0) return false
  const around = file.outline.innermost(line, AROUND.callable)
  if (around < 0) return false
  const { startLine, endLine } = file.outline.at(around)
  const first = lines[firstAtLeast(lines, startLine)]
  if (first === undefined || first > endLine) return false
  if (!BEGINS_BEHIND.has(file.family)) return true
  // `let total = total(rows)` calls the function.
  return first < line || (first === line && (flags & USE.call) === 0)
}

/** Language families in which a local variable is visible only after its declaration, not in the whole function. */
const BEGINS_BEHIND: ReadonlySet<string> = new Set(["rust", "go", "jvm", "csharp", "swift"])
