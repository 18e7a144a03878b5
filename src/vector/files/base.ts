import { join } from "node:path"
import type { DerivedRow } from "../../store/derived/derived.ts"
import { verifyDerived } from "../../store/derived/derived-files.ts"
import { ExactIndex } from "../exact/exact.ts"
import { type Graph, openGraph } from "../hnsw/graph-file.ts"
import { HnswIndex } from "../hnsw/hnsw.ts"
import type { VectorIndex } from "../port.ts"
import { openFlat } from "./flat-file.ts"

/** Number of the part that contains the table. The other parts of a base are graphs over the table. */
export const TABLE_PART = 0

/** Opens the table of a base, with its graphs if it has any; null if the table cannot be used. */
export function openBase(
  folder: string,
  parts: readonly DerivedRow[],
  dimensions: number,
): VectorIndex | null {
  const exact = openTable(folder, parts, dimensions)
  if (exact === null) return null
  const graphs = openGraphs(folder, parts, dimensions)
  return graphs === null ? exact : new HnswIndex(exact, graphs, parts.at(-1)!.count)
}

/**
 * Opens the table of a base; null if it cannot be used. A thread that reads it only once passes `isMapped` false,
 * because the foreign function calls for mapping would stay in memory.
 */
export function openTable(
  folder: string,
  parts: readonly DerivedRow[],
  dimensions: number,
  isMapped = true,
): ExactIndex | null {
  const row = parts.find(({ part }) => part === TABLE_PART)
  if (row === undefined || verifyDerived(folder, row) === null) return null
  try {
    const table = openFlat(join(folder, row.name), dimensions, { isMapped })
    return table === null ? null : new ExactIndex(table)
  } catch {
    // The file was removed in the meantime: there is a newer generation, or the file will be made again.
    return null
  }
}

/**
 * Opens all graphs of a base. Null if there are none, or if one of them cannot be used; the table is complete without
 * graphs.
 */
export function openGraphs(
  folder: string,
  parts: readonly DerivedRow[],
  dimensions: number,
  isMapped = true,
): Graph[] | null {
  const rows = parts.filter((row) => row.part !== TABLE_PART)
  const graphs: Graph[] = []
  for (const row of rows) {
    const graph =
      verifyDerived(folder, row) === null ? null : openGraph(join(folder, row.name), dimensions, isMapped)
    if (graph === null) {
      for (const opened of graphs) opened[Symbol.dispose]()
      return null
    }
    graphs.push(graph)
  }
  return graphs.length === 0 ? null : graphs
}
