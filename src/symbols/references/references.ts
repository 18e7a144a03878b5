import { asMember } from "../../code/references/use-code.ts"
import { Budget, UNBOUNDED } from "../budget.ts"
import { definitionKey, isType, type SymbolDefinition } from "../definition.ts"
import { type Edge, edgeOf } from "../edge.ts"
import { Candidates } from "../resolve/candidate-definitions.ts"
import { FileMeanings } from "../resolve/file-meanings.ts"
import { MIN_CONFIDENCE } from "../resolve/resolve.ts"
import type { SymbolGraph } from "../symbol-graph.ts"
import { type Makers, type ReferenceKind, ReferenceWalk } from "./reference-walk.ts"
import { namesOtherModule, storedName } from "./stored-name.ts"

export type References = {
  /** By path and line, for each name searched; if very many files use a name, nearest files first instead. */
  readonly edges: readonly Edge[]
  /** Uses of the name that cannot be resolved to any definition: they may or may not refer to the targets. */
  readonly unresolved: readonly Edge[]
  /** Number of uses of the name, in the files read so far, that refer to something else than the targets. */
  readonly others: number
  /** The uses counted in `others` that may refer to a target after all. */
  readonly doubtful: readonly Edge[]
  /** Number of files that use the name but were not read, because enough edges were found or the budget was spent. */
  readonly unseen: number
}

/**
 * Which edges the caller needs. `enough`: number of edges to find. `from`: number of edges on earlier pages; until more
 * than this many are found, a spent budget of files or work does not end the search.
 */
export type ReferencePage = { readonly from: number; readonly enough: number }

const EVERYTHING: ReferencePage = { from: -1, enough: Number.POSITIVE_INFINITY }

/**
 * Returns the uses of definitions, or only their calls. Uses of their names that cannot be resolved to any
 * definition are reported separately, never dropped.
 */
export function referencesTo(
  graph: SymbolGraph,
  targets: SymbolDefinition | readonly SymbolDefinition[],
  budget: Budget = new Budget(UNBOUNDED),
  { from, enough }: ReferencePage = EVERYTHING,
  wanted: Exclude<ReferenceKind, "bases"> = "uses",
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
    others: walks.reduce((sum, { others }) => sum + others, 0),
    doubtful: walks.flatMap(({ doubtful }) => doubtful),
    unseen: walks.reduce((sum, { unseen }) => sum + unseen, 0),
  }
}

/**
 * Returns the places where a type is extended or implemented; with `heirs`, only by types with these names.
 */
export function inheritorsOf(
  graph: SymbolGraph,
  type: SymbolDefinition,
  { budget, heirs }: { readonly budget: Budget; readonly heirs: ReadonlySet<string> | null },
): Pick<References, "edges" | "unseen"> {
  const { name } = type.symbol
  const begin = () => new ReferenceWalk(graph, name, [type], { wanted: "bases", makers: NO_MAKERS, heirs })
  const walk = heirs === null ? graph.walk(`: ${name} ${definitionKey(type)}`, begin) : begin()
  walk.go(Number.POSITIVE_INFINITY, budget)
  return walk
}

/**
 * Returns one walk per name, because a use is resolved against all definitions of its name. Types come before their
 * constructors, which are seldom called by name.
 */
function walksTo(
  graph: SymbolGraph,
  asked: readonly SymbolDefinition[],
  { wanted, makers }: { readonly wanted: ReferenceKind; readonly makers: Makers },
): ReferenceWalk[] {
  const byName = Map.groupBy([...makers.keys(), ...asked], ({ symbol }) => symbol.name)
  return Array.from(byName, ([name, same]) =>
    graph.walk(
      `${wanted} ${name} ${same.map((target) => `${definitionKey(target)}${madeBy(makers.get(target))}`)}`,
      () => new ReferenceWalk(graph, name, same, { wanted, makers }),
    ),
  )
}

/** The part of a walk's cache key that names the constructor to which calls of a type are attributed. */
function madeBy(maker: SymbolDefinition | undefined): string {
  return maker === undefined ? "" : `(${definitionKey(maker)})`
}

const NO_MAKERS: Makers = new Map()

/** The names of constructors. In Java and similar languages a constructor has the name of its type. */
const CONSTRUCTORS: ReadonlySet<string> = new Set(["constructor", "__init__", "__construct", "initialize"])

/**
 * Maps the type of each constructor among the targets to the constructor, because a call of the type is a call of its
 * constructor.
 */
function makersAmong(graph: SymbolGraph, targets: readonly SymbolDefinition[]): Makers {
  const makers = new Map<SymbolDefinition, SymbolDefinition>()
  const asked = new Set(targets.map(definitionKey))
  const constructors = targets.filter(({ symbol }) => symbol.owner !== null && CONSTRUCTORS.has(symbol.name))
  graph.prepareCandidates(constructors.map(({ symbol }) => symbol.owner!))
  for (const target of constructors) {
    for (const type of graph.definitionsOf(target.symbol.owner!))
      if (type.file.id === target.file.id && isType(type.symbol) && !asked.has(definitionKey(type)))
        makers.set(type, target)
  }
  return makers
}

/**
 * Uses that would refer to the deleted definition `gone` if it still existed, rather than to another definition of its
 * name. The deletion breaks these uses.
 */
export function usesOfDeleted(graph: SymbolGraph, gone: SymbolDefinition, budget: Budget): Edge[] {
  const { name } = gone.symbol
  const candidates = new Candidates([...graph.definitionsOf(name), gone])
  const edges: Edge[] = []
  for (const file of graph.filesUsing(storedName(name))) {
    if (budget.isSpent) break
    if (file.family !== gone.file.family) continue
    budget.spend()
    const meanings = new FileMeanings(file, candidates, graph.types)
    for (const use of file.usesOf(storedName(name))) {
      if (namesOtherModule(name, use)) continue
      const mine = meanings.of(asMember(use)).find(({ definition }) => definition === gone)
      if (mine && mine.confidence >= MIN_CONFIDENCE)
        edges.push(edgeOf(use, file, { confidence: mine.confidence, target: gone }))
    }
  }
  return edges
}
