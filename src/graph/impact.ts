import { FILE_FLAG } from "../base/file-flag.ts"
import { type Call, callersOf, MOST_DEPTH } from "./callers.ts"
import { type Definition, keyOf } from "./definition.ts"
import { implementationsOf } from "./implementations.ts"
import { type Edge, referencesTo } from "./references.ts"
import type { SymbolGraph } from "./symbol-graph.ts"

export type Impact = {
  /** What uses it, directly or not, nearest first; each once. */
  readonly affected: readonly Call[]
  /** Tests among those files, and those that use it at their top level. */
  readonly tests: readonly string[]
  /** Other files that are affected. */
  readonly files: readonly string[]
  readonly unresolved: readonly Edge[]
  readonly isCut: boolean
}

/** What may break if these change: whatever uses them, and uses that, up to five steps; and which tests reach them. */
export function impactOf(graph: SymbolGraph, targets: readonly Definition[]): Impact {
  const own = new Set(targets.map(keyOf))
  const affected = new Map<string, Call>()
  const unresolved: Edge[] = []
  const paths = new Map<string, boolean>()
  const reach = (path: string, flags: number) => paths.set(path, (flags & FILE_FLAG.test) !== 0)
  let isCut = false
  for (const target of targets) {
    const found = callersOf(graph, target, MOST_DEPTH, true)
    isCut ||= found.isCut
    unresolved.push(...found.unresolved)
    for (const { file } of found.topLevel) reach(file.path, file.flags)
    for (const call of [...found.calls, ...implementing(graph, target)]) {
      const key = keyOf(call.definition)
      if (own.has(key)) continue
      const known = affected.get(key)
      if (!known || known.depth > call.depth) affected.set(key, call)
      reach(call.definition.file.path, call.definition.file.flags)
    }
    for (const { file } of referencesTo(graph, target).edges) reach(file.path, file.flags)
  }
  const sorted = [...paths].sort(([one], [other]) => (one < other ? -1 : 1))
  return {
    affected: [...affected.values()].sort(
      (one, other) => one.depth - other.depth || other.confidence - one.confidence,
    ),
    tests: sorted.flatMap(([path, isTest]) => (isTest ? [path] : [])),
    files: sorted.flatMap(([path, isTest]) => (isTest ? [] : [path])),
    unresolved,
    isCut,
  }
}

function implementing(graph: SymbolGraph, target: Definition): Call[] {
  return implementationsOf(graph, target).map(({ definition, confidence }) => ({
    definition,
    confidence,
    edges: [],
    depth: 1,
  }))
}
