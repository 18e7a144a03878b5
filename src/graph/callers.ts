import { type Definition, keyOf } from "./definition.ts"
import { isCallable, isType } from "./file-view.ts"
import { type Edge, edgeOf, referencesTo } from "./references.ts"
import { DOUBTFUL, likeliest, meaningsOf } from "./resolve.ts"
import type { SymbolGraph } from "./symbol-graph.ts"

/** One step of a call graph. */
export type Call = {
  readonly definition: Definition
  /** Where it calls, or is called. */
  readonly edges: readonly Edge[]
  /** 1 for what is next to the definition asked for. */
  readonly depth: number
  /** That of the weakest step on the way. */
  readonly confidence: number
}

export type Calls = {
  readonly calls: readonly Call[]
  /** Calls from outside any function, such as a script's own lines. */
  readonly topLevel: readonly Edge[]
  readonly unresolved: readonly Edge[]
  /** There are more than were followed. */
  readonly isCut: boolean
}

export const MOST_DEPTH = 5
const MOST_CALLS = 500

/** What calls a definition, and what calls that, nearest first. With `isAnyUse` a mention counts as a call does. */
export function callersOf(graph: SymbolGraph, target: Definition, depth: number, isAnyUse = false): Calls {
  const topLevel: Edge[] = []
  const unresolved: Edge[] = []
  const walked = walk(target, depth, (callee, level) => {
    const found = referencesTo(graph, callee)
    const used = found.edges.filter((edge) => counts(edge, callee, isAnyUse))
    if (level === 1) unresolved.push(...found.unresolved.filter((edge) => counts(edge, callee, isAnyUse)))
    topLevel.push(...used.filter(({ within }) => within === null))
    return byHolder(used)
  })
  return { ...walked, topLevel, unresolved }
}

/** What a definition calls, and what that calls. */
export function calleesOf(graph: SymbolGraph, target: Definition, depth: number): Calls {
  const unresolved: Edge[] = []
  const walked = walk(target, depth, (caller, level) => {
    const found = calledIn(graph, caller)
    if (level === 1) unresolved.push(...found.unresolved)
    return found.calls
  })
  return { ...walked, topLevel: [], unresolved }
}

type Step = { readonly definition: Definition; readonly edges: readonly Edge[] }

/** Layer by layer; each definition once, at its nearest. */
function walk(
  target: Definition,
  depth: number,
  next: (definition: Definition, level: number) => readonly Step[],
): Pick<Calls, "calls" | "isCut"> {
  const seen = new Set([keyOf(target)])
  const calls: Call[] = []
  let layer: Pick<Call, "definition" | "confidence">[] = [{ definition: target, confidence: 1 }]
  for (let level = 1; level <= Math.min(depth, MOST_DEPTH); level++) {
    const reached: Call[] = []
    for (const from of layer) {
      for (const { definition, edges } of next(from.definition, level)) {
        if (seen.has(keyOf(definition))) continue
        seen.add(keyOf(definition))
        const confidence = Math.min(from.confidence, Math.max(...edges.map((edge) => edge.confidence)))
        reached.push({ definition, edges, depth: level, confidence })
      }
      if (calls.length + reached.length >= MOST_CALLS)
        return { calls: [...calls, ...reached].slice(0, MOST_CALLS), isCut: true }
    }
    calls.push(...reached)
    layer = reached
  }
  return { calls, isCut: false }
}

type Called = {
  readonly calls: readonly Step[]
  readonly unresolved: Edge[]
}

function calledIn(graph: SymbolGraph, { symbol, file }: Definition): Called {
  const calls = new Map<string, { definition: Definition; edges: Edge[] }>()
  const unresolved: Edge[] = []
  const bases = (type: string) => graph.basesOf(type)
  for (const use of file.allUses()) {
    if (use.line < symbol.startLine || use.line > symbol.endLine) continue
    const edge = edgeOf(use, file, 0)
    const best = likeliest(meaningsOf(use, file, graph.definitionsOf(use.name), bases))[0]
    if (!best || best.confidence < DOUBTFUL) {
      if (edge.kind === "call") unresolved.push({ ...edge, name: use.name })
      continue
    }
    const { definition, confidence } = best
    if (!isCalled(edge, definition)) continue
    const known = calls.get(keyOf(definition)) ?? { definition, edges: [] }
    known.edges.push({ ...edge, confidence: Math.round(confidence * 100) / 100 })
    calls.set(keyOf(definition), known)
  }
  return { calls: [...calls.values()], unresolved }
}

/** Ruby and its kin call without brackets. */
function isCalled({ kind, file }: Edge, { symbol }: Definition): boolean {
  if (kind === "call") return isCallable(symbol) || isType(symbol)
  return kind === "mention" && isCallable(symbol) && BARE_CALLS.has(file.family)
}

const BARE_CALLS: ReadonlySet<string> = new Set([
  "ruby",
  "elixir",
  "lua",
  "bash",
  "julia",
  "haskell",
  "ocaml",
])

function counts(edge: Edge, callee: Definition, isAnyUse: boolean): boolean {
  return isAnyUse ? edge.kind !== "import" : isCalled(edge, callee)
}

function byHolder(edges: readonly Edge[]): Step[] {
  const holders = new Map<string, { definition: Definition; edges: Edge[] }>()
  for (const edge of edges) {
    if (edge.within === null) continue
    const definition = { symbol: edge.within, file: edge.file }
    const known = holders.get(keyOf(definition))
    if (known) known.edges.push(edge)
    else holders.set(keyOf(definition), { definition, edges: [edge] })
  }
  return [...holders.values()]
}
