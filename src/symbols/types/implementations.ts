import { subtypeOf } from "../../code/references/use-code.ts"
import { Budget, UNBOUNDED } from "../budget.ts"
import { type Definition, isCallable, isType, keyOf } from "../definition.ts"
import { inheritorsOf } from "../references/references.ts"
import type { SymbolGraph } from "../symbol-graph.ts"

/**
 * Confidence in Go, where a type implements an interface by having its methods: 0.1 more for several methods,
 * half of it for a single one, which many types have by chance.
 */
const BY_METHODS = 0.8

/**
 * Types that extend or implement the target types, directly or through others. For target methods, the
 * methods of the same name in types below their owners.
 */
export function implementationsOf(
  graph: SymbolGraph,
  targets: Definition | readonly Definition[],
  budget: Budget = new Budget(UNBOUNDED),
): Implementations {
  const asked = "symbol" in targets ? [targets] : targets
  const types = new Heirs(graph, budget, null)
  const methods = new Map<string, Heirs>()
  const all = asked.map((target) => {
    if (isType(target.symbol)) return typesBelow(graph, target, types)
    const key = kinOf(target)
    const heirs = methods.get(key) ?? new Heirs(graph, budget, pathsToMethods(graph, asked, key))
    methods.set(key, heirs)
    return methodsBelow(graph, target, heirs)
  })
  return {
    found: all.flatMap(({ found }) => found),
    unseen: all.reduce((sum, { unseen }) => sum + unseen, 0),
  }
}

/**
 * Names of the types on the paths from the owners of the requested methods down to all owners of a method of
 * that name.
 */
function pathsToMethods(graph: SymbolGraph, asked: readonly Definition[], key: string): ReadonlySet<string> {
  const same = asked.filter((target) => kinOf(target) === key)
  const owners = (definitions: readonly Definition[]) =>
    definitions.flatMap(({ symbol }) => symbol.owner ?? [])
  const namesakes = graph.definitionsOf(same[0]!.symbol.name).filter((other) => kinOf(other) === key)
  graph.prepareCandidates(owners(same))
  return pathsDown(graph, owners(same), new Set(owners(namesakes)))
}

function kinOf({ symbol, file }: Definition): string {
  return `${file.family} ${symbol.name}`
}

function methodsBelow(graph: SymbolGraph, target: Definition, heirs: Heirs): Implementations {
  const { owner, name } = target.symbol
  if (owner === null || !isCallable(target.symbol)) return NONE
  const owners = graph
    .definitionsOf(owner)
    .filter(({ symbol, file }) => isType(symbol) && file.family === target.file.family)
  const home = owners.find(({ file }) => file.id === target.file.id) ?? owners[0]
  if (!home) return NONE
  const types = typesBelow(graph, home, heirs)
  if (types.found.length === 0) return { found: [], unseen: types.unseen }
  const below = new Map(types.found.map((each) => [each.definition.symbol.name, each.confidence]))
  const found = graph.definitionsOf(name).flatMap((definition) => {
    const confidence = below.get(definition.symbol.owner ?? "")
    if (confidence === undefined || definition.file.family !== target.file.family) return []
    return keyOf(definition) === keyOf(target) ? [] : [{ definition, confidence }]
  })
  return { found, unseen: types.unseen }
}

const NONE: Implementations = { found: [], unseen: 0 }

function typesBelow(graph: SymbolGraph, target: Definition, heirs: Heirs): Implementations {
  return target.file.family === "go" ? { found: byMethods(graph, target), unseen: 0 } : heirs.below(target)
}

function byMethods(graph: SymbolGraph, target: Definition): Implementation[] {
  const { symbol, file } = target
  if (symbol.kind !== "interface") return []
  const methods = file.symbols
    .filter((other) => other.owner === symbol.name && other.kind === "method")
    .map(({ name }) => name)
  const owners = methods.map(
    (name) =>
      new Map(
        graph
          .definitionsOf(name)
          .filter((other) => other.file.family === "go" && other.symbol.owner !== null)
          .map((other) => [`${folderOf(other.file.path)}:${other.symbol.owner}`, other]),
      ),
  )
  const [first, ...rest] = owners
  if (!first) return []
  return [...first].flatMap(([key, { symbol: method }]) => {
    if (!rest.every((other) => other.has(key))) return []
    const folder = key.slice(0, key.lastIndexOf(":"))
    const definition = graph
      .definitionsOf(method.owner!)
      .find(
        (other) =>
          other.symbol.kind !== "interface" && folderOf(other.file.path) === folder && isType(other.symbol),
      )
    return definition
      ? [{ definition, confidence: methods.length > 1 ? BY_METHODS + 0.1 : BY_METHODS / 2 }]
      : []
  })
}

function folderOf(path: string): string {
  return path.slice(0, Math.max(0, path.lastIndexOf("/")))
}

type Implementation = { readonly definition: Definition; readonly confidence: number }

type Implementations = {
  readonly found: readonly Implementation[]
  /**
   * Files that use the name of the type, or of a type below it, and were not read because the budget was
   * spent.
   */
  readonly unseen: number
}

const MAX_LEVELS = 6

/**
 * Names of the types on the paths from some types down to others, by the inheritance that any file declares.
 * Types on no such path are left out.
 */
function pathsDown(
  graph: SymbolGraph,
  from: readonly string[],
  to: ReadonlySet<string>,
): ReadonlySet<string> {
  const above = new Map<string, string[]>(from.map((name) => [name, []]))
  for (let layer = [...above.keys()], level = 0; level < MAX_LEVELS && layer.length > 0; level++) {
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
  const onPath = new Set<string>()
  for (let reached = [...above.keys()].filter((name) => to.has(name)); reached.length > 0; ) {
    for (const name of reached) onPath.add(name)
    // Without duplicates: otherwise a type appears once for every path that leads to it.
    reached = [...new Set(reached.flatMap((name) => above.get(name)!))].filter((name) => !onPath.has(name))
  }
  return onPath
}

/**
 * The types below types, for one question. Each result is computed once, because several types may lead to
 * it.
 */
class Heirs {
  readonly #graph: SymbolGraph
  readonly #budget: Budget
  readonly #among: ReadonlySet<string> | null
  readonly #known = new Map<string, Implementations>()

  /** `among`: names of the only types to follow; null for all. */
  constructor(graph: SymbolGraph, budget: Budget, among: ReadonlySet<string> | null) {
    this.#graph = graph
    this.#budget = budget
    this.#among = among
  }

  /** Types that extend or implement a type, directly or through others. */
  below(target: Definition): Implementations {
    let unseen = 0
    const found = new Map<string, Implementation>()
    let layer: Implementation[] = [{ definition: target, confidence: 1 }]
    for (let level = 0; level < MAX_LEVELS && layer.length > 0; level++) {
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
        .flatMap((use) => (use.line === edge.line ? (subtypeOf(use) ?? []) : []))
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
