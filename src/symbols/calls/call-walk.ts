import type { Budget } from "../budget.ts"
import { type Definition, isCallable, isType, keyOf } from "../definition.ts"
import { type Edge, kindOf } from "../edge.ts"

/** A definition reached in a call graph. */
export type Call = {
  readonly definition: Definition
  /** The uses through which the walk reached the definition: a caller's calls, or the calls of a callee. */
  readonly edges: readonly Edge[]
  /** 1 for direct neighbours of the definitions asked for. */
  readonly depth: number
  /** Confidence of the weakest step on the path to it; if there are several paths, that of the best one. */
  readonly confidence: number
}

export type CallWalk = {
  readonly calls: readonly Call[]
  /** Every step that was followed, also those to definitions that were known already. */
  readonly steps: readonly Step[]
  /** Results are complete up to this depth. */
  readonly wholeDepth: number
  /** Files (for callees: definitions) that were not read because the budget was spent. */
  readonly unseen: number
  /** True when the search stopped before it had followed all calls. */
  readonly isCut: boolean
}

/** A step from a definition in the current layer to a neighbour. */
export type Step = { readonly definition: Definition; readonly from: Definition; readonly edge: Edge }

export type Steps = { readonly steps: readonly Step[]; readonly unseen: number }

export const MAX_CALL_DEPTH = 5
const MAX_CALLS = 500

/**
 * Walks a call graph layer by layer, each definition once, at its smallest depth. Ends early when the budget
 * is spent or MAX_CALLS are found.
 */
export function walkCalls(
  targets: readonly Definition[],
  { depth, budget }: { readonly depth: number; readonly budget: Budget },
  next: (layer: readonly Definition[], level: number) => Steps,
): CallWalk {
  const sure = new Map(targets.map((target) => [keyOf(target), 1]))
  const calls: Call[] = []
  const steps: (readonly Step[])[] = []
  let layer = targets
  let unseen = 0
  let wholeDepth = 0
  for (let level = 1; level <= Math.min(depth, MAX_CALL_DEPTH) && layer.length > 0; level++) {
    if (level > 1 && (budget.isSpent || calls.length >= MAX_CALLS)) break
    const found = next(layer, level)
    const reached = grouped(found.steps, sure, level)
    steps.push(found.steps)
    for (const { definition, confidence } of reached) sure.set(keyOf(definition), confidence)
    calls.push(...reached)
    unseen += found.unseen
    if (unseen === 0) wholeDepth = level
    const asked = new Set(targets.map(keyOf))
    layer = reached.map(({ definition }) => definition).filter((each) => !asked.has(keyOf(each)))
    if (layer.length === 0 && unseen === 0) wholeDepth = depth
  }
  return {
    calls,
    steps: steps.flat(),
    wholeDepth,
    unseen,
    isCut: wholeDepth < depth && (layer.length > 0 || unseen > 0),
  }
}

/** The new definitions among the steps, each with all edges that lead to it. */
function grouped(steps: readonly Step[], sure: ReadonlyMap<string, number>, depth: number): Call[] {
  const reached = new Map<string, { definition: Definition; edges: Edge[]; confidence: number }>()
  for (const { definition, from, edge } of steps) {
    const key = keyOf(definition)
    if (sure.has(key) && !isRecursive(definition, from, depth)) continue
    const confidence = Math.min(sure.get(keyOf(from)) ?? 1, edge.confidence)
    const known = reached.get(key)
    if (known) {
      known.edges.push(edge)
      known.confidence = Math.max(known.confidence, confidence)
    } else reached.set(key, { definition, edges: [edge], confidence })
  }
  return Array.from(reached.values(), (call) => ({ ...call, depth }))
}

/**
 * True for a requested definition that calls itself. Checked at the first step only, because later steps know the
 * definition already.
 */
function isRecursive(definition: Definition, from: Definition, depth: number): boolean {
  return depth === 1 && keyOf(definition) === keyOf(from)
}

/** True when an edge is a call of the definition. Ruby and similar languages call without brackets. */
export function isCalled({ kind, file }: Edge, { symbol }: Definition): boolean {
  if (kind === "call") return isCallable(symbol) || isType(symbol)
  return kind === "mention" && isCallable(symbol) && BARE_CALLS.has(file.family)
}

/** True when a use in a file of this family may be a call. */
export function mayCall(flags: number, family: string): boolean {
  const kind = kindOf(flags)
  return kind === "call" || (kind === "mention" && BARE_CALLS.has(family))
}

const BARE_CALLS: ReadonlySet<string> = new Set([
  "ruby",
  "elixir",
  "lua",
  "bash",
  "julia",
  "haskell",
  "ocaml",
  "agda",
  "elm",
  "emacs-lisp",
  "fish",
  "fsharp",
  "nix",
  "perl",
  "powershell",
  "tlaplus",
])
