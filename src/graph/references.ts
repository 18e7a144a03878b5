import { Budget, UNBOUNDED } from "./budget.ts"
import { type Definition, keyOf } from "./definition.ts"
import type { Edge } from "./edge.ts"
import { ReferenceWalk } from "./reference-walk.ts"
import type { SymbolGraph } from "./symbol-graph.ts"

export type References = {
  /** By path and line; what very many files use, nearest first. */
  readonly edges: readonly Edge[]
  /** Uses of the name that nothing ties to any definition: they may or may not be meant. */
  readonly unresolved: readonly Edge[]
  /** Files that use the name and were not looked at, as enough was found or the budget was spent. */
  readonly unseen: number
}

/** How many edges are enough, and how many were seen before. */
export type Page = { readonly from: number; readonly enough: number }

const EVERYTHING: Page = { from: -1, enough: Number.POSITIVE_INFINITY }

/** Where definitions are used. What of their names cannot be tied to any definition is told apart, never dropped. */
export function referencesTo(
  graph: SymbolGraph,
  targets: Definition | readonly Definition[],
  budget: Budget = new Budget(UNBOUNDED),
  { from, enough }: Page = EVERYTHING,
): References {
  const walks = walksTo(graph, "symbol" in targets ? [targets] : targets)
  for (const walk of walks) walk.go(enough, budget, from)
  return {
    edges: walks.flatMap(({ edges }) => edges),
    unresolved: walks.flatMap(({ unresolved }) => unresolved),
    unseen: walks.reduce((sum, { unseen }) => sum + unseen, 0),
  }
}

/** One a name: of all definitions of a name together one finds out which is meant. */
function walksTo(graph: SymbolGraph, targets: readonly Definition[]): ReferenceWalk[] {
  const byName = Map.groupBy(targets, ({ symbol }) => symbol.name)
  return Array.from(byName, ([name, same]) =>
    graph.walk(`${name} ${same.map(keyOf)}`, () => new ReferenceWalk(graph, name, same)),
  )
}
