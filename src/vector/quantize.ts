import type { Quantization } from "./port.ts"

/** Bytes of a stored number. */
export const WIDTH: Readonly<Record<Quantization, 1 | 2 | 4>> = { f32: 4, f16: 2, i8: 1 }

/** The scan's form of rows: each scaled so that its largest number is ±127; cosine does not see the scale. */
export function toScanRows(vectors: Float32Array, dimensions: number): Int8Array {
  const rows = new Int8Array(vectors.length)
  for (let at = 0; at < vectors.length; at += dimensions) quantizeRow(vectors, at, rows, at, dimensions)
  return rows
}

/** Rows as they are stored: little-endian f32 or f16, or the scan's own i8. */
export function encodeRows(
  vectors: Float32Array,
  dimensions: number,
  quantization: Quantization,
): Uint8Array {
  if (quantization === "i8") return bytesOf(toScanRows(vectors, dimensions))
  return bytesOf(quantization === "f16" ? new Float16Array(vectors) : vectors)
}

/** The other way; an i8 row comes back with length 1. */
export function decodeRows(bytes: Uint8Array, dimensions: number, width: number): Float32Array {
  if (width === 1) {
    const vectors = new Float32Array(bytes.length)
    for (let at = 0; at < bytes.length; at += dimensions) unit(bytes, at, vectors, dimensions)
    return vectors
  }
  // A copy: rows from the database lie at any offset.
  const buffer = bytes.slice().buffer
  return width === 2 ? new Float32Array(new Float16Array(buffer)) : new Float32Array(buffer)
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

function unit(bytes: Uint8Array, at: number, out: Float32Array, dimensions: number): void {
  let squares = 0
  for (let i = at; i < at + dimensions; i++) {
    const value = (bytes[i]! << 24) >> 24
    out[i] = value
    squares += value * value
  }
  const scale = squares === 0 ? 0 : 1 / Math.sqrt(squares)
  for (let i = at; i < at + dimensions; i++) out[i] = out[i]! * scale
}

function bytesOf(array: Int8Array | Float32Array | Float16Array): Uint8Array {
  return new Uint8Array(array.buffer, array.byteOffset, array.byteLength)
}
