import { changedLines } from "../git/changed-lines.ts"
import type { Bounds } from "../graph/budget.ts"
import { type Definition, isWithin } from "../graph/definition.ts"
import { isCallable, isType } from "../graph/kinds.ts"
import type { SymbolGraph } from "../graph/symbol-graph.ts"
import type { SymbolRow } from "../store/symbols.ts"
import type { Project } from "./open-project.ts"
import type { Found } from "./symbol-found.ts"
import { impactIn } from "./symbol-related.ts"

/** The impact of all that differs from a revision, or within a range of them. */
export async function impactOfDiff(
  graph: SymbolGraph,
  project: Project,
  revision: string,
  bounds: Bounds,
): Promise<Found> {
  const files = graph.store.files.known().map(([path, , size, mtimeMs]) => ({ path, size, mtimeMs }))
  const { changed, deleted } = await changedLines(project.root, revision, files)
  const definitions = changed.flatMap(({ path, lines }) => changedIn(graph, path, lines))
  const found = impactIn(graph, definitions, bounds)
  const gone = deleted.length === 0 ? [] : [`deleted, so not followed: ${deleted.slice(0, 5).join(", ")}`]
  return { ...found, notices: [...(found.notices ?? []), ...gone] }
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
