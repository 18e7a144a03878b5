import { readRow } from "./cosine.ts"
import type { Quantization } from "./port.ts"
import { storedRows } from "./rows.ts"

/** Bytes of a stored number. */
export const WIDTH = { f32: 4, f16: 2, i8: 1 } as const satisfies Readonly<Record<Quantization, number>>

export type Width = (typeof WIDTH)[Quantization]

/** The scan's form of rows: each scaled so that its largest number is ±127; cosine does not see the scale. */
export function toScanRows(vectors: Float32Array, dimensions: number): Int8Array {
  const rows = new Int8Array(vectors.length)
  for (let at = 0; at < vectors.length; at += dimensions) quantizeRow(vectors, at, rows, at, dimensions)
  return rows
}

/** Rows as they are stored: little-endian f32 or f16, or the scan's own i8. */
export function encodeRows(vectors: Float32Array, dimensions: number, width: Width): Uint8Array {
  if (width === 1) return bytesOf(toScanRows(vectors, dimensions))
  return bytesOf(width === 2 ? new Float16Array(vectors) : vectors)
}

/** The other way; every row comes back with length 1. */
export function decodeRows(bytes: Uint8Array, dimensions: number, width: Width): Float32Array {
  const rows = alignedRows(bytes, width)
  const vectors = new Float32Array(rows.length)
  for (let at = 0; at < rows.length; at += dimensions) readRow(rows, at, dimensions, vectors, at)
  return vectors
}

/** Bytes as the numbers they hold; a copy, because rows from the database lie at any offset. */
export function alignedRows(bytes: Uint8Array, width: Width) {
  return storedRows(bytes.slice().buffer, 0, width, Math.floor(bytes.length / width))
}

function quantizeRow(from: Float32Array, at: number, to: Int8Array, toAt: number, dimensions: number): void {
  let largest = 0
  for (let i = 0; i < dimensions; i++) {
    const size = Math.abs(from[at + i]!)
    if (size > largest) largest = size
  }
  const scale = largest === 0 ? 0 : 127 / largest
  for (let i = 0; i < dimensions; i++) {
    const value = from[at + i]! * scale
    // Rounds to the nearest; `|0` cuts towards zero and is a third of Math.round's time.
    to[toAt + i] = (value < 0 ? value - 0.5 : value + 0.5) | 0
  }
}

function bytesOf(array: Int8Array | Float32Array | Float16Array): Uint8Array {
  return new Uint8Array(array.buffer, array.byteOffset, array.byteLength)
}
