import { compareTexts, FILE_FLAG } from "../base/index.ts"
import type { Use } from "../parse/index.ts"
import type { SymbolRow } from "../store/index.ts"
import { byCertainty, type Certainty, TIE, weaker } from "./certainty.ts"
import {
  Budget,
  byPathAndPlace,
  definitionKey,
  type Edge,
  edgeOf,
  isCalled,
  isType,
  isWithin,
  mayCall,
  type SymbolDefinition,
  UNBOUNDED,
} from "./definition.ts"
import type { FileView } from "./file-view.ts"
import { implementationsOf, overriddenBy } from "./implementations.ts"
import { type ReferencePage, type References, referencesTo } from "./references.ts"
import { FileMeanings, isResolved } from "./resolve.ts"
import type { SymbolGraph } from "./symbol-graph.ts"

type Callers = CallWalk & {
  /** Calls that are outside of all functions, such as the top-level lines of a script. */
  readonly topLevel: readonly Edge[]
  readonly unresolved: readonly Edge[]
  /** Number of calls, in the files read so far, of a function with the same name that is another definition. */
  readonly others: number
}

type CallersOptions = {
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
  const isMeant = (edge: Edge, callee: SymbolDefinition) =>
    isAnyUse ? edge.kind !== "import" : isCalled(edge, callee)
  const walk = walkCalls(targets, { depth, budget }, (layer, level) => {
    const isCall = (edge: Edge) => edge.target !== null && isMeant(edge, edge.target)
    const ask = (next?: ReferencePage) =>
      referencesTo(graph, layer, budget, next, isAnyUse ? "uses" : "calls")
    const found = level === 1 && depth === 1 && page ? referencesFor(isCall, ask, { page, budget }) : ask()
    const used = [
      ...found.edges.filter(isCall),
      ...(found.unseen > 0 ? [] : callsThroughBases(graph, layer, { budget, isAnyUse }).filter(isCall)),
      ...(alsoUsedBy?.(layer, found.edges) ?? []),
    ]
    // What a further step may miss is missing in the answer as well.
    unresolved.push(...found.unresolved.filter((edge) => layer.some((each) => isMeant(edge, each))))
    if (level === 1) others = found.others
    topLevel.push(...used.filter(({ within }) => within === null))
    const steps = used.flatMap((edge) =>
      usersAt(edge, isAnyUse).map((symbol) => ({
        definition: { symbol, file: edge.file },
        from: edge.target!,
        edge,
      })),
    )
    return { steps, unseen: found.unseen }
  })
  return { ...walk, topLevel, unresolved, others }
}

/**
 * The definition around a use. For an impact also the functions around that one, and the variable or field whose value
 * contains the use: nothing else may lead to a function without a name of its own.
 */
function usersAt({ within, file, line, target }: Edge, isAnyUse: boolean): SymbolRow[] {
  const innermost = within === null ? [] : [within]
  if (!isAnyUse || isType(target!.symbol)) return innermost
  const further = file.outline.holding(line).filter((symbol) => symbol !== within)
  // What the value of a field uses is no use by all code that names the type of the field.
  const isOfField = innermost.some((type) => isType(type) && further.some((each) => isWithin(each, type)))
  return isOfField ? further : [...innermost, ...further]
}

/** Uses of what methods override: a call of a base's method may reach them, which is possible and not certain. */
function callsThroughBases(
  graph: SymbolGraph,
  layer: readonly SymbolDefinition[],
  { budget, isAnyUse }: { readonly budget: Budget; readonly isAnyUse: boolean },
): Edge[] {
  const asked = new Set(layer.map(definitionKey))
  return layer.flatMap((target) => {
    const bases = overriddenBy(graph, target).filter((base) => !asked.has(definitionKey(base)))
    if (bases.length === 0 || budget.isSpent) return []
    const { edges } = referencesTo(graph, bases, budget, undefined, isAnyUse ? "uses" : "calls")
    return edges.map((edge) => ({ ...edge, target, certainty: weaker("possible", edge.certainty) }))
  })
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

type Callees = CallWalk & { readonly unresolved: readonly Edge[] }

type CalleesOptions = {
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
    if (!isResolved(best)) {
      const edge = edgeOf(use, file, { tie: TIE.none, target: null, name: use.name })
      return edge.kind === "call" ? [edge] : []
    }
    const edge = edgeOf(use, file, { tie: best.tie, target: best.definition })
    return isCalled(edge, best.definition) ? [edge] : []
  })
}

type Impact = {
  /** Definitions that use or implement the targets, directly or not, nearest first, each once. */
  readonly affected: readonly Call[]
  /** Paths of test files that contain affected definitions, or that use the targets at top level. */
  readonly tests: readonly string[]
  /** Paths of the other affected files. */
  readonly files: readonly string[]
  readonly unresolved: readonly Edge[]
  /** Uses that were followed, from a definition to the one that it uses. */
  readonly steps: CallWalk["steps"]
  /** Uses at the top level of a file, outside of any definition. */
  readonly topLevel: readonly Edge[]
  readonly wholeDepth: number
  readonly unseen: number
  readonly isCut: boolean
}

