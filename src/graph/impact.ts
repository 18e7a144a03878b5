import { FILE_FLAG } from "../base/file-flag.ts"
import { Budget, UNBOUNDED } from "./budget.ts"
import { type Call, MOST_DEPTH } from "./call-walk.ts"
import { callersOf } from "./callers.ts"
import { type Definition, keyOf } from "./definition.ts"
import type { Edge } from "./edge.ts"
import { implementationsOf } from "./implementations.ts"
import { referencesTo } from "./references.ts"
import type { SymbolGraph } from "./symbol-graph.ts"

export type Impact = {
  /** What uses it, directly or not, nearest first; each once. */
  readonly affected: readonly Call[]
  /** Tests among those files, and those that use it at their top level. */
  readonly tests: readonly string[]
  /** Other files that are affected. */
  readonly files: readonly string[]
  readonly unresolved: readonly Edge[]
  readonly wholeDepth: number
  readonly unseen: number
  readonly isCut: boolean
}

/** What may break if these change: whatever uses them, and uses that, up to five steps; and which tests reach them. */
export function impactOf(
  graph: SymbolGraph,
  targets: readonly Definition[],
  budget: Budget = new Budget(UNBOUNDED),
): Impact {
  const own = new Set(targets.map(keyOf))
  const affected = new Map<string, Call>()
  const paths = new Map<string, boolean>()
  const reach = (path: string, flags: number) => paths.set(path, (flags & FILE_FLAG.test) !== 0)
  const callers = callersOf(graph, targets, { depth: MOST_DEPTH, isAnyUse: true, budget })
  for (const { file } of callers.topLevel) reach(file.path, file.flags)
  for (const call of [...callers.calls, ...implementing(graph, targets, budget)]) {
    const key = keyOf(call.definition)
    if (own.has(key)) continue
    const known = affected.get(key)
    if (!known || known.depth > call.depth) affected.set(key, call)
    reach(call.definition.file.path, call.definition.file.flags)
  }
  for (const { file } of referencesTo(graph, targets, budget).edges) reach(file.path, file.flags)
  const sorted = [...paths].sort(([one], [other]) => (one < other ? -1 : 1))
  const { unresolved, wholeDepth, unseen, isCut } = callers
  return {
    affected: [...affected.values()].sort(
      (one, other) => one.depth - other.depth || other.confidence - one.confidence,
    ),
    tests: sorted.flatMap(([path, isTest]) => (isTest ? [path] : [])),
    files: sorted.flatMap(([path, isTest]) => (isTest ? [] : [path])),
    ...{ unresolved, wholeDepth, unseen, isCut },
  }
}

function implementing(graph: SymbolGraph, targets: readonly Definition[], budget: Budget): Call[] {
  return implementationsOf(graph, targets, budget).found.map(({ definition, confidence }) => {
    return { definition, confidence, edges: [], depth: 1 }
  })
}
