import { heirOf } from "../code/use-code.ts"
import { Budget, UNBOUNDED } from "./budget.ts"
import { type Definition, keyOf } from "./definition.ts"
import { isCallable, isType } from "./kinds.ts"
import { inheritorsOf } from "./references.ts"
import type { SymbolGraph } from "./symbol-graph.ts"

export type Implementation = { readonly definition: Definition; readonly confidence: number }

export type Implementations = {
  readonly found: readonly Implementation[]
  /** Files that use the type's name, or that of one below it, and were not looked at, as the budget was spent. */
  readonly unseen: number
}

/** What is directly below each type that was gone through: one question may come by it several times. */
export type Known = Map<string, Implementations>

const MOST_LEVELS = 6
/** Go's interfaces are met by what has their methods; one of a single common method is met by chance. */
const BY_METHODS = 0.8

/** Types that extend or implement a type, theirs too; of a method, the methods of that name in those types. */
export function implementationsOf(
  graph: SymbolGraph,
  target: Definition,
  budget: Budget = new Budget(UNBOUNDED),
  known: Known = new Map(),
): Implementations {
  if (isType(target.symbol)) return typesBelow(graph, target, budget, known)
  const { owner, name } = target.symbol
  if (owner === null || !isCallable(target.symbol)) return NONE
  const owners = graph
    .definitionsOf(owner)
    .filter(({ symbol, file }) => isType(symbol) && file.family === target.file.family)
  const home = owners.find(({ file }) => file.id === target.file.id) ?? owners[0]
  if (!home) return NONE
  const types = typesBelow(graph, home, budget, known)
  const below = new Map(types.found.map((each) => [each.definition.symbol.name, each.confidence]))
  const found = graph.definitionsOf(name).flatMap((definition) => {
    const confidence = below.get(definition.symbol.owner ?? "")
    if (confidence === undefined || definition.file.family !== target.file.family) return []
    return keyOf(definition) === keyOf(target) ? [] : [{ definition, confidence }]
  })
  return { found, unseen: types.unseen }
}

const NONE: Implementations = { found: [], unseen: 0 }

function typesBelow(graph: SymbolGraph, target: Definition, budget: Budget, known: Known): Implementations {
  if (target.file.family === "go") return { found: byMethods(graph, target), unseen: 0 }
  let unseen = 0
  const found = new Map<string, Implementation>()
  let layer: Implementation[] = [{ definition: target, confidence: 1 }]
  for (let level = 0; level < MOST_LEVELS && layer.length > 0; level++) {
    const next: Implementation[] = []
    graph.prepareExtending(layer.map(({ definition }) => definition.symbol.name))
    for (const { definition, confidence } of layer) {
      const directly = known.get(keyOf(definition)) ?? directlyBelow(graph, definition, budget)
      known.set(keyOf(definition), directly)
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

function directlyBelow(graph: SymbolGraph, target: Definition, budget: Budget): Implementations {
  const { edges, unseen } = inheritorsOf(graph, target, budget)
  const places = edges.flatMap((edge) => {
    if (edge.kind !== "inherits") return []
    const types = edge.file
      .inheritingOf(target.symbol.name)
      .flatMap((use) => (use.line === edge.line ? (heirOf(use) ?? []) : []))
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
