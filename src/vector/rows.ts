import { type FileView, openFileView, type Room, roomOf } from "../store/file-view.ts"
import type { StoredRows } from "./cosine.ts"

/** Rows of one width, wherever they lie. */
export type Rows = {
  /**
   * Where a row begins in `block`, which a call may replace. So many rows from this one on are `wanted`, where that is
   * known.
   */
  seek(row: number, wanted?: number): number
  readonly block: StoredRows
  /** What of the file is held open. */
  close(): void
}

/** Rows in memory, or in a mapped file. */
export function rowsInMemory(block: StoredRows, dimensions: number): Rows {
  return { block, seek: (row) => row * dimensions, close: () => {} }
}

export type RowsPlace = {
  readonly path: string
  readonly offset: number
  readonly count: number
  readonly dimensions: number
  readonly width: 1 | 2 | 4
  /** Whether its pages may count as the process's own memory: of those that many queries touch all. */
  readonly isMapped: boolean
}

/** Read at once: most of a file's chunks, as a rule. They are asked for together, and lie together. */
const READ_BYTES = 4096
const FEW_ROWS = 4
const MOST_ROWS = 256
/** One that comes so soon after those that were read is a sign of more. */
const NEAR_ROWS = 16

/**
 * Rows copied out of their file as they are asked for (1.5 to 4 µs for 4 KiB). Mapped they are quicker by far, but a
 * few dozen queries touch every page of a large table, and what is touched counts as the process's memory.
 */
export class RowsInFile implements Rows {
  readonly #place: RowsPlace
  readonly #view: FileView
  readonly #room: Room
  readonly block: StoredRows
  #from = 0
  #to = 0
  readonly #few: number
  /** Doubles while rows are asked for in their order. */
  #ahead = FEW_ROWS

  constructor(place: RowsPlace) {
    this.#place = place
    this.#view = openFileView(place.path, place.isMapped)
    const buffer = new ArrayBuffer(MOST_ROWS * place.dimensions * place.width)
    this.#room = roomOf(new Uint8Array(buffer))
    this.#few = Math.max(FEW_ROWS, Math.floor(READ_BYTES / (place.dimensions * place.width)))
    this.block = storedRows(buffer, 0, place.width, MOST_ROWS * place.dimensions)
  }

  seek(row: number, wanted = 0): number {
    if (row < this.#from || row >= this.#to) this.#read(row, wanted > 0 ? wanted : this.#foreseen(row))
    return (row - this.#from) * this.#place.dimensions
  }

  close(): void {
    this.#view[Symbol.dispose]()
  }

  #foreseen(row: number): number {
    const isNear = row >= this.#to && row < this.#to + NEAR_ROWS
    this.#ahead = isNear ? Math.min(MOST_ROWS, this.#ahead * 2) : this.#few
    return this.#ahead
  }

  #read(row: number, rows: number): void {
    const { offset, count, dimensions, width } = this.#place
    const rowBytes = dimensions * width
    this.#from = row
    this.#to = Math.min(count, row + Math.min(rows, MOST_ROWS))
    // Verified before it was opened, so what is missing was cut since: zeros are near to nothing.
    this.#view.copy(offset + row * rowBytes, (this.#to - row) * rowBytes, this.#room, 0)
  }
}

/** Rows as they are stored, end to end. */
export function copyRows(rows: Rows, from: number, to: number, dimensions: number): StoredRows {
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
