import { Budget, UNBOUNDED } from "./budget.ts"
import { type CallWalk, type Step, walkCalls } from "./call-walk.ts"
import type { Definition } from "./definition.ts"
import { type Edge, edgeOf } from "./edge.ts"
import { isCalled } from "./is-called.ts"
import { DOUBTFUL, likeliest, meaningsOf } from "./resolve.ts"
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
  for (const use of file.allUses()) {
    if (use.line < symbol.startLine || use.line > symbol.endLine) continue
    const best = likeliest(meaningsOf(use, file, graph.candidatesOf(use.name), graph.types))[0]
    const edge = edgeOf(use, file, best?.confidence ?? 0, best?.definition ?? null)
    if (!best || best.confidence < DOUBTFUL) {
      if (edge.kind === "call") unresolved.push({ ...edge, name: use.name })
    } else if (isCalled(edge, best.definition))
      steps.push({ definition: best.definition, from: caller, edge })
  }
  return { steps, unresolved }
}
