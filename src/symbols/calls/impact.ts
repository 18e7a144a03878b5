import { compareTexts } from "../../base/compare-texts.ts"
import { FILE_FLAG } from "../../base/files/file-flag.ts"
import { Budget, UNBOUNDED } from "../budget.ts"
import { byPathAndPlace, definitionKey, type SymbolDefinition } from "../definition.ts"
import type { Edge } from "../edge.ts"
import { referencesTo } from "../references/references.ts"
import type { SymbolGraph } from "../symbol-graph.ts"
import { implementationsOf } from "../types/implementations.ts"
import { type Call, type CallWalk, MAX_CALL_DEPTH } from "./call-walk.ts"
import { type AlsoUsedBy, callersOf } from "./callers.ts"

export type Impact = {
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
  for (const call of [...callers.calls, ...implementing(graph, targets, budget)]) {
    const key = definitionKey(call.definition)
    if (own.has(key)) continue
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
        other.confidence - one.confidence ||
        byPathAndPlace(one.definition, other.definition),
    ),
    tests: sorted.flatMap(([path, isTest]) => (isTest ? [path] : [])),
    files: sorted.flatMap(([path, isTest]) => (isTest ? [] : [path])),
    ...{ unresolved, steps, topLevel, wholeDepth, unseen, isCut },
  }
}

function implementing(graph: SymbolGraph, targets: readonly SymbolDefinition[], budget: Budget): Call[] {
  return implementationsOf(graph, targets, budget).found.map(({ definition, confidence }) => {
    return { definition, confidence, edges: [], depth: 1 }
  })
}
