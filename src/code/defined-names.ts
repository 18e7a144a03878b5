import { CALLABLES, TYPES } from "./kind-groups.ts"
import type { CodeSymbol } from "./parsed-file.ts"
import { useHash } from "./use-code.ts"

/** What other files may call or name: not what belongs to each object alone, as fields do. */
const VALUE: ReadonlySet<string> = new Set(["constant", "variable"])
const NAMED: ReadonlySet<string> = new Set([...CALLABLES, ...TYPES, ...VALUE])

/** Hashes of the names by which other files may use this one, ascending, each once: u32 little-endian. */
export function definedNames(symbols: readonly CodeSymbol[], locals: ReadonlySet<CodeSymbol>): Uint8Array {
  const hashes = new Set<number>()
  for (const symbol of symbols) {
    const { name, kind, owner } = symbol
    const isOthers = NAMED.has(kind) && !(VALUE.has(kind) && owner !== null) && !locals.has(symbol)
    if (isOthers && name.length > 1) hashes.add(useHash(name))
  }
  return new Uint8Array(Uint32Array.from(hashes).sort().buffer)
}

/** What stands inside a function: nothing outside that one can name it. */
export function localsAmong(symbols: readonly CodeSymbol[]): ReadonlySet<CodeSymbol> {
  const inOrder = [...symbols].sort(
    (one, other) => one.startLine - other.startLine || other.endLine - one.endLine,
  )
  const locals = new Set<CodeSymbol>()
  let outer: CodeSymbol | null = null
  for (const symbol of inOrder) {
    if (outer !== null && symbol.endLine <= outer.endLine && !isSamePlace(symbol, outer)) locals.add(symbol)
    const isFurther = outer === null || symbol.endLine > outer.endLine
    if (CALLABLES.has(symbol.kind) && isFurther) outer = symbol
  }
  return locals
}

/** Both on one line: which of them holds the other, nobody knows by lines. */
function isSamePlace(one: CodeSymbol, other: CodeSymbol): boolean {
  return one.startLine === other.startLine && one.endLine === other.endLine
}
