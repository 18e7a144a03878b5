import { closeSync, fstatSync, readSync, rmSync } from "node:fs"
import { createFile, openRegularFile, writeAll } from "../../base/index.ts"
import { mapFile } from "../../store/index.ts"
import type { VectorTable } from "./exact.ts"
import { GRAPH_MIN_BYTES } from "./graphs.ts"
import { isFileVector } from "./port.ts"
import { packedBytes, RowsInFile, rowsInMemory } from "./rows.ts"

/*
 * One file of vectors, little-endian, each part on a multiple of 8 bytes:
 *
 *   chunks  i8 × dimensions × searched
 *   files   packed × (count − searched)           vectors of whole files (`packRows`)
 *   keys    f64 × count                           chunk keys, in the order of the rows
 *   order   u32 × count                           row numbers by ascending key
 *   footer  u32 × 8                               magic, format, dimensions, 0, count, searched, is scanned, 0
 *
 * The chunks come first, because usearch always scans from the start of a buffer. They are not scanned if a graph is
 * used instead. `count` is the number of all rows, `searched` the number of chunk rows.
 */
const MAGIC = 0x564e_4d41 // "AMNV"
const FORMAT = 4
const FOOTER_BYTES = 32

type FlatShape = {
  readonly dimensions: number
  readonly count: number
  readonly searched: number
  /** False if there are so many chunks that a graph is used instead of a scan. */
  readonly isScanned: boolean
}

/** Maximum size of a file that is mapped and used in place. Rows of a larger file are read when needed. */
const MAPPED_BYTES = 64 << 20

export type FlatFileOptions = {
  /** Maximum size in bytes of a file that is mapped completely. */
  readonly mappedBytes?: number
  /** True to map the vectors of whole files in a larger table, which is faster when many of them are scored. */
  readonly isMapped?: boolean
}

/** Opens the table in a verified file; null if it is invalid or has another number of dimensions. */
export function openFlat(
  path: string,
  dimensions: number,
  options: FlatFileOptions = {},
): VectorTable | null {
  const { mappedBytes = MAPPED_BYTES, isMapped = true } = options
  const file = openRegularFile(path)
  try {
    const size = fstatSync(file).size
    const shape = readShape(file, size)
    if (shape === null || shape.dimensions !== dimensions) return null
    return size > mappedBytes ? readTable(path, shape, isMapped) : mapTable(path, shape)
  } finally {
    closeSync(file)
  }
}

function readShape(file: number, size: number): FlatShape | null {
  if (size < FOOTER_BYTES) return null
  const words = new Uint32Array(FOOTER_BYTES / 4)
  readSync(file, words, 0, FOOTER_BYTES, size - FOOTER_BYTES)
  const [magic, format, dimensions, , count, searched, scanned] = words as unknown as number[]
  if (magic !== MAGIC || format !== FORMAT) return null
  const shape = {
    dimensions: dimensions!,
    count: count!,
    searched: searched!,
    isScanned: scanned === 1,
  } as const
  return shape.searched > shape.count || layout(shape).end !== size ? null : shape
}

function mapTable(path: string, shape: FlatShape): VectorTable | null {
  const bytes = mapFile(path)
  if (bytes === null) return null
  const { dimensions, count, searched, isScanned } = shape
  const at = layout(shape)
  const { buffer, byteOffset } = bytes
  const chunks = new Int8Array(buffer, byteOffset, searched * dimensions)
  const packed = new Int8Array(
    buffer,
    byteOffset + at.fileVectors,
    (count - searched) * packedBytes(dimensions),
  )
  return {
    dimensions,
    scan: isScanned ? chunks : null,
    chunks: rowsInMemory(chunks, dimensions),
    fileVectors: rowsInMemory(packed, packedBytes(dimensions)),
    searched,
    keys: new Float64Array(buffer, byteOffset + at.keys, count),
    order: new Uint32Array(buffer, byteOffset + at.order, count),
  }
}

/**
 * Reads the table in a file. Of a large file, only the chunks that are scanned and the keys are mapped through the
 * JavaScript engine, because it counts mapped bytes as its own memory and then collects garbage later. Vectors of whole
 * files are mapped without the engine.
 */
function readTable(path: string, shape: FlatShape, isMapped: boolean): VectorTable | null {
  const { dimensions, count, searched, isScanned } = shape
  const at = layout(shape)
  const scan = isScanned ? mapFile(path, { offset: 0, size: searched * dimensions }) : null
  const names = mapFile(path, { offset: at.keys, size: at.order + count * 4 - at.keys })
  if (names === null || (isScanned && scan === null)) return null
  const rows = scan && new Int8Array(scan.buffer, scan.byteOffset, scan.length)
  const table = {
    ...{ dimensions, scan: rows, searched },
    keys: new Float64Array(names.buffer, names.byteOffset, count),
    order: new Uint32Array(names.buffer, names.byteOffset + count * 8, count),
  }
  const chunks =
    rows === null
      ? new RowsInFile({ path, offset: 0, count: searched, rowBytes: dimensions, isMapped: false })
      : rowsInMemory(rows, dimensions)
  try {
    const place = { path, offset: at.fileVectors, count: count - searched, rowBytes: packedBytes(dimensions) }
    return { ...table, chunks, fileVectors: new RowsInFile({ ...place, isMapped }) }
  } catch (error) {
    chunks.close()
    throw error
  }
}