/**
 * Returns what a change of the targets may break: everything that uses them, directly or through at most five steps.
 * Test files are listed separately.
 */
export function impactOf(
  graph: SymbolGraph,
  targets: readonly SymbolDefinition[],
  budget: Budget = new Budget(UNBOUNDED),
  alsoUsedBy?: AlsoUsedBy,
): Impact {
  const own = new Set(targets.map(definitionKey))
  const affected = new Map<string, Call>()
  const paths = new Map<string, boolean>()
  const reach = (path: string, flags: number) => paths.set(path, (flags & FILE_FLAG.test) !== 0)
  const callers = callersOf(graph, targets, {
    ...{ depth: MAX_CALL_DEPTH, isAnyUse: true, budget },
    ...(alsoUsedBy && { alsoUsedBy }),
  })
  for (const { file } of callers.topLevel) reach(file.path, file.flags)
  const below = implementationsOf(graph, targets, budget).found
  for (const call of [...callers.calls, ...below.map((each): Call => ({ ...each, edges: [], depth: 1 }))]) {
    const key = definitionKey(call.definition)
    if (own.has(key) && call.edges.every(({ target }) => target === null || definitionKey(target) === key))
      continue
    const known = affected.get(key)
    if (!known || known.depth > call.depth) affected.set(key, call)
    reach(call.definition.file.path, call.definition.file.flags)
  }
  for (const { file } of referencesTo(graph, targets, budget).edges) reach(file.path, file.flags)
  const sorted = [...paths].sort(([one], [other]) => compareTexts(one, other))
  const { unresolved, steps, topLevel, wholeDepth, unseen, isCut } = callers
  return {
    affected: [...affected.values()].sort(
      (one, other) =>
        one.depth - other.depth ||
        byCertainty(one, other) ||
        byPathAndPlace(one.definition, other.definition),
    ),
    tests: sorted.flatMap(([path, isTest]) => (isTest ? [path] : [])),
    files: sorted.flatMap(([path, isTest]) => (isTest ? [] : [path])),
    ...{ unresolved, steps, topLevel, wholeDepth, unseen, isCut },
  }
}

/** A definition reached in a call graph. */
type Call = {
  readonly definition: SymbolDefinition
  /** The calls through which the walk reached this definition. */
  readonly edges: readonly Edge[]
  /** 1 for direct neighbours of the definitions asked for. */
  readonly depth: number
  /** Certainty of a path is that of its weakest step. With several paths, the certainty of the best one. */
  readonly certainty: Certainty
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

type CallSteps = { readonly steps: readonly CallStep[]; readonly unseen: number }

const MAX_CALL_DEPTH = 5
const MAX_CALLS = 500

/**
 * Walks a call graph layer by layer, each definition once, at its smallest depth. Ends early when the budget
 * is spent or MAX_CALLS are found.
 */
function walkCalls(
  targets: readonly SymbolDefinition[],
  { depth, budget }: { readonly depth: number; readonly budget: Budget },
  next: (layer: readonly SymbolDefinition[], level: number) => CallSteps,
): CallWalk {
  const known = new Map<string, Certainty>(targets.map((target) => [definitionKey(target), "certain"]))
  const asked = new Set(known.keys())
  const calls: Call[] = []
  const steps: (readonly CallStep[])[] = []
  let layer = targets
  let unseen = 0
  let wholeDepth = 0
  for (let level = 1; level <= Math.min(depth, MAX_CALL_DEPTH) && layer.length > 0; level++) {
    if (level > 1 && (budget.isSpent || calls.length >= MAX_CALLS)) break
    const found = next(layer, level)
    const reached = newCalls(found.steps, known, level)
    steps.push(found.steps)
    for (const { definition, certainty } of reached) known.set(definitionKey(definition), certainty)
    calls.push(...reached)
    unseen += found.unseen
    if (unseen === 0) wholeDepth = level
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
function newCalls(steps: readonly CallStep[], known: ReadonlyMap<string, Certainty>, depth: number): Call[] {
  const reached = new Map<string, { definition: SymbolDefinition; edges: Edge[]; certainty: Certainty }>()
  for (const { definition, from, edge } of steps) {
    const key = definitionKey(definition)
    // In the first layer, the definitions known are those asked for; one of them may call itself or another one.
    if (depth > 1 && known.has(key)) continue
    const path = { certainty: weaker(known.get(definitionKey(from)) ?? "certain", edge.certainty) }
    const call = reached.get(key)
    if (call) {
      call.edges.push(edge)
      if (byCertainty(path, call) < 0) call.certainty = path.certainty
    } else reached.set(key, { definition, edges: [edge], ...path })
  }
  return Array.from(reached.values(), (call) => ({ ...call, depth }))
}
