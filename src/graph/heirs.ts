import { heirOf } from "../code/use-code.ts"
import type { Budget } from "./budget.ts"
import { type Definition, keyOf } from "./definition.ts"
import { isType } from "./kinds.ts"
import { inheritorsOf } from "./references.ts"
import type { SymbolGraph } from "./symbol-graph.ts"

export type Implementation = { readonly definition: Definition; readonly confidence: number }

export type Implementations = {
  readonly found: readonly Implementation[]
  /** Files that use the type's name, or that of one below it, and were not looked at, as the budget was spent. */
  readonly unseen: number
}

const MOST_LEVELS = 6

/**
 * Names of types on the ways from some down to others, by what any file says. All else below the first is left out:
 * no way goes by it.
 */
export function waysDown(
  graph: SymbolGraph,
  from: readonly string[],
  to: ReadonlySet<string>,
): ReadonlySet<string> {
  const above = new Map<string, string[]>(from.map((name) => [name, []]))
  for (let layer = [...above.keys()], level = 0; level < MOST_LEVELS && layer.length > 0; level++) {
    const next: string[] = []
    graph.prepareExtending(layer)
    for (const base of layer) {
      for (const heir of graph.heirsOf(base)) {
        const known = above.get(heir)
        if (known) known.push(base)
        else {
          above.set(heir, [base])
          next.push(heir)
        }
      }
    }
    layer = next
  }
  const ways = new Set<string>()
  for (let reached = [...above.keys()].filter((name) => to.has(name)); reached.length > 0; ) {
    for (const name of reached) ways.add(name)
    // Where every type extends all of the layer above, each of them would come once for every way.
    reached = [...new Set(reached.flatMap((name) => above.get(name)!))].filter((name) => !ways.has(name))
  }
  return ways
}

/** The types below types, for one question: what several of them come by is worked out once. */
export class Heirs {
  readonly #graph: SymbolGraph
  readonly #budget: Budget
  readonly #among: ReadonlySet<string> | null
  readonly #known = new Map<string, Implementations>()

  /** `among`: all that a way to what is looked for goes by; null where every type is. */
  constructor(graph: SymbolGraph, budget: Budget, among: ReadonlySet<string> | null) {
    this.#graph = graph
    this.#budget = budget
    this.#among = among
  }

  /** Types that extend or implement a type, theirs too. */
  below(target: Definition): Implementations {
    let unseen = 0
    const found = new Map<string, Implementation>()
    let layer: Implementation[] = [{ definition: target, confidence: 1 }]
    for (let level = 0; level < MOST_LEVELS && layer.length > 0; level++) {
      const next: Implementation[] = []
      this.#graph.prepareExtending(layer.map(({ definition }) => definition.symbol.name))
      for (const { definition, confidence } of layer) {
        const directly = this.#known.get(keyOf(definition)) ?? this.#directlyBelow(definition)
        this.#known.set(keyOf(definition), directly)
        unseen += directly.unseen
        for (const below of directly.found) {
          const key = keyOf(below.definition)
          if (found.has(key) || key === keyOf(target)) continue
          const implementation = { ...below, confidence: Math.min(confidence, below.confidence) }
          found.set(key, implementation)
          next.push(implementation)
        }
      }
      layer = next
    }
    return { found: [...found.values()], unseen }
  }

  #directlyBelow(target: Definition): Implementations {
    const graph = this.#graph
    const { edges, unseen } = inheritorsOf(graph, target, { budget: this.#budget, heirs: this.#among })
    const places = edges.flatMap((edge) => {
      if (edge.kind !== "inherits") return []
      const types = edge.file
        .inheritingOf(target.symbol.name)
        .flatMap((use) => (use.line === edge.line ? (heirOf(use) ?? []) : []))
        .filter((type) => this.#among?.has(type) !== false)
      return Array.from(new Set(types), (type) => ({ type, edge }))
    })
    graph.prepareCandidates(new Set(places.map(({ type }) => type)))
    const found = places.flatMap(({ type, edge }) => {
      const definitions = graph.definitionsOf(type).filter(({ symbol }) => isType(symbol))
      const definition = definitions.find(({ file }) => file.id === edge.file.id) ?? definitions[0]
      return definition ? [{ definition, confidence: edge.confidence }] : []
    })
    return { found, unseen }
  }
}
