import {
  type CopyTarget,
  copyTargetOf,
  openRandomAccessFile,
  type RandomAccessFile,
} from "../../store/index.ts"
import { denseProducts } from "./products.ts"

/** Stored rows: i8, or f16 as bits. */
export type StoredRows = Int8Array | Uint16Array

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
  const products = denseProducts(vector.length)
  if (products !== null) return products.dot(vector, rows, at)
  return plainDot(vector, rows, at)
}

/** Like `dot`, but in JavaScript only, and without skipping the zeros of the query. */
export function plainDot(vector: Float32Array, rows: StoredRows, at: number): number {
  return rows instanceof Uint16Array ? denseHalves(vector, rows, at) : dense(vector, rows, at)
}

/** The Euclidean length of an i8 row. Rows of f16 have length 1. */
export function lengthOf(rows: Int8Array, at: number, dimensions: number): number {
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

function dense(vector: Float32Array, rows: Int8Array, at: number): number {
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

function sparse(vector: Float32Array, places: Uint16Array, rows: Int8Array, at: number): number {
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

/** Number of bytes per stored number. */
export const WIDTH = { f16: 2, i8: 1 } as const

export type Width = 1 | 2

/**
 * Converts rows to i8 for the scan. Each row is scaled so that its largest number becomes ±127; scaling does not change
 * the cosine.
 */
export function toScanRows(vectors: Float32Array, dimensions: number): Int8Array {
  const rows = new Int8Array(vectors.length)
  for (let at = 0; at < vectors.length; at += dimensions) quantizeRow(vectors, at, rows, at, dimensions)
  return rows
}

/** Encodes rows for storage: as f16, little-endian, or as i8, scaled as `toScanRows` scales them. */
export function encodeRows(vectors: Float32Array, dimensions: number, width: Width): Uint8Array {
  if (width === 1) return rawBytes(toScanRows(vectors, dimensions))
  return rawBytes(new Float16Array(vectors))
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

function rawBytes(array: Int8Array | Float16Array): Uint8Array {
  return new Uint8Array(array.buffer, array.byteOffset, array.byteLength)
}

/** Read access to rows of one width, in memory or in a file. */
export type RowBlocks = {
  /**
   * Makes a row readable, and returns its position in `block`. A call may overwrite the block. `expected` is the number
   * of consecutive rows, from this one on, that will be read, if known.
   */
  seek(row: number, expected?: number): number
  readonly block: StoredRows
  /** Closes the file, if there is one. */
  close(): void
}

/** Access to rows that are in memory or in a mapped file. */
export function rowsInMemory(block: StoredRows, dimensions: number): RowBlocks {
  return { block, seek: (row) => row * dimensions, close: () => {} }
}

export type RowsPlace = {
  readonly path: string
  readonly offset: number
  readonly count: number
  readonly dimensions: number
  readonly width: Width
  /**
   * True to map the rows into memory. Pages that were read then count as memory of the process, and many queries read
   * all of them.
   */
  readonly isMapped: boolean
}

/**
 * Number of bytes of one read: usually enough for most chunks of a file, which are stored together and requested
 * together.
 */
const READ_BYTES = 4096
const MIN_AHEAD_ROWS = 4
const MAX_ROWS = 256
/** If a requested row is at most this far after the rows that were just read, it counts as sequential reading. */
const NEAR_ROWS = 16

/**
 * Rows that are copied out of their file on request (1.5 to 4 µs for 4 KiB). Mapping the file would be much faster, but
 * a few dozen queries read every page of a large table, and mapped pages that were read count as memory of the process.
 */
export class RowsInFile implements RowBlocks {
  readonly #place: RowsPlace
  readonly #file: RandomAccessFile
  readonly #target: CopyTarget
  readonly block: StoredRows
  #from = 0
  #to = 0
  readonly #few: number
  /** Number of rows that are read ahead; it doubles during sequential reading. */
  #ahead = MIN_AHEAD_ROWS

  constructor(place: RowsPlace) {
    this.#place = place
    this.#file = openRandomAccessFile(place.path, place.isMapped)
    const buffer = new ArrayBuffer(MAX_ROWS * place.dimensions * place.width)
    this.#target = copyTargetOf(new Uint8Array(buffer))
    this.#few = Math.max(MIN_AHEAD_ROWS, Math.floor(READ_BYTES / (place.dimensions * place.width)))
    this.block = storedRows(buffer, 0, place.width, MAX_ROWS * place.dimensions)
  }

  seek(row: number, expected = 0): number {
    if (row < this.#from || row >= this.#to) this.#read(row, expected > 0 ? expected : this.#foreseen(row))
    return (row - this.#from) * this.#place.dimensions
  }

  close(): void {
    this.#file[Symbol.dispose]()
  }

  #foreseen(row: number): number {
    const isNear = row >= this.#to && row < this.#to + NEAR_ROWS
    this.#ahead = isNear ? Math.min(MAX_ROWS, this.#ahead * 2) : this.#few
    return this.#ahead
  }

  #read(row: number, rows: number): void {
    const { offset, count, dimensions, width } = this.#place
    const rowBytes = dimensions * width
    this.#from = row
    this.#to = Math.min(count, row + Math.min(rows, MAX_ROWS))
    // The file was verified before it was opened. If bytes are missing, it was truncated since. Missing bytes read as
    // zeros, and a row of zeros is similar to nothing.
    this.#file.copy(offset + row * rowBytes, (this.#to - row) * rowBytes, this.#target, 0)
  }
}

/** Copies the rows from `from` to `to` in stored form, one after the other. */
export function copyRows(rows: RowBlocks, from: number, to: number, dimensions: number): StoredRows {
  const width = rows.block instanceof Int8Array ? WIDTH.i8 : WIDTH.f16
  const length = (to - from) * dimensions
  const out = storedRows(new ArrayBuffer(length * width), 0, width, length)
  for (let row = from; row < to; row++) {
    const at = rows.seek(row)
    out.set(rows.block.subarray(at, at + dimensions), (row - from) * dimensions)
  }
  return out
}

export function storedRows(buffer: ArrayBufferLike, at: number, width: Width, length: number): StoredRows {
  return width === 1 ? new Int8Array(buffer, at, length) : new Uint16Array(buffer, at, length)
}
