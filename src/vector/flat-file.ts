import type { StoredRows } from "./cosine.ts"
import type { Table } from "./exact.ts"

/*
 * One file of vectors, little-endian, each part on a multiple of 8 bytes:
 *
 *   scan    i8 × dimensions × count     chunks, then views; first, because usearch scans from the start of a buffer
 *   stored  f16 or f32, the same shape  absent where vectors are kept as i8
 *   keys    f64 × count                 chunk keys, in the order of the rows
 *   order   u32 × count                 row numbers by ascending key
 *   footer  u32 × 8                     magic, format, dimensions, width, count, searched, 0, 0
 */
const MAGIC = 0x564e_4d41 // "AMNV"
const FORMAT = 2
export const FOOTER_BYTES = 32

/** The table in a file's bytes, or null where they are not one of these dimensions. */
export function readFlat(bytes: Uint8Array, dimensions: number): Table | null {
  if (bytes.length < FOOTER_BYTES || bytes.length % 8 !== 0) return null
  const { buffer, byteOffset } = bytes
  const footer = new Uint32Array(buffer, byteOffset + bytes.length - FOOTER_BYTES, FOOTER_BYTES / 4)
  const [magic, format, stored, width, count, searched] = [...footer] as [
    number,
    number,
    number,
    number,
    number,
    number,
  ]
  if (magic !== MAGIC || format !== FORMAT || stored !== dimensions) return null
  const at = layout(dimensions, width, count)
  if (at.end !== bytes.length || searched > count) return null
  const scan = new Int8Array(buffer, byteOffset, count * dimensions)
  return {
    dimensions,
    scan,
    stored: width === 1 ? scan : storedRows(buffer, byteOffset + at.stored, width, count * dimensions),
    searched,
    keys: new Float64Array(buffer, byteOffset + at.keys, count),
    order: new Uint32Array(buffer, byteOffset + at.order, count),
  }
}

/** The end of a file. */
export function footer(dimensions: number, width: number, count: number, searched: number): Uint32Array {
  return Uint32Array.of(MAGIC, FORMAT, dimensions, width, count, searched, 0, 0)
}

/** Where the parts begin, in bytes. */
export function layout(dimensions: number, width: number, count: number) {
  const stored = align(count * dimensions)
  const keys = align(stored + (width === 1 ? 0 : count * dimensions * width))
  const order = keys + count * 8
  return { stored, keys, order, end: align(order + count * 4) + FOOTER_BYTES }
}

function storedRows(buffer: ArrayBufferLike, at: number, width: number, length: number): StoredRows {
  return width === 2 ? new Uint16Array(buffer, at, length) : new Float32Array(buffer, at, length)
}

function align(bytes: number): number {
  return Math.ceil(bytes / 8) * 8
}
