/**
 * Minimum number of bytes of i8 rows for building a graph. With fewer, a scan takes at most 5 ms, and a graph would
 * cost more than it saves (docs/decisions/02-vectors.md). It corresponds to 87,381 vectors of 768 dimensions, or
 * 262,144 of 256.
 */
export const GRAPH_MIN_BYTES = 64 << 20
/** New rows are in no graph and are compared one by one, until their bytes reach this share of GRAPH_MIN_BYTES. */
const TAIL_SHARE = 0.125
/** Maximum number of graphs, because each one is searched separately. */
const MAX_GRAPHS = 6
/** Maximum share of removed rows in the graphs; if it is exceeded, the graphs are built again. */
const MAX_DEAD_SHARE = 0.25

export type GraphPlan = {
  /** True to keep the existing graphs. */
  readonly keep: boolean
  /** Graphs are built over the rows from this number on; null to build none. */
  readonly buildFrom: number | null
}

/**
 * Decides which graphs a table gets. The `count` of a graph is how many of the table's first rows it and the graphs
 * before it contain.
 */
export function planGraphs(table: {
  readonly rows: number
  readonly dimensions: number
  readonly graphs: readonly { readonly count: number }[]
  /** Number of rows in the graphs, including rows that were removed since. */
  readonly built: number
  readonly graphMinBytes?: number | undefined
}): GraphPlan {
  const { rows, dimensions, graphs, graphMinBytes = GRAPH_MIN_BYTES } = table
  if (rows * dimensions < graphMinBytes) return { keep: false, buildFrom: null }
  const covered = graphs.at(-1)?.count ?? 0
  if (graphs.length === 0 || covered < table.built * (1 - MAX_DEAD_SHARE))
    return { keep: false, buildFrom: 0 }
  if ((rows - covered) * dimensions < graphMinBytes * TAIL_SHARE) return { keep: true, buildFrom: null }
  return graphs.length >= MAX_GRAPHS ? { keep: false, buildFrom: 0 } : { keep: true, buildFrom: covered }
}
