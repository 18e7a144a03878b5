import { FILE_FLAG } from "../base/file-flag.ts"
import { changedLines } from "../git/changed-lines.ts"
import { type Bounds, Budget } from "../graph/budget.ts"
import { type Definition, isWithin, keyOf, qualifiedName } from "../graph/definition.ts"
import type { Edge } from "../graph/edge.ts"
import { isCallable, isType } from "../graph/kinds.ts"
import type { SymbolGraph } from "../graph/symbol-graph.ts"
import { usesOfGone } from "../graph/uses-of-gone.ts"
import type { SymbolRow } from "../store/symbols.ts"
import type { Project } from "./open-project.ts"
import type { Found } from "./symbol-found.ts"
import { impactIn } from "./symbol-related.ts"
import { symbolsGone } from "./symbols-gone.ts"

/** The impact of all that differs from a revision, or within a range of them; what is gone breaks its users. */
export async function impactOfDiff(
  graph: SymbolGraph,
  project: Project,
  revision: string,
  bounds: Bounds,
): Promise<Found> {
  const files = graph.store.files.known().map(([path, , size, mtimeMs]) => ({ path, size, mtimeMs }))
  const { changed, deleted } = await changedLines(project.root, revision, files)
  const definitions = changed.flatMap(({ path, lines }) => changedIn(graph, path, lines))
  const edited = changed.flatMap(({ path, before }) => (before === null ? [] : [{ path, before }]))
  const gone = await symbolsGone(graph, [...deleted, ...edited])
  const found = impactIn(graph, definitions, bounds)
  const broken = gone.length === 0 ? null : impactOfGone(graph, gone, bounds)
  const notices = [
    ...(definitions.length + gone.length === 0 ? [unchanged(revision, changed.length + deleted.length)] : []),
    ...(gone.length === 0 ? [] : [goneNote(gone)]),
    ...(deleted.length === 0 ? [] : [`deleted: ${listed(deleted.map(({ path }) => path))}`]),
  ]
  const all = broken === null ? found : both(found, broken)
  return { ...all, notices: [...(all.notices ?? []), ...notices] }
}

function unchanged(revision: string, files: number): string {
  if (files === 0) return `nothing differs from ${revision}`
  return `no symbol differs from ${revision}: ${files === 1 ? "1 file does" : `${files} files do`}, outside of any`
}

function goneNote(gone: readonly Definition[]): string {
  return `no longer defined, so what uses it breaks: ${listed(gone.map(qualifiedName))}`
}

const MOST_LISTED = 5

function listed(all: readonly string[]): string {
  const names = [...new Set(all)]
  return `${names.slice(0, MOST_LISTED).join(", ")}${names.length > MOST_LISTED ? ", …" : ""}`
}

/** What uses what is gone, and what uses that. */
function impactOfGone(graph: SymbolGraph, gone: readonly Definition[], bounds: Bounds): Found {
  const budget = new Budget(bounds)
  const edges = gone.flatMap((each) => usesOfGone(graph, each, budget))
  const byHolder = new Map<string, { definition: Definition; confidence: number; edges: Edge[] }>()
  for (const edge of edges) {
    if (edge.within === null) continue
    const definition = { symbol: edge.within, file: edge.file }
    const known = byHolder.get(keyOf(definition))
    if (known) {
      known.edges.push(edge)
      known.confidence = Math.max(known.confidence, edge.confidence)
    } else byHolder.set(keyOf(definition), { definition, confidence: edge.confidence, edges: [edge] })
  }
  const broken = [...byHolder.values()]
  const definitions = broken.map(({ definition }) => definition)
  const further = impactIn(graph, definitions, bounds)
  const deeper = (further.related ?? []).map((each) => ({ ...each, depth: (each.depth ?? 1) + 1 }))
  const files = [...new Set(edges.map(({ file }) => file))]
  const paths = (isTest: boolean) =>
    files.flatMap(({ path, flags }) => (((flags & FILE_FLAG.test) !== 0) === isTest ? [path] : []))
  const direct = { definitions: [], related: broken, tests: paths(true), files: paths(false) }
  return both(direct, { ...further, definitions: [], related: deeper, unresolved: [] })
}

function both(one: Found, other: Found): Found {
  const united = (key: "tests" | "files") => [...new Set([...(one[key] ?? []), ...(other[key] ?? [])])].sort()
  const related = [...(one.related ?? []), ...(other.related ?? [])]
  return {
    definitions: [...one.definitions, ...other.definitions],
    related: related.sort((a, b) => (a.depth ?? 1) - (b.depth ?? 1) || b.confidence - a.confidence),
    unresolved: [...(one.unresolved ?? []), ...(other.unresolved ?? [])],
    tests: united("tests"),
    files: united("files"),
    notices: [...(one.notices ?? []), ...(other.notices ?? [])],
  }
}

/** The innermost is what changed; what encloses it did not change as a whole. */
function changedIn(
  graph: SymbolGraph,
  path: string,
  lines: readonly (readonly [number, number])[],
): Definition[] {
  const file = graph.file(path)
  if (file === null) return []
  const touched = file.symbols.filter((symbol) =>
    lines.some(([start, end]) => symbol.startLine <= end && symbol.endLine >= start),
  )
  const isWhole = (symbol: SymbolRow) => isCallable(symbol) || isType(symbol)
  return touched
    .filter((symbol) => isWhole(symbol) || symbol.owner === null)
    .filter(
      (symbol) => !touched.some((other) => other !== symbol && isWhole(other) && isWithin(other, symbol)),
    )
    .map((symbol) => ({ symbol, file }))
}
