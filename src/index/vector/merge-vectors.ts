import { closeSync, readSync } from "node:fs"
import { createFile, openRegularFile, writeAll } from "../../base/index.ts"
import {
  type DerivedRow,
  publishDerived,
  type SpaceRow,
  type Store,
  type VectorsRow,
} from "../../store/index.ts"
import type { ExactIndex } from "./exact.ts"
import { FlatWriter } from "./flat-file.ts"
import { saveGraph } from "./graph-file.ts"
import { buildGraphs, type GraphPlan, planGraphs } from "./graphs.ts"
import { loadNative } from "./native.ts"
import { CHUNK_KEY_STRIDE } from "./port.ts"
import { copyRows, packedBytes } from "./rows.ts"
import { fromVectorsRow, openGraphs, openTable, type PendingVectors, TABLE_PART } from "./set.ts"

type MergeOptions = {
  readonly space: SpaceRow
  readonly generation: number
  /**
   * Memory limit in bytes of the graph that is being built. Everything else takes a few megabytes, and mapped pages.
   */
  readonly memoryLimitBytes: number
  readonly threads: number
  readonly fresh?: Iterable<VectorsRow>
  /** If the i8 rows have this many bytes or more, a graph is built; GRAPH_MIN_BYTES by default. */
  readonly graphMinBytes?: number
  /** Reports the number of vectors that were added to graphs so far, and their total number. */
  readonly onLinked?: (done: number, total: number) => void
}

/**
 * The result, which the leader commits: the new rows replace the old ones, and merged deltas and tombstones are
 * deleted.
 */
type MergedVectors = {
  readonly rows: readonly DerivedRow[]
  readonly files: readonly number[]
  readonly dead: readonly number[]
}

/**
 * Merges the base (the last merged table), the deltas (vectors of files that were embedded since) and the tombstones
 * (ids of removed files) into the table of a new generation, with graphs if it is large. Commits nothing to the
 * database.
 */
