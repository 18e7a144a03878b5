import { Budget, UNBOUNDED } from "../budget.ts"
import type { SymbolDefinition } from "../definition.ts"
import type { Edge } from "../edge.ts"
import { type ReferencePage, type References, referencesTo } from "../references/references.ts"
import type { SymbolGraph } from "../symbol-graph.ts"
import { type CallWalk, isCalled, walkCalls } from "./call-walk.ts"

export type Callers = CallWalk & {
  /** Calls that are outside of all functions, such as the top-level lines of a script. */
  readonly topLevel: readonly Edge[]
  readonly unresolved: readonly Edge[]
  /** Number of calls, in the files read so far, of a function with the same name that is another definition. */
  readonly others: number
  /** The calls counted in `others` that may be calls of the requested definition after all. */
  readonly doubtful: readonly Edge[]
}

export type CallersOptions = {
  readonly depth: number
  /** True to count every use of the definition except imports as a call. */
  readonly isAnyUse?: boolean
  readonly budget?: Budget
  /** Which calls to return, and how many; used only for a depth of 1. */
  readonly page?: ReferencePage
  readonly alsoUsedBy?: AlsoUsedBy
}

/** Uses of definitions that their names do not show, such as calls of a route. `uses` are those that the names show. */
export type AlsoUsedBy = (definitions: readonly SymbolDefinition[], uses: readonly Edge[]) => readonly Edge[]

/** Returns the functions that call the definitions, and the callers of those, nearest first. */
export function callersOf(
  graph: SymbolGraph,
  targets: readonly SymbolDefinition[],
  { depth, isAnyUse = false, budget = new Budget(UNBOUNDED), page, alsoUsedBy }: CallersOptions,
): Callers {
  const topLevel: Edge[] = []
  const unresolved: Edge[] = []
  let others = 0
  let doubtful: readonly Edge[] = []
  const isMeant = (edge: Edge, callee: SymbolDefinition) =>
    isAnyUse ? edge.kind !== "import" : isCalled(edge, callee)
  const walk = walkCalls(targets, { depth, budget }, (layer, level) => {
    const isCall = (edge: Edge) => edge.target !== null && isMeant(edge, edge.target)
    const ask = (next?: ReferencePage) =>
      referencesTo(graph, layer, budget, next, isAnyUse ? "uses" : "calls")
    const found = level === 1 && depth === 1 && page ? referencesFor(isCall, ask, { page, budget }) : ask()
    const used = [...found.edges.filter(isCall), ...(alsoUsedBy?.(layer, found.edges) ?? [])]
    if (level === 1) {
      unresolved.push(...found.unresolved.filter((edge) => layer.some((each) => isMeant(edge, each))))
      others = found.others
      doubtful = found.doubtful
    }
    topLevel.push(...used.filter(({ within }) => within === null))
    const steps = used.flatMap((edge) =>
      edge.within === null
        ? []
        : [{ definition: { symbol: edge.within, file: edge.file }, from: edge.target!, edge }],
    )
    return { steps, unseen: found.unseen }
  })
  return { ...walk, topLevel, unresolved, others, doubtful }
}

/**
 * Reads references until a page of calls is found. It reads more references than the page has calls, because some
 * references only look like calls, such as a call of the function that a field contains.
 */
function referencesFor(
  isCall: (edge: Edge) => boolean,
  ask: (page: ReferencePage) => References,
  { page, budget }: { readonly page: ReferencePage; readonly budget: Budget },
): References {
  for (let next = page; ; ) {
    const found = ask(next)
    const calls = found.edges.filter(isCall).length
    const isEnough = calls >= page.enough || (budget.isSpent && calls > page.from)
    if (isEnough || found.unseen === 0 || budget.isLate) return found
    // While no call has been found, a spent budget does not end the search.
    const from = calls > page.from ? page.from : found.edges.length
    next = { from, enough: found.edges.length + page.enough }
  }
}
