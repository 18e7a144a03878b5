import type { Use } from "../../code/references/use-code.ts"
import { Budget, UNBOUNDED } from "../budget.ts"
import { definitionKey, type SymbolDefinition } from "../definition.ts"
import { type Edge, edgeOf } from "../edge.ts"
import type { FileView } from "../file-view.ts"
import { FileMeanings } from "../resolve/file-meanings.ts"
import { MIN_CONFIDENCE } from "../resolve/resolve.ts"
import type { SymbolGraph } from "../symbol-graph.ts"
import { type CallStep, type CallWalk, isCalled, mayCall, walkCalls } from "./call-walk.ts"

export type Callees = CallWalk & { readonly unresolved: readonly Edge[] }

export type CalleesOptions = {
  readonly budget?: Budget
  /** The search stops when this many different callees are found; applies only to a depth of 1. */
  readonly enough?: number
}

/** Returns the functions that the definitions call, and those that they call in turn, nearest first. */
export function calleesOf(
  graph: SymbolGraph,
  targets: SymbolDefinition | readonly SymbolDefinition[],
  depth: number,
  { budget = new Budget(UNBOUNDED), enough = Number.POSITIVE_INFINITY }: CalleesOptions = {},
): Callees {
  const unresolved: Edge[] = []
  const asked = "symbol" in targets ? [targets] : targets
  const own = new Set(asked.map(definitionKey))
  const walk = walkCalls(asked, { depth, budget }, (layer, level) => {
    const steps: CallStep[] = []
    const found = new Set<string>()
    const isFull = () => depth === 1 && found.size >= enough
    let seen = 0
    while (seen < layer.length && !isFull() && (steps.length === 0 || !budget.isSpent)) {
      budget.spend()
      const called = calledIn(graph, layer[seen++]!)
      steps.push(...called.steps)
      for (const { definition } of called.steps) found.add(definitionKey(definition))
      for (const key of own) found.delete(key)
      if (level === 1) unresolved.push(...called.unresolved)
    }
    return { steps, unseen: layer.length - seen }
  })
  return { ...walk, unresolved }
}

function calledIn(graph: SymbolGraph, caller: SymbolDefinition): { steps: CallStep[]; unresolved: Edge[] } {
  const { symbol, file } = caller
  const steps: CallStep[] = []
  const unresolved: Edge[] = []
  const isWanted = (flags: number) => mayCall(flags, file.family)
  const uses = file.usesWithin(symbol.startLine, symbol.endLine, isWanted)
  const byName = Map.groupBy(uses, ({ name }) => name)
  graph.prepareCandidates(byName.keys())
  for (const same of byName.values()) {
    for (const edge of edgesOf(same, graph, file)) {
      if (edge.target === null) unresolved.push(edge)
      else steps.push({ definition: edge.target, from: caller, edge })
    }
  }
  return { steps, unresolved }
}

/** The uses of one name that are calls. The target of an edge is null when the call cannot be resolved. */
function edgesOf(uses: readonly Use[], graph: SymbolGraph, file: FileView): Edge[] {
  const meanings = new FileMeanings(file, graph.candidatesOf(uses[0]!.name), graph.types)
  return uses.flatMap((use) => {
    const [best] = meanings.of(use)
    if (!best || best.confidence < MIN_CONFIDENCE) {
      const edge = edgeOf(use, file, { confidence: best?.confidence ?? 0, target: null, name: use.name })
      return edge.kind === "call" ? [edge] : []
    }
    const edge = edgeOf(use, file, { confidence: best.confidence, target: best.definition })
    return isCalled(edge, best.definition) ? [edge] : []
  })
}
