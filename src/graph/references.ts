import { Budget, UNBOUNDED } from "./budget.ts"
import { type Definition, keyOf } from "./definition.ts"
import type { Edge } from "./edge.ts"
import { isType } from "./kinds.ts"
import { type Makers, ReferenceWalk, type Wanted } from "./reference-walk.ts"
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

/**
 * Where definitions are used, or only called. What of their names cannot be tied to any definition is told apart, never
 * dropped.
 */
export function referencesTo(
  graph: SymbolGraph,
  targets: Definition | readonly Definition[],
  budget: Budget = new Budget(UNBOUNDED),
  { from, enough }: Page = EVERYTHING,
  wanted: Exclude<Wanted, "bases"> = "uses",
): References {
  const asked = "symbol" in targets ? [targets] : targets
  const walks = walksTo(graph, asked, { wanted, makers: makersAmong(graph, asked) })
  let found = 0
  for (const walk of walks) {
    walk.go(enough - found, budget, from - found)
    found += walk.edges.length
  }
  return {
    edges: walks.flatMap(({ edges }) => edges),
    unresolved: walks.flatMap(({ unresolved }) => unresolved),
    unseen: walks.reduce((sum, { unseen }) => sum + unseen, 0),
  }
}

/** Where a type is extended or implemented; by one of these heirs, where they are told. */
export function inheritorsOf(
  graph: SymbolGraph,
  type: Definition,
  { budget, heirs }: { readonly budget: Budget; readonly heirs: ReadonlySet<string> | null },
): Pick<References, "edges" | "unseen"> {
  const { name } = type.symbol
  const begin = () => new ReferenceWalk(graph, name, [type], { wanted: "bases", makers: NO_MAKERS, heirs })
  const walk = heirs === null ? graph.walk(`: ${name} ${keyOf(type)}`, begin) : begin()
  walk.go(Number.POSITIVE_INFINITY, budget)
  return walk
}

/**
 * One a name: of all definitions of a name together one finds out which is meant. Types come before their constructors,
 * which few call by name.
 */
function walksTo(
  graph: SymbolGraph,
  asked: readonly Definition[],
  { wanted, makers }: { readonly wanted: Wanted; readonly makers: Makers },
): ReferenceWalk[] {
  const byName = Map.groupBy([...makers.keys(), ...asked], ({ symbol }) => symbol.name)
  return Array.from(byName, ([name, same]) =>
    graph.walk(
      `${wanted} ${name} ${same.map((target) => `${keyOf(target)}${madeBy(makers.get(target))}`)}`,
      () => new ReferenceWalk(graph, name, same, { wanted, makers }),
    ),
  )
}

/** Calls of a type are told as calls of the constructor that it is looked for because of. */
function madeBy(maker: Definition | undefined): string {
  return maker === undefined ? "" : `(${keyOf(maker)})`
}

const NO_MAKERS: Makers = new Map()

/** What a constructor is called by its language; Java's and its kin's have the type's own name. */
const CONSTRUCTORS: ReadonlySet<string> = new Set(["constructor", "__init__", "__construct", "initialize"])

/** Types with their constructors, of those among these: who calls the type calls that. */
function makersAmong(graph: SymbolGraph, targets: readonly Definition[]): Makers {
  const makers = new Map<Definition, Definition>()
  const asked = new Set(targets.map(keyOf))
  const constructors = targets.filter(({ symbol }) => symbol.owner !== null && CONSTRUCTORS.has(symbol.name))
  graph.prepareCandidates(constructors.map(({ symbol }) => symbol.owner!))
  for (const target of constructors) {
    for (const type of graph.definitionsOf(target.symbol.owner!))
      if (type.file.id === target.file.id && isType(type.symbol) && !asked.has(keyOf(type)))
        makers.set(type, target)
  }
  return makers
}