/** The footer of a file with this shape. */
function footer({ dimensions, count, searched, isScanned }: FlatShape): Uint32Array {
  return Uint32Array.of(MAGIC, FORMAT, dimensions, 0, count, searched, isScanned ? 1 : 0, 0)
}

/** The offset of each part in bytes. The chunks are at 0. */
function layout({ dimensions, count, searched }: FlatShape) {
  const fileVectors = align(searched * dimensions)
  const keys = align(fileVectors + (count - searched) * packedBytes(dimensions))
  const order = keys + count * 8
  return { fileVectors, keys, order, end: align(order + count * 4) + FOOTER_BYTES }
}

function align(bytes: number): number {
  return Math.ceil(bytes / 8) * 8
}

const COPY_BYTES = 1 << 20

/** A temporary file with rows of one kind (chunks or whole files), in the order in which they were added. */
type Stream = { readonly file: number; keys: Float64Array; count: number }

/**
 * Writes a file of vectors (flat-file.ts) row by row. Chunks and whole files may come in any order, and the number of
 * rows need not be known in advance.
 */
export class FlatWriter {
  readonly #path: string
  readonly #dimensions: number
  readonly #scanBelowBytes: number
  readonly #waiting: readonly string[]
  readonly #chunks: Stream
  readonly #fileVectors: Stream
  #isClosed = false

  /** If the chunks have `scanBelowBytes` bytes or more, they will not be scanned, because a graph will be built. */
  constructor(path: string, dimensions: number, scanBelowBytes: number = GRAPH_MIN_BYTES) {
    this.#path = path
    this.#dimensions = dimensions
    this.#scanBelowBytes = scanBelowBytes
    this.#waiting = ["chunks", "views"].map((part) => `${path}.${part}.tmp`)
    this.#chunks = streamOf(this.#waiting[0]!)
    this.#fileVectors = streamOf(this.#waiting[1]!)
  }

  get count(): number {
    return this.#chunks.count + this.#fileVectors.count
  }

  /** Number of rows added that belong to chunks. */
  get searched(): number {
    return this.#chunks.count
  }

  /** Adds rows in stored form, one for each key: either of chunks, or packed ones of whole files. */
  add(keys: Float64Array, rows: Int8Array | Uint8Array): void {
    if (keys.length > 0) appendRows(isFileVector(keys[0]!) ? this.#fileVectors : this.#chunks, keys, rows)
  }

  finish(): void {
    const { count: searched } = this.#chunks
    const dimensions = this.#dimensions
    const isScanned = searched * dimensions < this.#scanBelowBytes
    const shape: FlatShape = { dimensions, count: this.count, searched, isScanned }
    const at = layout(shape)
    const keys = new Float64Array(this.count)
    keys.set(this.#chunks.keys.subarray(0, searched))
    keys.set(this.#fileVectors.keys.subarray(0, this.#fileVectors.count), searched)
    const file = createFile(this.#path)
    try {
      copyFile(this.#chunks.file, file)
      pad(file, at.fileVectors - searched * dimensions)
      copyFile(this.#fileVectors.file, file)
      pad(file, at.keys - at.fileVectors - this.#fileVectors.count * packedBytes(dimensions))
      writeAll(file, keys)
      writeAll(file, ascending(keys))
      pad(file, at.end - FOOTER_BYTES - at.order - this.count * 4)
      writeAll(file, footer(shape))
    } finally {
      closeSync(file)
      this.close()
    }
  }

  /** Closes and removes the temporary files. If `finish` was not called, the target file is incomplete. */
  close(): void {
    if (this.#isClosed) return
    this.#isClosed = true
    for (const { file } of [this.#chunks, this.#fileVectors]) closeSync(file)
    for (const path of this.#waiting) rmSync(path, { force: true })
  }
}

function streamOf(path: string): Stream {
  return { file: createFile(path), keys: new Float64Array(1024), count: 0 }
}

function appendRows(stream: Stream, keys: Float64Array, rows: NodeJS.TypedArray): void {
  if (stream.count + keys.length > stream.keys.length) {
    const grown = new Float64Array(Math.max(stream.keys.length * 2, stream.count + keys.length))
    grown.set(stream.keys)
    stream.keys = grown
  }
  stream.keys.set(keys, stream.count)
  stream.count += keys.length
  writeAll(stream.file, rows)
}

function copyFile(from: number, to: number): void {
  const block = new Uint8Array(COPY_BYTES)
  for (let at = 0, length = -1; length !== 0; at += length) {
    length = readSync(from, block, 0, block.length, at)
    writeAll(to, block.subarray(0, length))
  }
}

function ascending(keys: Float64Array): Uint32Array {
  const order = Uint32Array.from(keys, (_, row) => row)
  const sorted = keys.every((key, row) => row === 0 || keys[row - 1]! < key)
  return sorted ? order : order.sort((a, b) => keys[a]! - keys[b]!)
}

function pad(file: number, bytes: number): void {
  if (bytes > 0) writeAll(file, new Uint8Array(bytes))
}
