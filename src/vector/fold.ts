import type { DerivedRow } from "../store/derived.ts"
import { publishDerived } from "../store/derived-files.ts"
import type { SpaceRow } from "../store/spaces.ts"
import type { Store } from "../store/store.ts"
import { openGraphs, openTable, TABLE_PART } from "./base.ts"
import { fromVectorsRow } from "./delta.ts"
import type { ExactIndex } from "./exact.ts"
import { FlatWriter } from "./flat-file.ts"
import { buildGraphs } from "./hnsw.ts"
import { loadNative } from "./native.ts"
import { type GraphPlan, planGraphs } from "./plan-graphs.ts"
import { CHUNK_KEY_STRIDE, type Quantization } from "./port.ts"
import { WIDTH } from "./quantize.ts"

export type FoldOptions = {
  readonly space: SpaceRow
  readonly generation: number
  readonly quantization: Quantization
  /** Of the graph under construction; everything else here is a few megabytes and mapped pages. */
  readonly memoryLimitBytes: number
  readonly threads: number
}

/** What the leader commits: the rows replace the old ones, the deltas and tombstones go. */
export type Folded = {
  readonly rows: readonly DerivedRow[]
  readonly files: readonly number[]
  readonly dead: readonly number[]
}

const PAGE_FILES = 256

/** Base, deltas and tombstones into a new generation's table, with graphs where it is large. Writes no row. */
export async function foldVectors(store: Store, folder: string, options: FoldOptions): Promise<Folded> {
  const { space, generation } = options
  const { parts, dead, files } = store.snapshot(() => ({
    parts: store.derived.of("vectors", space.id),
    dead: store.tombstones.all("vectors", space.id),
    files: store.vectors.fileIds(space.id),
  }))
  const base = openTable(folder, parts, space.dimensions)
  const old = base === null ? null : openGraphs(folder, parts, space.dimensions)
  const graphs = old === null ? [] : parts.filter((row) => row.part !== TABLE_PART)
  const built = (old ?? []).reduce((sum, graph) => sum + graph.size(), 0)
  const shared = { kind: "vectors", spaceId: space.id, generation, dimensions: space.dimensions } as const
  const name = `vectors-${space.id}-${generation}`
  const written = { count: 0, covered: [] as number[] }
  const file = await publishDerived(folder, `${name}.vec`, (path) => {
    Object.assign(written, writeTable(path, store, base, new Set(dead), graphs, files, options))
  })
  const table: DerivedRow = { ...shared, ...file, part: TABLE_PART, count: written.count }
  const kept = graphs.map((row, i) => ({ ...row, count: written.covered[i]! }))
  const plan = planGraphs({ rows: written.count, dimensions: space.dimensions, graphs: kept, built })
  return { rows: [table, ...(await withGraphs(folder, table, kept, plan, name, options))], files, dead }
}

/** The new table: what lives of the base in its order, then the deltas. */
function writeTable(
  path: string,
  store: Store,
  base: ExactIndex | null,
  dead: ReadonlySet<number>,
  graphs: readonly DerivedRow[],
  files: readonly number[],
  { space, quantization }: FoldOptions,
): { count: number; covered: number[] } {
  const writer = new FlatWriter(path, space.dimensions, quantization)
  try {
    const replaced = new Set([...dead, ...files])
    const covered = base === null ? [] : copyLiving(base, writer, replaced, quantization, graphs)
    for (let at = 0; at < files.length; at += PAGE_FILES) {
      for (const row of store.vectors.ofFiles(space.id, files.slice(at, at + PAGE_FILES))) {
        const read = fromVectorsRow(row, space.dimensions)
        if (read !== null) writer.add(read.keys, read.vectors)
      }
    }
    writer.finish()
    return { count: writer.count, covered }
  } catch (error) {
    writer.close()
    throw error
  }
}

/** Copies runs of living rows; answers how many of the new table's first rows each graph covers, with those before. */
function copyLiving(
  base: ExactIndex,
  writer: FlatWriter,
  gone: ReadonlySet<number>,
  quantization: Quantization,
  graphs: readonly DerivedRow[],
): number[] {
  const { keys } = base.table
  const covered = graphs.map(() => 0)
  const limits = [...graphs.map((row) => row.count), base.size]
  let row = 0
  for (const [i, limit] of limits.entries()) {
    while (row < limit) {
      const start = row
      while (row < limit && row - start < MOST_ROWS && !isGone(keys[row]!)) row++
      if (row > start) copyRows(base, writer, start, row, quantization)
      else row++
    }
    if (i < covered.length) covered[i] = writer.count
  }
  return covered

  function isGone(key: number): boolean {
    return gone.has(Math.floor(key / CHUNK_KEY_STRIDE))
  }
}

const MOST_ROWS = 4096

function copyRows(
  base: ExactIndex,
  writer: FlatWriter,
  from: number,
  to: number,
  quantization: Quantization,
): void {
  const { keys, scan, stored, dimensions } = base.table
  const names = keys.subarray(from, to)
  if (stored.BYTES_PER_ELEMENT === WIDTH[quantization]) {
    const [start, end] = [from * dimensions, to * dimensions]
    writer.copy(names, scan.subarray(start, end), stored.subarray(start, end))
    return
  }
  const vectors = new Float32Array((to - from) * dimensions)
  for (let row = from; row < to; row++) vectors.set(base.get(keys[row]!)!, (row - from) * dimensions)
  writer.add(names, vectors)
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
  const exact = openTable(folder, [table], table.dimensions)
  if (exact === null) return rows
  await buildGraphs(native, exact, plan.buildFrom, {
    memoryLimitBytes: options.memoryLimitBytes,
    threads: options.threads,
    save: async (graph, { to }) => {
      const part = (rows.at(-1)?.part ?? TABLE_PART) + 1
      const file = await publishDerived(folder, `${name}-${part}.usearch`, (path) => graph.save(path))
      rows.push({ ...table, ...file, part, count: to })
    },
  })
  return rows
}
