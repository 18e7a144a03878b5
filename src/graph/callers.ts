import { Budget, UNBOUNDED } from "./budget.ts"
import { type CallWalk, walkCalls } from "./call-walk.ts"
import type { Definition } from "./definition.ts"
import type { Edge } from "./edge.ts"
import { isCalled } from "./is-called.ts"
import { type Page, referencesTo } from "./references.ts"
import type { SymbolGraph } from "./symbol-graph.ts"

export type Callers = CallWalk & {
  /** Calls from outside any function, such as a script's own lines. */
  readonly topLevel: readonly Edge[]
  readonly unresolved: readonly Edge[]
}

export type CallersOptions = {
  readonly depth: number
  /** A mention counts as a call does. */
  readonly isAnyUse?: boolean
  readonly budget?: Budget
  /** Of one step: how many are wanted. */
  readonly page?: Page
}

/** What calls definitions, and what calls that, nearest first. */
export function callersOf(
  graph: SymbolGraph,
  targets: readonly Definition[],
  { depth, isAnyUse = false, budget = new Budget(UNBOUNDED), page }: CallersOptions,
): Callers {
  const topLevel: Edge[] = []
  const unresolved: Edge[] = []
  const isMeant = (edge: Edge, callee: Definition) =>
    isAnyUse ? edge.kind !== "import" : isCalled(edge, callee)
  const walk = walkCalls(targets, { depth, budget }, (layer, level) => {
    const found = referencesTo(graph, layer, budget, level === 1 && depth === 1 ? page : undefined)
    const used = found.edges.filter((edge) => edge.target !== null && isMeant(edge, edge.target))
    if (level === 1)
      unresolved.push(...found.unresolved.filter((edge) => layer.some((each) => isMeant(edge, each))))
    topLevel.push(...used.filter(({ within }) => within === null))
    const steps = used.flatMap((edge) =>
      edge.within === null
        ? []
        : [{ definition: { symbol: edge.within, file: edge.file }, from: edge.target!, edge }],
    )
    return { steps, unseen: found.unseen }
  })
  return { ...walk, topLevel, unresolved }
}
