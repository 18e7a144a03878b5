import type { VectorsRow } from "../store/vectors.ts"
import type { Table } from "./exact.ts"
import { CHUNK_KEY_STRIDE, type Quantization } from "./port.ts"
import { decodeRows, encodeRows, toScanRows } from "./quantize.ts"
import { isView } from "./views.ts"

/** A file's vectors as a row of the store; `vectors` end to end, one for each ordinal. */
export function toVectorsRow(
  fileId: number,
  ordinals: readonly number[],
  vectors: Float32Array,
  options: { readonly dimensions: number; readonly quantization: Quantization },
): VectorsRow {
  return {
    fileId,
    ordinals: new Uint8Array(Uint16Array.from(ordinals).buffer),
    rows: encodeRows(vectors, options.dimensions, options.quantization),
  }
}

/** The keys and vectors of such a row, or null where it does not hold what it should. */
export function fromVectorsRow(
  row: VectorsRow,
  dimensions: number,
): { readonly keys: Float64Array; readonly vectors: Float32Array } | null {
  const ordinals = new Uint16Array(row.ordinals.slice().buffer)
  // The width is not stored: rows written under another setting remain readable.
  const width = row.rows.length / (ordinals.length * dimensions)
  if (width !== 1 && width !== 2 && width !== 4) return null
  const keys = Float64Array.from(ordinals, (ordinal) => row.fileId * CHUNK_KEY_STRIDE + ordinal)
  return { keys, vectors: decodeRows(row.rows, dimensions, width) }
}

/**
 * Delta rows as a table in memory. Only as i8, whatever the store keeps: a reader holds them privately, and the
 * precision lost (.0003 of a cosine) returns when they are folded.
 */
export function deltaTable(rows: readonly VectorsRow[], dimensions: number): Table {
  const parts = rows.flatMap((row) => fromVectorsRow(row, dimensions) ?? [])
  const count = parts.reduce((sum, part) => sum + part.keys.length, 0)
  const keys = new Float64Array(count)
  const scan = new Int8Array(count * dimensions)
  // Chunks from the front, views from the back.
  let searched = 0
  let views = count
  for (const part of parts) {
    const own = toScanRows(part.vectors, dimensions)
    for (const [i, key] of part.keys.entries()) {
      const row = isView(key) ? --views : searched++
      keys[row] = key
      scan.set(own.subarray(i * dimensions, (i + 1) * dimensions), row * dimensions)
    }
  }
  const order = Uint32Array.from(keys, (_, row) => row).sort((a, b) => keys[a]! - keys[b]!)
  return { dimensions, keys, searched, order, scan, stored: scan }
}
