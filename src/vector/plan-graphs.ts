/**
 * Below this many bytes of i8 rows a scan takes 5 ms at most, and a graph would cost more than it saves
 * (docs/decisions/0002-vectors.md): 87,381 vectors of 768, 262,144 of 256.
 */
export const GRAPH_MIN_BYTES = 64 << 20
/** Rows that stand in no graph yet are compared one by one until they are this share of that. */
const TAIL_SHARE = 0.125
/** Each graph is a search of its own, and what has died in them is found in vain. */
const MOST_GRAPHS = 6
const MOST_DEAD = 0.25

export type GraphPlan = {
  /** Whether the graphs that there are go on. */
  readonly keep: boolean
  /** Build graphs over the rows from this one on; null: none. */
  readonly buildFrom: number | null
}

/** `count` of a graph: how many of the table's first rows it covers, with the graphs before it. */
export function planGraphs(table: {
  readonly rows: number
  readonly dimensions: number
  readonly graphs: readonly { readonly count: number }[]
  /** What the graphs hold, the dead included. */
  readonly built: number
  readonly graphMinBytes?: number | undefined
}): GraphPlan {
  const { rows, dimensions, graphs, graphMinBytes = GRAPH_MIN_BYTES } = table
  if (rows * dimensions < graphMinBytes) return { keep: false, buildFrom: null }
  const covered = graphs.at(-1)?.count ?? 0
  if (graphs.length === 0 || covered < table.built * (1 - MOST_DEAD)) return { keep: false, buildFrom: 0 }
  if ((rows - covered) * dimensions < graphMinBytes * TAIL_SHARE) return { keep: true, buildFrom: null }
  return graphs.length >= MOST_GRAPHS ? { keep: false, buildFrom: 0 } : { keep: true, buildFrom: covered }
}
