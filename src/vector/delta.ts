import type { VectorsRow } from "../store/vectors.ts"
import type { StoredRows } from "./cosine.ts"
import type { Table } from "./exact.ts"
import { CHUNK_KEY_STRIDE, type Quantization } from "./port.ts"
import { alignedRows, decodeRows, encodeRows, toScanRows, WIDTH, type Width } from "./quantize.ts"
import { rowsInMemory, storedRows } from "./rows.ts"
import { isView } from "./views.ts"

/** A file's vectors that wait: chunks first, then views, each in the bytes that a table would have. */
export type Waiting = {
  readonly keys: Float64Array
  /** How many of them are chunks. */
  readonly searched: number
  readonly width: Width
  readonly chunks: Uint8Array
  readonly views: Uint8Array
}

/** A file's vectors as a row of the store; `vectors` end to end, one for each ordinal, views last. */
export function toVectorsRow(
  fileId: number,
  ordinals: readonly number[],
  vectors: Float32Array,
  options: { readonly dimensions: number; readonly quantization: Quantization },
): VectorsRow {
  const { dimensions, quantization } = options
  const split = ordinals.filter((ordinal) => !isView(ordinal)).length * dimensions
  const chunks = encodeRows(vectors.subarray(0, split), dimensions, WIDTH[quantization])
  const views = encodeRows(vectors.subarray(split), dimensions, WIDTH.i8)
  return {
    fileId,
    ordinals: new Uint8Array(Uint16Array.from(ordinals).buffer),
    rows: Buffer.concat([chunks, views]),
  }
}

/** What such a row holds, or null where it does not hold what it should. */
export function fromVectorsRow(row: VectorsRow, dimensions: number): Waiting | null {
  const ordinals = new Uint16Array(row.ordinals.slice().buffer)
  const keys = Float64Array.from(ordinals, (ordinal) => row.fileId * CHUNK_KEY_STRIDE + ordinal)
  const searched = ordinals.findLastIndex((ordinal) => !isView(ordinal)) + 1
  // The width is not stored: rows written under another setting remain readable.
  const split = row.rows.length - (ordinals.length - searched) * dimensions
  const width = searched === 0 ? WIDTH.i8 : split / (searched * dimensions)
  if (split < 0 || (width !== 1 && width !== 2 && width !== 4)) return null
  return { keys, searched, width, chunks: row.rows.subarray(0, split), views: row.rows.subarray(split) }
}

/** Delta rows as a table in memory: what waits scores as it will when it is folded. */
export function deltaTable(rows: readonly VectorsRow[], dimensions: number): Table {
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
  const views = new Int8Array((count - searched) * dimensions)
  let chunk = 0
  let view = 0
  for (const part of parts) {
    keys.set(part.keys.subarray(0, part.searched), chunk)
    keys.set(part.keys.subarray(part.searched), searched + view)
    const vectors = decodeRows(part.chunks, dimensions, part.width)
    if (width > 1) scan.set(toScanRows(vectors, dimensions), chunk * dimensions)
    chunks.set(rowsOfWidth(part, vectors, width, dimensions), chunk * dimensions)
    views.set(alignedRows(part.views, WIDTH.i8), view * dimensions)
    chunk += part.searched
    view += part.keys.length - part.searched
  }
  const order = Uint32Array.from(keys, (_, row) => row).sort((a, b) => keys[a]! - keys[b]!)
  return {
    dimensions,
    keys,
    searched,
    order,
    scan,
    chunks: rowsInMemory(chunks, dimensions),
    views: rowsInMemory(views, dimensions),
  }
}

/** Rows written under different settings wait together until they are folded. */
function rowsOfWidth(part: Waiting, vectors: Float32Array, width: Width, dimensions: number): StoredRows {
  const bytes = part.width === width ? part.chunks : encodeRows(vectors, dimensions, width)
  return alignedRows(bytes, width)
}
