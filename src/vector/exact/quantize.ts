import type { Quantization } from "../port.ts"
import { readRow } from "./cosine.ts"
import { storedRows } from "./rows.ts"

/** Number of bytes per stored number. */
export const WIDTH = { f32: 4, f16: 2, i8: 1 } as const satisfies Readonly<Record<Quantization, number>>

export type Width = (typeof WIDTH)[Quantization]

/**
 * Converts rows to i8 for the scan. Each row is scaled so that its largest number becomes ±127; scaling does not change
 * the cosine.
 */
export function toScanRows(vectors: Float32Array, dimensions: number): Int8Array {
  const rows = new Int8Array(vectors.length)
  for (let at = 0; at < vectors.length; at += dimensions) quantizeRow(vectors, at, rows, at, dimensions)
  return rows
}

/** Encodes rows for storage: as f32 or f16, little-endian, or as i8, scaled as `toScanRows` scales them. */
export function encodeRows(vectors: Float32Array, dimensions: number, width: Width): Uint8Array {
  if (width === 1) return rawBytes(toScanRows(vectors, dimensions))
  return rawBytes(width === 2 ? new Float16Array(vectors) : vectors)
}

/** Decodes stored rows, and scales every row to length 1. */
export function decodeRows(bytes: Uint8Array, dimensions: number, width: Width): Float32Array {
  const rows = alignedRows(bytes, width)
  const vectors = new Float32Array(rows.length)
  for (let at = 0; at < rows.length; at += dimensions) readRow(rows, at, dimensions, vectors, at)
  return vectors
}

/** The bytes as a typed array. They are copied, because rows from the database may be unaligned. */
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
    // Rounds to the nearest integer. `|0` truncates towards zero, and takes a third of the time of Math.round.
    to[toAt + i] = (value < 0 ? value - 0.5 : value + 0.5) | 0
  }
}

function rawBytes(array: Int8Array | Float32Array | Float16Array): Uint8Array {
  return new Uint8Array(array.buffer, array.byteOffset, array.byteLength)
}
