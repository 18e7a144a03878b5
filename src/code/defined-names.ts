import type { CodeSymbol } from "./parsed-file.ts"
import { useHash } from "./use-code.ts"

/** What other files may call or name: not what belongs to each object alone, as fields do. */
const NAMED: ReadonlySet<string> = new Set([
  "function",
  "method",
  "macro",
  "class",
  "interface",
  "struct",
  "enum",
  "trait",
  "type",
  "component",
  "module",
  "constant",
  "variable",
])
const CALLABLE: ReadonlySet<string> = new Set(["function", "method", "macro"])
const VALUE: ReadonlySet<string> = new Set(["constant", "variable"])

/** Hashes of the names by which other files may use this one, ascending, each once: u32 little-endian. */
export function definedNames(symbols: readonly CodeSymbol[]): Uint8Array {
  const inOrder = [...symbols].sort(
    (one, other) => one.startLine - other.startLine || other.endLine - one.endLine,
  )
  const hashes = new Set<number>()
  // Inside a function: nothing outside that one can name it.
  let innerUntil = 0
  for (const { name, kind, owner, startLine, endLine } of inOrder) {
    const isLocal = startLine <= innerUntil && endLine <= innerUntil
    if (CALLABLE.has(kind) && endLine > innerUntil) innerUntil = endLine
    if (isLocal || !NAMED.has(kind) || (VALUE.has(kind) && owner !== null)) continue
    if (name.length > 1) hashes.add(useHash(name))
  }
  return new Uint8Array(Uint32Array.from(hashes).sort().buffer)
}
