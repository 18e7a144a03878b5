import {
  type CopyTarget,
  copyTargetOf,
  openRandomAccessFile,
  type RandomAccessFile,
} from "../../store/index.ts"
import { denseProducts } from "./products.ts"

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

/** The dot product of a query and the row that begins at `at`; divided by the row's length, it is the cosine. */
export function dot({ vector, places }: Probe, rows: Int8Array, at: number): number {
  if (places !== null) return sparse(vector, places, rows, at)
  return denseProducts(vector.length)?.dot(vector, rows, at) ?? plainDot(vector, rows, at)
}

/** The Euclidean length of a row. */
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
  rows: Int8Array,
  at: number,
  dimensions: number,
  out = new Float32Array(dimensions),
  to = 0,
): Float32Array {
  const length = lengthOf(rows, at, dimensions)
  const scale = length === 0 ? 0 : 1 / length
  for (let i = 0; i < dimensions; i++) out[to + i] = rows[at + i]! * scale
  return out
}

/** Like `dot`, but in JavaScript only, and without skipping the zeros of the query: .4 µs for 768 numbers. */
export function plainDot(vector: Float32Array, rows: Int8Array, at: number): number {
  let even = 0
  let odd = 0
  const pairs = vector.length & ~1
  for (let i = 0; i < pairs; i += 2) {
    even += vector[i]! * rows[at + i]!
    odd += vector[i + 1]! * rows[at + i + 1]!
  }
  return pairs === vector.length ? even + odd : even + odd + vector[pairs]! * rows[at + pairs]!
}

function sparse(vector: Float32Array, places: Uint16Array, rows: Int8Array, at: number): number {
  let sum = 0
  for (let i = 0; i < places.length; i++) sum += vector[places[i]!]! * rows[at + places[i]!]!
  return sum
}

/** Converts vectors to rows of integers, each scaled so that its largest number is ±127, which keeps the cosine. */
export function toScanRows(vectors: Float32Array, dimensions: number): Int8Array {
  const rows = new Int8Array(vectors.length)
  for (let at = 0; at < vectors.length; at += dimensions) quantizeRow(vectors, at, rows, dimensions)
  return rows
}

function quantizeRow(from: Float32Array, at: number, to: Int8Array, dimensions: number): void {
  let largest = 0
  for (let i = at; i < at + dimensions; i++) {
    const size = Math.abs(from[i]!)
    if (size > largest) largest = size
  }
  const scale = largest === 0 ? 0 : 127 / largest
  for (let i = at; i < at + dimensions; i++) {
    const value = from[i]! * scale
    // Rounds to the nearest integer. `|0` truncates towards zero, and takes a third of the time of Math.round.
    to[i] = (value < 0 ? value - 0.5 : value + 0.5) | 0
  }
}

/**
 * Numbers of a packed row that have a unit in common. Cosines of vectors of whole files and of their packed rows are .996
 * on average; with one unit a row .973, which costs .003 of NDCG in `semantic` mode.
 */
const BLOCK = 32
/** Largest multiple of the unit: a number takes 4 bits. */
const MULTIPLE = 7

/** Bytes of a packed row: the unit of each block, then two numbers in a byte, the first one in the lower half. */
export function packedBytes(dimensions: number): number {
  return Math.ceil(dimensions / BLOCK) + Math.ceil(dimensions / 2)
}

/** Packs rows, which halves them. Plain loops, because every file has three rows. */
export function packRows(rows: Int8Array, dimensions: number): Uint8Array {
  const bytes = packedBytes(dimensions)
  const packed = new Uint8Array((rows.length / dimensions) * bytes)
  for (let to = 0, at = 0; at < rows.length; to += bytes, at += dimensions) {
    const numbers = to + Math.ceil(dimensions / BLOCK)
    for (let from = 0; from < dimensions; from += BLOCK) {
      const end = Math.min(dimensions, from + BLOCK)
      let largest = 0
      for (let i = from; i < end; i++) largest = Math.max(largest, Math.abs(rows[at + i]!))
      if (largest === 0) continue
      // At most 18, so that a multiple of it fits into 8 bits.
      const unit = Math.min(18, Math.ceil(largest / MULTIPLE))
      packed[to + from / BLOCK] = unit
      for (let i = from; i < end; i++) {
        const multiple = Math.max(-MULTIPLE, Math.min(MULTIPLE, Math.round(rows[at + i]! / unit)))
        packed[numbers + (i >> 1)]! |= (multiple & 15) << ((i & 1) * 4)
      }
    }
  }
  return packed
}

/** Read access to rows, in memory or in a file. */
export type RowBlocks = {
  /**
   * Makes a row readable, and returns its position in `block`. A call may overwrite the block. `expected` is the number
   * of consecutive rows, from this one on, that will be read, if known.
   */
  seek(row: number, expected?: number): number
  readonly block: Int8Array
  /** Closes the file, if there is one. */
  close(): void
}

/** Access to rows that are in memory or in a mapped file. */
export function rowsInMemory(block: Int8Array, dimensions: number): RowBlocks {
  return { block, seek: (row) => row * dimensions, close: () => {} }
}

/** Access to packed rows, each of which is unpacked when it is read. */
export function unpackedRows(packed: RowBlocks, dimensions: number): RowBlocks {
  const block = new Int8Array(dimensions)
  const numbers = Math.ceil(dimensions / BLOCK)
  const seek = (row: number, expected?: number) => {
    const at = packed.seek(row, expected)
    for (let i = 0; i < dimensions; i++) {
      const pair = packed.block[at + numbers + (i >> 1)]!
      const multiple = (i & 1) === 0 ? (pair << 28) >> 28 : pair >> 4
      block[i] = multiple * packed.block[at + ((i / BLOCK) | 0)]!
    }
    return 0
  }
  return { block, seek, close: () => packed.close() }
}

export type RowsPlace = {
  readonly path: string
  readonly offset: number
  readonly count: number
  readonly rowBytes: number
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
  readonly block: Int8Array
  #from = 0
  #to = 0
  readonly #few: number
  /** Number of rows that are read ahead; it doubles during sequential reading. */
  #ahead = MIN_AHEAD_ROWS

  constructor(place: RowsPlace) {
    this.#place = place
    this.#file = openRandomAccessFile(place.path, place.isMapped)
    this.block = new Int8Array(MAX_ROWS * place.rowBytes)
    this.#target = copyTargetOf(new Uint8Array(this.block.buffer))
    this.#few = Math.max(MIN_AHEAD_ROWS, Math.floor(READ_BYTES / place.rowBytes))
  }

  seek(row: number, expected = 0): number {
    if (row < this.#from || row >= this.#to) this.#read(row, expected > 0 ? expected : this.#foreseen(row))
    return (row - this.#from) * this.#place.rowBytes
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
    const { offset, count, rowBytes } = this.#place
    this.#from = row
    this.#to = Math.min(count, row + Math.min(rows, MAX_ROWS))
    // The file was verified before it was opened. If bytes are missing, it was truncated since. Missing bytes read as
    // zeros, and a row of zeros is similar to nothing.
    this.#file.copy(offset + row * rowBytes, (this.#to - row) * rowBytes, this.#target, 0)
  }
}

/** A copy of the rows from `from` to `to`, one after the other. */
export function copyRows(rows: RowBlocks, from: number, to: number, rowBytes: number): Int8Array {
  const out = new Int8Array((to - from) * rowBytes)
  for (let row = from; row < to; row++) {
    const at = rows.seek(row)
    out.set(rows.block.subarray(at, at + rowBytes), (row - from) * rowBytes)
  }
  return out
}
