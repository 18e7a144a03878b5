import type { SpaceRow } from "../store/spaces.ts"
import type { Store } from "../store/store.ts"
import type { VectorsRow } from "../store/vectors.ts"
import { fromVectorsRow, type Waiting } from "./delta.ts"
import type { ExactIndex } from "./exact.ts"
import { FlatWriter } from "./flat-writer.ts"
import { CHUNK_KEY_STRIDE, type Quantization } from "./port.ts"
import { decodeRows, WIDTH } from "./quantize.ts"
import { copyRows } from "./rows.ts"

export type TableParts = {
  readonly space: SpaceRow
  readonly quantization: Quantization
  readonly base: ExactIndex | null
  /** `count`: how many of the base's first rows a graph covers, with the graphs before it. */
  readonly graphs: readonly { readonly count: number }[]
  readonly dead: readonly number[]
  /** Those whose delta rows are taken in. */
  readonly files: readonly number[]
  /** Rows that were never deltas: of a first index, or of very many files at once. */
  readonly fresh?: Iterable<VectorsRow>
  readonly graphMinBytes?: number
}

/** `covered`: the graphs' counts in the new table. */
export type TableFacts = {
  readonly count: number
  readonly searched: number
  readonly covered: readonly number[]
}

/** Delta rows are read so many files at a time, base rows copied so many at a time. */
const PAGE_FILES = 64
const MOST_ROWS = 1024

/** The new table: what lives of the base in its order, then the deltas, then what is fresh. */
export function writeTable(path: string, store: Store, parts: TableParts): TableFacts {
  const { space, quantization, base, graphs, dead, files, fresh = [] } = parts
  const writer = new FlatWriter(path, space.dimensions, quantization, parts.graphMinBytes)
  try {
    const replaced = new Set([...dead, ...files])
    const covered = base === null ? [] : copyLiving(base, writer, replaced, quantization, graphs)
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
      if (read !== null) addWaiting(read, writer, space.dimensions, quantization)
    }
  }
}

/** Copies runs of living rows; answers how many of the new table's first rows each graph covers, with those before. */
function copyLiving(
  base: ExactIndex,
  writer: FlatWriter,
  gone: ReadonlySet<number>,
  quantization: Quantization,
  graphs: TableParts["graphs"],
): number[] {
  const { keys } = base.table
  const covered = graphs.map(() => 0)
  const limits = [...graphs.map((row) => row.count), base.table.searched, base.size]
  let row = 0
  for (const [i, limit] of limits.entries()) {
    while (row < limit) {
      const start = row
      while (row < limit && row - start < MOST_ROWS && !isGone(keys[row]!)) row++
      if (row > start) copyLivingRows(base, writer, start, row, quantization)
      else row++
    }
    if (i < covered.length) covered[i] = writer.searched
  }
  return covered

  function isGone(key: number): boolean {
    return gone.has(Math.floor(key / CHUNK_KEY_STRIDE))
  }
}

/** As they are, where their width is the new table's. */
function copyLivingRows(
  base: ExactIndex,
  writer: FlatWriter,
  from: number,
  to: number,
  quantization: Quantization,
): void {
  const { keys, chunks, views, searched, dimensions } = base.table
  const names = keys.subarray(from, to)
  if (from >= searched) writer.copy(names, copyRows(views, from - searched, to - searched, dimensions))
  else if (chunks.block.BYTES_PER_ELEMENT === WIDTH[quantization])
    writer.copy(names, copyRows(chunks, from, to, dimensions))
  else writer.add(names, base.read(from, to))
}

function addWaiting(
  { keys, searched, width, chunks, views }: Waiting,
  writer: FlatWriter,
  dimensions: number,
  quantization: Quantization,
): void {
  const names = keys.subarray(0, searched)
  if (width === WIDTH[quantization]) writer.copy(names, chunks)
  else writer.add(names, decodeRows(chunks, dimensions, width))
  writer.copy(keys.subarray(searched), views)
}