export async function mergeVectors(
  store: Store,
  folder: string,
  options: MergeOptions,
): Promise<MergedVectors> {
  const { space, generation } = options
  const { parts, dead, files } = store.consistently(() => ({
    parts: store.derived.of("vectors", space.id),
    dead: store.tombstones.all("vectors", space.id),
    files: store.vectors.fileIds(space.id),
  }))
  using base = openTable(folder, parts, space.dimensions, false)
  // Merging without the damaged base would lose its vectors unnoticed. The next run detects the damage.
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

/** The database rows of all graphs: those that are kept, and those that are built now. */
async function withGraphs(
  folder: string,
  table: DerivedRow,
  kept: readonly DerivedRow[],
  plan: GraphPlan,
  name: string,
  options: MergeOptions,
): Promise<DerivedRow[]> {
  const rows = plan.keep ? [...kept] : []
  if (plan.buildFrom === null) return rows
  const native = loadNative()
  if (native === null) return rows
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

type TableParts = {
  readonly space: SpaceRow
  readonly base: ExactIndex | null
  /** `count`: how many of the base's first rows this graph and the graphs before it contain. */
  readonly graphs: readonly { readonly count: number }[]
  readonly dead: readonly number[]
  /** Ids of the files whose delta rows are merged. */
  readonly files: readonly number[]
  /** Rows that were never stored as deltas, because they belong to a first index or to very many files at once. */
  readonly fresh?: Iterable<VectorsRow>
  readonly graphMinBytes?: number
}

/** Facts about the new table. `covered` contains the `count` of each graph in it. */
type TableFacts = {
  readonly count: number
  readonly searched: number
  readonly covered: readonly number[]
}

/** Number of files whose delta rows are read at a time. */
const PAGE_FILES = 64

/**
 * Writes the new table: first the rows of the base that are still valid, in their order, then deltas, then fresh rows.
 */
function writeTable(path: string, store: Store, parts: TableParts): TableFacts {
  const { space, base, graphs, dead, files, fresh = [] } = parts
  const writer = new FlatWriter(path, space.dimensions, parts.graphMinBytes)
  try {
    const replaced = new Set([...dead, ...files])
    const covered = base === null ? [] : copyLiveRows(base, writer, replaced, graphs)
    for (let at = 0; at < files.length; at += PAGE_FILES) {
      addRows(store.vectors.ofFiles(space.id, files.slice(at, at + PAGE_FILES)))
    }
    addRows(fresh)
    writer.finish()
    return { count: writer.count, searched: writer.searched, covered }
  } finally {
    writer.close()
  }

  function addRows(rows: Iterable<VectorsRow>): void {
    for (const row of rows) {
      const read = fromVectorsRow(row, space.dimensions)
      if (read !== null) addWaiting(read, writer)
    }
  }
}

/**
 * Copies the valid rows of the base in runs. For each graph, returns how many of the new table's first rows it and the
 * graphs before it contain.
 */
function copyLiveRows(
  base: ExactIndex,
  writer: FlatWriter,
  removed: ReadonlySet<number>,
  graphs: TableParts["graphs"],
): number[] {
  const { keys } = base.table
  const covered = graphs.map(() => 0)
  const limits = [...graphs.map((row) => row.count), base.table.searched, base.size]
  let row = 0
  for (const [i, limit] of limits.entries()) {
    while (row < limit) {
      const start = row
      while (row < limit && row - start < 1024 && !isGone(keys[row]!)) row++
      if (row > start) copyRun(base, writer, start, row)
      else row++
    }
    if (i < covered.length) covered[i] = writer.searched
  }
  return covered

  function isGone(key: number): boolean {
    return removed.has(Math.floor(key / CHUNK_KEY_STRIDE))
  }
}

function copyRun(base: ExactIndex, writer: FlatWriter, from: number, to: number): void {
  const { keys, chunks, fileVectors, searched, dimensions } = base.table
  const names = keys.subarray(from, to)
  if (from >= searched)
    writer.add(names, copyRows(fileVectors, from - searched, to - searched, packedBytes(dimensions)))
  else writer.add(names, copyRows(chunks, from, to, dimensions))
}

function addWaiting({ keys, searched, chunks, fileVectors }: PendingVectors, writer: FlatWriter): void {
  writer.add(keys.subarray(0, searched), chunks)
  writer.add(keys.subarray(searched), fileVectors)
}

/*
 * The vectors that one task has computed, file after file. For each file:
 *
 *   head      f64 × 3     file id, bytes of ordinals, bytes of rows
 *   ordinals  and rows, as in a row of the store
 *
 * It is written by one thread and read by another of the same run. The next sweep of the index folder removes it.
 */
const HEAD_BYTES = 24

/** Writes rows as they are produced. The file is complete when the returned promise is fulfilled. */
export async function writePart(path: string, rows: AsyncIterable<VectorsRow>): Promise<void> {
  const file = createFile(path)
  try {
    for await (const { fileId, ordinals, rows: bytes } of rows) {
      const head = Float64Array.of(fileId, ordinals.length, bytes.length)
      for (const part of [new Uint8Array(head.buffer), ordinals, bytes]) writeAll(file, part)
    }
  } finally {
    closeSync(file)
  }
}

/** Yields the rows of a file in order. Throws if the file ends in the middle of a row. */
export function* readRows(path: string): Generator<VectorsRow> {
  const file = openRegularFile(path)
  try {
    const head = new Float64Array(HEAD_BYTES / 8)
    while (readFully(file, new Uint8Array(head.buffer)) > 0) {
      const [fileId, ordinalBytes, rowBytes] = head as unknown as [number, number, number]
      const body = new Uint8Array(ordinalBytes + rowBytes)
      if (readFully(file, body) < body.length) throw new Error(`${path} is cut`)
      yield { fileId, ordinals: body.subarray(0, ordinalBytes), rows: body.subarray(ordinalBytes) }
    }
  } finally {
    closeSync(file)
  }
}

/** Fills `bytes` and returns the number of bytes read. The number is smaller only at the end of the file. */
function readFully(file: number, bytes: Uint8Array): number {
  let at = 0
  for (let read = -1; read !== 0 && at < bytes.length; at += read) {
    read = readSync(file, bytes, at, bytes.length - at, null)
  }
  return at
}
