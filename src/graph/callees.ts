import type { Use } from "../code/use-code.ts"
import { Budget, UNBOUNDED } from "./budget.ts"
import { type CallWalk, type Step, walkCalls } from "./call-walk.ts"
import type { Definition } from "./definition.ts"
import { type Edge, edgeOf } from "./edge.ts"
import { FileMeanings } from "./file-meanings.ts"
import type { FileView } from "./file-view.ts"
import { isCalled } from "./is-called.ts"
import { DOUBTFUL } from "./resolve.ts"
import type { SymbolGraph } from "./symbol-graph.ts"

export type Callees = CallWalk & { readonly unresolved: readonly Edge[] }

/** What definitions call, and what that calls. */
export function calleesOf(
  graph: SymbolGraph,
  targets: Definition | readonly Definition[],
  depth: number,
  budget: Budget = new Budget(UNBOUNDED),
): Callees {
  const unresolved: Edge[] = []
  const asked = "symbol" in targets ? [targets] : targets
  const walk = walkCalls(asked, { depth, budget }, (layer, level) => {
    const steps: Step[] = []
    let unseen = 0
    for (const caller of layer) {
      if (budget.isSpent && steps.length > 0) {
        unseen++
        continue
      }
      budget.spend()
      const found = calledIn(graph, caller)
      steps.push(...found.steps)
      if (level === 1) unresolved.push(...found.unresolved)
    }
    return { steps, unseen }
  })
  return { ...walk, unresolved }
}

function calledIn(graph: SymbolGraph, caller: Definition): { steps: Step[]; unresolved: Edge[] } {
  const { symbol, file } = caller
  const steps: Step[] = []
  const unresolved: Edge[] = []
  for (const uses of file.allUses()) {
    const within = uses.filter(({ line }) => line >= symbol.startLine && line <= symbol.endLine)
    for (const edge of edgesOf(within, graph, file)) {
      if (edge.target === null) unresolved.push(edge)
      else steps.push({ definition: edge.target, from: caller, edge })
    }
  }
  return { steps, unresolved }
}

/** What uses of one name call; without a target where that cannot be told. */
function edgesOf(uses: readonly Use[], graph: SymbolGraph, file: FileView): Edge[] {
  if (uses.length === 0) return []
  const meanings = new FileMeanings(file, graph.candidatesOf(uses[0]!.name), graph.types)
  return uses.flatMap((use) => {
    const [best] = meanings.of(use)
    if (!best || best.confidence < DOUBTFUL) {
      const edge = edgeOf(use, file, best?.confidence ?? 0, null)
      return edge.kind === "call" ? [{ ...edge, name: use.name }] : []
    }
    const edge = edgeOf(use, file, best.confidence, best.definition)
    return isCalled(edge, best.definition) ? [edge] : []
  })
}
