import type { Budget } from "./budget.ts"
import { type Definition, keyOf } from "./definition.ts"
import type { Edge } from "./edge.ts"

/** One step of a call graph. */
export type Call = {
  readonly definition: Definition
  /** Where it calls, or is called. */
  readonly edges: readonly Edge[]
  /** 1 for what is next to the definitions asked for. */
  readonly depth: number
  /** That of the weakest step on the way. */
  readonly confidence: number
}

export type CallWalk = {
  readonly calls: readonly Call[]
  /** Up to this depth all is there; what is deeper may lack some. */
  readonly wholeDepth: number
  /** Files that were not looked at, as the budget was spent. */
  readonly unseen: number
  /** There are more than were followed. */
  readonly isCut: boolean
}

/** From one of a layer to what is next to it. */
export type Step = { readonly definition: Definition; readonly from: Definition; readonly edge: Edge }

export type Steps = { readonly steps: readonly Step[]; readonly unseen: number }

export const MOST_DEPTH = 5
const MOST_CALLS = 500

/** Layer by layer; each definition once, at its nearest. Ends early where the budget is spent or too much is found. */
export function walkCalls(
  targets: readonly Definition[],
  { depth, budget }: { readonly depth: number; readonly budget: Budget },
  next: (layer: readonly Definition[], level: number) => Steps,
): CallWalk {
  const sure = new Map(targets.map((target) => [keyOf(target), 1]))
  const calls: Call[] = []
  let layer = targets
  let unseen = 0
  let wholeDepth = 0
  for (let level = 1; level <= Math.min(depth, MOST_DEPTH) && layer.length > 0; level++) {
    if (level > 1 && (budget.isSpent || calls.length >= MOST_CALLS)) break
    const found = next(layer, level)
    const reached = together(found.steps, sure, level)
    for (const { definition, confidence } of reached) sure.set(keyOf(definition), confidence)
    calls.push(...reached)
    unseen += found.unseen
    if (unseen === 0) wholeDepth = level
    layer = reached.map(({ definition }) => definition)
    if (layer.length === 0 && unseen === 0) wholeDepth = depth
  }
  return { calls, wholeDepth, unseen, isCut: wholeDepth < depth && (layer.length > 0 || unseen > 0) }
}

/** What is new among them, each with all the ways to it. */
function together(steps: readonly Step[], sure: ReadonlyMap<string, number>, depth: number): Call[] {
  const reached = new Map<string, { definition: Definition; edges: Edge[]; confidence: number }>()
  for (const { definition, from, edge } of steps) {
    const key = keyOf(definition)
    if (sure.has(key)) continue
    const confidence = Math.min(sure.get(keyOf(from)) ?? 1, edge.confidence)
    const known = reached.get(key)
    if (known) {
      known.edges.push(edge)
      known.confidence = Math.max(known.confidence, confidence)
    } else reached.set(key, { definition, edges: [edge], confidence })
  }
  return Array.from(reached.values(), (call) => ({ ...call, depth }))
}
