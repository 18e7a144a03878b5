import type { Budget } from "../budget.ts"
import { definitionKey, isCallable, isType, type SymbolDefinition } from "../definition.ts"
import { type Edge, kindOf } from "../edge.ts"

/** A definition reached in a call graph. */
export type Call = {
  readonly definition: SymbolDefinition
  /** The calls through which the walk reached this definition. */
  readonly edges: readonly Edge[]
  /** 1 for direct neighbours of the definitions asked for. */
  readonly depth: number
  /** Confidence of a path is that of its weakest step. With several paths, the confidence of the best one. */
  readonly confidence: number
}

export type CallWalk = {
  readonly calls: readonly Call[]
  /** Every step that was followed, including steps to definitions that another path had already reached. */
  readonly steps: readonly CallStep[]
  /** Results are complete up to this depth. */
  readonly wholeDepth: number
  /** Number of files or, when walking to callees, of definitions that were not read because the budget was spent. */
  readonly unseen: number
  /** True when the search stopped before it had followed all calls. */
  readonly isCut: boolean
}

/** A step from a definition in the current layer to a caller or callee of it. */
export type CallStep = {
  readonly definition: SymbolDefinition
  readonly from: SymbolDefinition
  readonly edge: Edge
}

export type CallSteps = { readonly steps: readonly CallStep[]; readonly unseen: number }

export const MAX_CALL_DEPTH = 5
const MAX_CALLS = 500

/**
 * Walks a call graph layer by layer, each definition once, at its smallest depth. Ends early when the budget
 * is spent or MAX_CALLS are found.
 */
export function walkCalls(
  targets: readonly SymbolDefinition[],
  { depth, budget }: { readonly depth: number; readonly budget: Budget },
  next: (layer: readonly SymbolDefinition[], level: number) => CallSteps,
): CallWalk {
  const confidences = new Map(targets.map((target) => [definitionKey(target), 1]))
  const calls: Call[] = []
  const steps: (readonly CallStep[])[] = []
  let layer = targets
  let unseen = 0
  let wholeDepth = 0
  for (let level = 1; level <= Math.min(depth, MAX_CALL_DEPTH) && layer.length > 0; level++) {
    if (level > 1 && (budget.isSpent || calls.length >= MAX_CALLS)) break
    const found = next(layer, level)
    const reached = newCalls(found.steps, confidences, level)
    steps.push(found.steps)
    for (const { definition, confidence } of reached) confidences.set(definitionKey(definition), confidence)
    calls.push(...reached)
    unseen += found.unseen
    if (unseen === 0) wholeDepth = level
    const asked = new Set(targets.map(definitionKey))
    layer = reached.map(({ definition }) => definition).filter((each) => !asked.has(definitionKey(each)))
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

/** The definitions that these steps reach for the first time, each with all edges that lead to it. */
function newCalls(
  steps: readonly CallStep[],
  confidences: ReadonlyMap<string, number>,
  depth: number,
): Call[] {
  const reached = new Map<string, { definition: SymbolDefinition; edges: Edge[]; confidence: number }>()
  for (const { definition, from, edge } of steps) {
    const key = definitionKey(definition)
    if (confidences.has(key) && !isRecursive(definition, from, depth)) continue
    const confidence = Math.min(confidences.get(definitionKey(from)) ?? 1, edge.confidence)
    const known = reached.get(key)
    if (known) {
      known.edges.push(edge)
      known.confidence = Math.max(known.confidence, confidence)
    } else reached.set(key, { definition, edges: [edge], confidence })
  }
  return Array.from(reached.values(), (call) => ({ ...call, depth }))
}

/**
 * True for a requested definition that calls itself. Only the first layer needs this check: from the second layer on,
 * requested definitions count as already reached.
 */
function isRecursive(definition: SymbolDefinition, from: SymbolDefinition, depth: number): boolean {
  return depth === 1 && definitionKey(definition) === definitionKey(from)
}

/** True when the edge is a call of the definition. In Ruby and similar languages, a call needs no brackets. */
export function isCalled({ kind, file }: Edge, { symbol }: SymbolDefinition): boolean {
  if (kind === "call") return isCallable(symbol) || isType(symbol)
  return kind === "mention" && isCallable(symbol) && BARE_CALLS.has(file.family)
}

/** True when a use with these flags, in a file of this language family, may be a call. */
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
