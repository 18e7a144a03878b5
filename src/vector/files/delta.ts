import type { SpaceRow } from "../../store/index/spaces.ts"
import type { Store } from "../../store/index/store.ts"
import type { VectorsRow } from "../../store/index/vectors.ts"
import type { StoredRows } from "../exact/cosine.ts"
import type { VectorTable } from "../exact/exact.ts"
import { alignedRows, decodeRows, encodeRows, toScanRows, WIDTH, type Width } from "../exact/quantize.ts"
import { rowsInMemory, storedRows } from "../exact/rows.ts"
import { CHUNK_KEY_STRIDE, isFileVector, type Quantization } from "../port.ts"
import { openTable } from "./base.ts"

/**
 * The vectors of a file that are not merged yet: those of its chunks, then those of the whole file. They are encoded as
 * in a table.
 */
export type PendingVectors = {
  readonly keys: Float64Array
  /** Number of keys that belong to chunks. */
  readonly searched: number
  readonly width: Width
  readonly chunks: Uint8Array
  readonly fileVectors: Uint8Array
}

/**
 * Encodes the vectors of a file as a row of the database. `vectors` has one vector for each ordinal, with those of the
 * whole file last.
 */
export function toVectorsRow(
  fileId: number,
  ordinals: readonly number[],
  vectors: Float32Array,
  options: { readonly dimensions: number; readonly quantization: Quantization },
): VectorsRow {
  const { dimensions, quantization } = options
  const split = ordinals.filter((ordinal) => !isFileVector(ordinal)).length * dimensions
  const chunks = encodeRows(vectors.subarray(0, split), dimensions, WIDTH[quantization])
  const fileVectors = encodeRows(vectors.subarray(split), dimensions, WIDTH.i8)
  return {
    fileId,
    ordinals: new Uint8Array(Uint16Array.from(ordinals).buffer),
    rows: Buffer.concat([chunks, fileVectors]),
  }
}

/** Decodes such a row; null if its sizes are inconsistent. */
export function fromVectorsRow(row: VectorsRow, dimensions: number): PendingVectors | null {
  if (row.ordinals.length % 2 !== 0) return null
  const ordinals = new Uint16Array(row.ordinals.slice().buffer)
  const keys = Float64Array.from(ordinals, (ordinal) => row.fileId * CHUNK_KEY_STRIDE + ordinal)
  const searched = ordinals.findLastIndex((ordinal) => !isFileVector(ordinal)) + 1
  // The number of bytes per number is not stored but computed, so that rows written with another setting stay readable.
  const split = row.rows.length - (ordinals.length - searched) * dimensions
  const width = searched === 0 ? WIDTH.i8 : split / (searched * dimensions)
  if (split < 0 || (width !== 1 && width !== 2 && width !== 4)) return null
  return { keys, searched, width, chunks: row.rows.subarray(0, split), fileVectors: row.rows.subarray(split) }
}

/** The delta rows as a table in memory. Scores are the same as after the merge. */
export function deltaTable(rows: readonly VectorsRow[], dimensions: number): VectorTable {
  const parts = rows.flatMap((row) => fromVectorsRow(row, dimensions) ?? [])
  const width = Math.max(WIDTH.i8, ...parts.map((part) => part.width)) as Width
  const searched = parts.reduce((sum, part) => sum + part.searched, 0)
  const count = parts.reduce((sum, part) => sum + part.keys.length, 0)
  const keys = new Float64Array(count)
  const scan = new Int8Array(searched * dimensions)
  const chunks =
    width === 1
      ? scan
      : storedRows(new ArrayBuffer(searched * dimensions * width), 0, width, searched * dimensions)
  const fileVectors = new Int8Array((count - searched) * dimensions)
  let chunk = 0
  let copied = 0
  for (const part of parts) {
    keys.set(part.keys.subarray(0, part.searched), chunk)
    keys.set(part.keys.subarray(part.searched), searched + copied)
    const vectors = decodeRows(part.chunks, dimensions, part.width)
    if (width > 1) scan.set(toScanRows(vectors, dimensions), chunk * dimensions)
    chunks.set(rowsOfWidth(part, vectors, width, dimensions), chunk * dimensions)
    fileVectors.set(alignedRows(part.fileVectors, WIDTH.i8), copied * dimensions)
    chunk += part.searched
    copied += part.keys.length - part.searched
  }
  const order = Uint32Array.from(keys, (_, row) => row).sort((a, b) => keys[a]! - keys[b]!)
  return {
    dimensions,
    keys,
    searched,
    order,
    scan,
    chunks: rowsInMemory(chunks, dimensions),
    fileVectors: rowsInMemory(fileVectors, dimensions),
  }
}

/**
 * The rows of a part, converted to the width of the table, because deltas may have been written with different
 * settings.
 */
function rowsOfWidth(
  part: PendingVectors,
  vectors: Float32Array,
  width: Width,
  dimensions: number,
): StoredRows {
  const bytes = part.width === width ? part.chunks : encodeRows(vectors, dimensions, width)
  return alignedRows(bytes, width)
}

/**
 * Ids of the files that have vectors in a space, merged or not. The vectors of a base that cannot be used do not count.
 */
export function embeddedFiles(store: Store, folder: string, space: SpaceRow): Set<number> {
  const { parts, deltas } = store.consistently(() => ({
    parts: store.derived.of("vectors", space.id),
    deltas: store.vectors.fileIds(space.id),
  }))
  const files = new Set(deltas)
  using index = openTable(folder, parts, space.dimensions)
  const keys = index?.table.keys ?? new Float64Array()
  // The keys of one file mostly follow each other.
  let last = -1
  for (let i = 0; i < keys.length; i++) {
    const file = Math.floor(keys[i]! / CHUNK_KEY_STRIDE)
    if (file !== last) files.add(file)
    last = file
  }
  return files
}
