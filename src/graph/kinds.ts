import { CALLABLES, TYPES } from "../code/kind-groups.ts"
import type { SymbolRow } from "../store/symbols.ts"

export function isCallable({ kind }: Pick<SymbolRow, "kind">): boolean {
  return CALLABLES.has(kind)
}

export function isType({ kind }: Pick<SymbolRow, "kind">): boolean {
  return TYPES.has(kind)
}

/** One that has its type's name, as in Java and its kin. */
export function isConstructor({ name, owner }: Pick<SymbolRow, "name" | "owner">): boolean {
  return name === owner
}

/** What no code names. */
export const NAMELESS: ReadonlySet<string> = new Set(["section", "key", "selector", "element", "route"])
