import { Budget, UNBOUNDED } from "./budget.ts"
import { type Definition, keyOf } from "./definition.ts"
import type { Edge } from "./edge.ts"
import { isType } from "./file-view.ts"
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
  const asked = "symbol" in targets ? [targets] : targets
  const makers = makersAmong(graph, asked)
  const walks = walksTo(graph, [...asked, ...makers.keys()])
  for (const walk of walks) walk.go(enough, budget, from)
  return {
    edges: walks.flatMap(({ edges }) => (makers.size === 0 ? edges : withMakers(edges, makers))),
    unresolved: walks.flatMap(({ unresolved }) => unresolved),
    unseen: walks.reduce((sum, { unseen }) => sum + unseen, 0),
  }
}

/** Where a type is extended or implemented. */
export function inheritorsOf(
  graph: SymbolGraph,
  type: Definition,
  budget: Budget,
): Pick<References, "edges" | "unseen"> {
  const { name } = type.symbol
  const begin = () => new ReferenceWalk(graph, name, [type], { onlyBases: true })
  const walk = graph.walk(`: ${name} ${keyOf(type)}`, begin)
  walk.go(Number.POSITIVE_INFINITY, budget)
  return walk
}

/** One a name: of all definitions of a name together one finds out which is meant. */
function walksTo(graph: SymbolGraph, targets: readonly Definition[]): ReferenceWalk[] {
  const byName = Map.groupBy(targets, ({ symbol }) => symbol.name)
  return Array.from(byName, ([name, same]) =>
    graph.walk(
      `${name} ${same.map(keyOf)}`,
      () => new ReferenceWalk(graph, name, same, { onlyBases: false }),
    ),
  )
}

/** What a constructor is called by its language; Java's and its kin's have the type's own name. */
const CONSTRUCTORS: ReadonlySet<string> = new Set(["constructor", "__init__", "__construct", "initialize"])

/** Types with their constructors, of those among these: who calls the type calls that. */
function makersAmong(graph: SymbolGraph, targets: readonly Definition[]): Map<Definition, Definition> {
  const makers = new Map<Definition, Definition>()
  for (const target of targets) {
    const { name, owner } = target.symbol
    if (owner === null || !CONSTRUCTORS.has(name)) continue
    for (const type of graph.definitionsOf(owner))
      if (type.file.id === target.file.id && isType(type.symbol)) makers.set(type, target)
  }
  return makers
}

function withMakers(edges: readonly Edge[], makers: ReadonlyMap<Definition, Definition>): Edge[] {
  return edges.flatMap((edge) => {
    const maker = edge.target === null ? undefined : makers.get(edge.target)
    if (!maker) return [edge]
    return edge.kind === "call" ? [aimedAt(edge, maker)] : []
  })
}

function aimedAt(edge: Edge, target: Definition): Edge {
  const { file, line, kind, confidence } = edge
  return {
    ...{ file, line, kind, confidence, target },
    get within() {
      return edge.within
    },
  }
}
