import { Budget, UNBOUNDED } from "./budget.ts"
import { type Definition, keyOf } from "./definition.ts"
import { Heirs, type Implementation, type Implementations, waysDown } from "./heirs.ts"
import { isCallable, isType } from "./kinds.ts"
import type { SymbolGraph } from "./symbol-graph.ts"

/** Go's interfaces are met by what has their methods; one of a single common method is met by chance. */
const BY_METHODS = 0.8

/** Types that extend or implement types, theirs too; of methods, the methods of their names in those types. */
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
    const heirs = methods.get(key) ?? new Heirs(graph, budget, waysToMethods(graph, asked, key))
    methods.set(key, heirs)
    return methodsBelow(graph, target, heirs)
  })
  return {
    found: all.flatMap(({ found }) => found),
    unseen: all.reduce((sum, { unseen }) => sum + unseen, 0),
  }
}

/** Types on the ways from those that such methods asked for belong to down to all that have one of that name. */
function waysToMethods(graph: SymbolGraph, asked: readonly Definition[], key: string): ReadonlySet<string> {
  const same = asked.filter((target) => kinOf(target) === key)
  const owners = (definitions: readonly Definition[]) =>
    definitions.flatMap(({ symbol }) => symbol.owner ?? [])
  const namesakes = graph.definitionsOf(same[0]!.symbol.name).filter((other) => kinOf(other) === key)
  graph.prepareCandidates(owners(same))
  return waysDown(graph, owners(same), new Set(owners(namesakes)))
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
