import {
  type CopyTarget,
  copyTargetOf,
  openRandomAccessFile,
  type RandomAccessFile,
} from "../../store/derived/random-access-file.ts"
import type { StoredRows } from "./cosine.ts"

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
  readonly width: 1 | 2 | 4
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
  const width = rows.block.BYTES_PER_ELEMENT
  const length = (to - from) * dimensions
  const out = storedRows(new ArrayBuffer(length * width), 0, width, length)
  for (let row = from; row < to; row++) {
    const at = rows.seek(row)
    out.set(rows.block.subarray(at, at + dimensions), (row - from) * dimensions)
  }
  return out
}

export function storedRows(buffer: ArrayBufferLike, at: number, width: number, length: number): StoredRows {
  if (width === 1) return new Int8Array(buffer, at, length)
  return width === 2 ? new Uint16Array(buffer, at, length) : new Float32Array(buffer, at, length)
}
