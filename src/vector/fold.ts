import type { DerivedRow } from "../store/derived.ts"
import { publishDerived } from "../store/derived-files.ts"
import type { SpaceRow } from "../store/spaces.ts"
import type { Store } from "../store/store.ts"
import type { VectorsRow } from "../store/vectors.ts"
import { openGraphs, openTable, TABLE_PART } from "./base.ts"
import { saveGraph } from "./graph-writer.ts"
import { buildGraphs } from "./hnsw.ts"
import { loadNative } from "./native.ts"
import { type GraphPlan, planGraphs } from "./plan-graphs.ts"
import type { Quantization } from "./port.ts"
import { writeTable } from "./write-table.ts"

export type FoldOptions = {
  readonly space: SpaceRow
  readonly generation: number
  readonly quantization: Quantization
  /** Of the graph under construction; everything else here is a few megabytes and mapped pages. */
  readonly memoryLimitBytes: number
  readonly threads: number
  readonly fresh?: Iterable<VectorsRow>
  /** From how many bytes of i8 rows on a graph is built; by default as plan-graphs.ts has it. */
  readonly graphMinBytes?: number
  /** How many of the vectors to link the graphs hold by now. */
  readonly onLinked?: (done: number, total: number) => void
}

/** What the leader commits: the rows replace the old ones, the deltas and tombstones go. */
export type Folded = {
  readonly rows: readonly DerivedRow[]
  readonly files: readonly number[]
  readonly dead: readonly number[]
}

/** Base, deltas and tombstones into a new generation's table, with graphs where it is large. Writes no row. */
export async function foldVectors(store: Store, folder: string, options: FoldOptions): Promise<Folded> {
  const { space, generation } = options
  const { parts, dead, files } = store.consistently(() => ({
    parts: store.derived.of("vectors", space.id),
    dead: store.tombstones.all("vectors", space.id),
    files: store.vectors.fileIds(space.id),
  }))
  using base = openTable(folder, parts, space.dimensions, false)
  // Left out, what it holds would be lost for good; the next run finds it damaged.
  if (base === null && parts.length > 0) throw new Error(`${parts[0]!.name} is damaged`)
  const old = base === null ? null : openGraphs(folder, parts, space.dimensions, false)
  const graphs = old === null ? [] : parts.filter((row) => row.part !== TABLE_PART)
  const built = (old ?? []).reduce((sum, graph) => sum + (graph.shape.levels[0] ?? 0), 0)
  for (const graph of old ?? []) graph[Symbol.dispose]()
  const shared = { kind: "vectors", spaceId: space.id, generation, dimensions: space.dimensions } as const
  const name = `vectors-${space.id}-${generation}`
  const written = { count: 0, searched: 0, covered: [] as number[] }
  const file = await publishDerived(folder, `${name}.vec`, (path) => {
    Object.assign(written, writeTable(path, store, { ...options, base, graphs, dead, files }))
  })
  const table: DerivedRow = { ...shared, ...file, part: TABLE_PART, count: written.count }
  const kept = graphs.map((row, i) => ({ ...row, count: written.covered[i]! }))
  const plan = planGraphs({
    rows: written.searched,
    dimensions: space.dimensions,
    graphs: kept,
    built,
    graphMinBytes: options.graphMinBytes,
  })
  return { rows: [table, ...(await withGraphs(folder, table, kept, plan, name, options))], files, dead }
}

/** The rows of the graphs that stay, and of those built now. */
async function withGraphs(
  folder: string,
  table: DerivedRow,
  kept: readonly DerivedRow[],
  plan: GraphPlan,
  name: string,
  options: FoldOptions,
): Promise<DerivedRow[]> {
  const rows = plan.keep ? [...kept] : []
  const native = loadNative()
  if (plan.buildFrom === null || native === null) return rows
  using exact = openTable(folder, [table], table.dimensions, false)
  if (exact === null) return rows
  await buildGraphs(native, exact, plan.buildFrom, {
    memoryLimitBytes: options.memoryLimitBytes,
    threads: options.threads,
    onAdded: options.onLinked,
    save: async (graph, { to }) => {
      const part = (rows.at(-1)?.part ?? TABLE_PART) + 1
      const file = await publishDerived(folder, `${name}-${part}.graph`, (path) => saveGraph(graph, path))
      rows.push({ ...table, ...file, part, count: to })
    },
  })
  return rows
}
