import { definitionKey, qualifiedName, type SymbolDefinition } from "../../symbols/definition.ts"
import type { Edge } from "../../symbols/edge.ts"
import type { ReferenceAnswer } from "./symbol-answer.ts"

type Targets = Pick<ReferenceAnswer, "targets">

/**
 * Returns a function that says which of several definitions uses refer to: by their names, or by their places where two have
 * one name. It says nothing if there is only one definition, or if all may be meant.
 */
export function targetNames(definitions: readonly SymbolDefinition[]): (edges: readonly Edge[]) => Targets {
  if (definitions.length < 2) return () => ({})
  const byName = Map.groupBy(definitions, qualifiedName)
  const names = new Map(
    definitions.map((each) => {
      const name = qualifiedName(each)
      const isOnly = byName.get(name)!.length === 1
      return [definitionKey(each), isOnly ? name : `${each.file.path}:${each.symbol.startLine}`]
    }),
  )
  return (edges) => {
    const found = new Set(edges.flatMap(({ target }) => (target && names.get(definitionKey(target))) ?? []))
    return found.size === 0 || found.size === definitions.length ? {} : { targets: [...found] }
  }
}
