import { denseProducts } from "./dense-products.ts"

/** Stored rows. The array type depends on the bytes per number: 1 (i8), 2 (f16, as bits) or 4 (f32). */
export type StoredRows = Int8Array | Uint16Array | Float32Array

/** A query vector of length 1, prepared for comparison with many rows. */
export type Probe = {
  readonly vector: Float32Array
  /**
   * Positions of the non-zero numbers, if there are few; otherwise null. In vectors of hashed words, nine tenths are
   * zero.
   */
  readonly places: Uint16Array | null
}

/** If more than this share of the numbers is non-zero, skipping the zeros costs more than it saves. */
const SPARSE = 0.25

/**
 * Prepares a query vector; null if it is all zeros or not finite, so that it has no direction. The array must not be
 * modified afterwards: the result for it is kept, because a question about many repositories asks each with the same.
 */
export function probeOf(query: Float32Array): Probe | null {
  if (lastProbe?.query !== query) lastProbe = { query, probe: newProbe(query) }
  return lastProbe.probe
}

let lastProbe: { readonly query: Float32Array; readonly probe: Probe | null } | undefined

function newProbe(query: Float32Array): Probe | null {
  let squares = 0
  let filled = 0
  for (let i = 0; i < query.length; i++) {
    squares += query[i]! * query[i]!
    if (query[i] !== 0) filled++
  }
  if (squares === 0 || !Number.isFinite(squares)) return null
  const scale = 1 / Math.sqrt(squares)
  const vector = new Float32Array(query.length)
  for (let i = 0; i < vector.length; i++) vector[i] = query[i]! * scale
  return { vector, places: filled <= vector.length * SPARSE ? filledPlaces(vector) : null }
}

function filledPlaces(vector: Float32Array): Uint16Array {
  const places: number[] = []
  for (let i = 0; i < vector.length; i++) if (vector[i] !== 0) places.push(i)
  return Uint16Array.from(places)
}

/** The dot product of a query and the row that begins at `at`. If the row has length 1, this is the cosine. */
export function dot({ vector, places }: Probe, rows: StoredRows, at: number): number {
  if (places !== null)
    return rows instanceof Uint16Array
      ? sparseHalves(vector, places, rows, at)
      : sparse(vector, places, rows, at)
  const products = rows instanceof Float32Array ? null : denseProducts(vector.length)
  if (products !== null) return products.dot(vector, rows as Int8Array | Uint16Array, at)
  return plainDot(vector, rows, at)
}

/** Like `dot`, but in JavaScript only, and without skipping the zeros of the query. */
export function plainDot(vector: Float32Array, rows: StoredRows, at: number): number {
  return rows instanceof Uint16Array ? denseHalves(vector, rows, at) : dense(vector, rows, at)
}

/** The Euclidean length of an i8 row. Rows of f16 and f32 have length 1. */
export function lengthOf(rows: Int8Array, at: number, dimensions: number): number {
  const products = denseProducts(dimensions)
  return products?.lengthOf(rows, at, dimensions) ?? plainLengthOf(rows, at, dimensions)
}

export function plainLengthOf(rows: Int8Array, at: number, dimensions: number): number {
  const end = at + dimensions
  let squares = 0
  let i = at
  for (; i + 3 < end; i += 4) {
    const a = rows[i]!
    const b = rows[i + 1]!
    const c = rows[i + 2]!
    const d = rows[i + 3]!
    squares += a * a + b * b + c * c + d * d
  }
  for (; i < end; i++) squares += rows[i]! * rows[i]!
  return Math.sqrt(squares)
}

/** Reads a row as f32, scales it to length 1, and writes it to `out` at position `to`. */
export function readRow(
  rows: StoredRows,
  at: number,
  dimensions: number,
  out = new Float32Array(dimensions),
  to = 0,
): Float32Array {
  const values = rows instanceof Uint16Array ? halves() : null
  let squares = 0
  for (let i = 0; i < dimensions; i++) {
    const value = values === null ? rows[at + i]! : values[rows[at + i]!]!
    out[to + i] = value
    squares += value * value
  }
  const scale = squares === 0 ? 0 : 1 / Math.sqrt(squares)
  for (let i = to; i < to + dimensions; i++) out[i] = out[i]! * scale
  return out
}

// There are four loops instead of one with a callback, so that each is compiled for its array types. For 768 numbers, a
// loop takes 0.4 µs.

function dense(vector: Float32Array, rows: Int8Array | Float32Array, at: number): number {
  let even = 0
  let odd = 0
  const pairs = vector.length & ~1
  for (let i = 0; i < pairs; i += 2) {
    even += vector[i]! * rows[at + i]!
    odd += vector[i + 1]! * rows[at + i + 1]!
  }
  return pairs === vector.length ? even + odd : even + odd + vector[pairs]! * rows[at + pairs]!
}

/**
 * Multiplies with an f16 row. Its numbers are decoded with a table of all 65,536 values, because reading a Float16Array
 * takes fifteen times as long.
 */
function denseHalves(vector: Float32Array, rows: Uint16Array, at: number): number {
  const values = halves()
  let even = 0
  let odd = 0
  const pairs = vector.length & ~1
  for (let i = 0; i < pairs; i += 2) {
    even += vector[i]! * values[rows[at + i]!]!
    odd += vector[i + 1]! * values[rows[at + i + 1]!]!
  }
  return pairs === vector.length ? even + odd : even + odd + vector[pairs]! * values[rows[at + pairs]!]!
}

function sparse(
  vector: Float32Array,
  places: Uint16Array,
  rows: Int8Array | Float32Array,
  at: number,
): number {
  let sum = 0
  for (let i = 0; i < places.length; i++) sum += vector[places[i]!]! * rows[at + places[i]!]!
  return sum
}

function sparseHalves(vector: Float32Array, places: Uint16Array, rows: Uint16Array, at: number): number {
  const values = halves()
  let sum = 0
  for (let i = 0; i < places.length; i++) sum += vector[places[i]!]! * values[rows[at + places[i]!]!]!
  return sum
}

let table: Float32Array | undefined

function halves(): Float32Array {
  table ??= allHalves()
  return table
}

/**
 * The table of all f16 values. It is filled in pairs and without a callback, which takes 1 ms instead of 5 ms in a new
 * process.
 */
function allHalves(): Float32Array {
  const pairs = new Uint32Array(32_768)
  for (let i = 0; i < pairs.length; i++) pairs[i] = (2 * i + 1) * 0x1_0000 + 2 * i
  return new Float32Array(new Float16Array(pairs.buffer))
}
