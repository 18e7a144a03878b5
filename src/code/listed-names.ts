import type { Definition } from "./definitions.ts"
import type { SymbolKind } from "./parsed-file.ts"

/**
 * For some kinds, the maximum number of different names in a file that become symbols. A file with more of them is a
 * table of data.
 */
const MAX_NAMES: ReadonlyMap<SymbolKind | null, number> = new Map<SymbolKind | null, number>([
  ["key", 100],
  ["element", 100],
  ["selector", 1000],
])

/**
 * Limits the definitions of the kinds in MAX_NAMES, of which a file may have thousands. Keeps the first definition of
 * each name. If there are still too many, keeps those of the outermost level; if that level alone has too many, keeps
 * none.
 */
export function listedNames(definitions: readonly Definition[]): readonly Definition[] {
  if (!definitions.some(({ kind }) => MAX_NAMES.has(kind))) return definitions
  const listed = new Set(Array.from(MAX_NAMES, ([kind, max]) => listedOf(kind, max, definitions)).flat())
  return definitions.filter((definition) => !MAX_NAMES.has(definition.kind) || listed.has(definition))
}

function listedOf(kind: SymbolKind | null, max: number, definitions: readonly Definition[]): Definition[] {
  const all = new Map<string, Definition>()
  for (const definition of definitions) {
    if (definition.kind !== kind) continue
    const name = JSON.stringify([definition.owner, definition.name])
    const known = all.get(name)
    if (!known || definition.start < known.start) all.set(name, definition)
  }
  if (all.size <= max) return [...all.values()]
  const outer = [...all.values()].filter(({ owner }) => owner === null)
  return outer.length <= max ? outer : []
}
