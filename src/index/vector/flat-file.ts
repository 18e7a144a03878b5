import { closeSync, fstatSync, readSync, rmSync } from "node:fs"
import { createFile, openRegularFile, writeAll } from "../../base/index.ts"
import { mapFile } from "../../store/index.ts"
import type { VectorTable } from "./exact.ts"
import { GRAPH_MIN_BYTES } from "./graphs.ts"
import { isFileVector } from "./port.ts"
import {
  decodeRows,
  encodeRows,
  RowsInFile,
  rowsInMemory,
  type StoredRows,
  storedRows,
  toScanRows,
  WIDTH,
  type Width,
} from "./rows.ts"

/*
 * One file of vectors, little-endian, each part on a multiple of 8 bytes:
 *
 *   scan    i8 × dimensions × searched            the chunk rows rounded to i8, for the scan
 *   chunks  f16 × dimensions × searched
 *   files   i8 × dimensions × (count − searched)  vectors of whole files
 *   keys    f64 × count                           chunk keys, in the order of the rows
 *   order   u32 × count                           row numbers by ascending key
 *   footer  u32 × 8                               magic, format, dimensions, 2, count, searched, has scan, 0
 *
 * The scan rows come first, because usearch always scans from the start of a buffer. They are absent if a graph is used
 * instead of the scan. `count` is the number of all rows, `searched` the number of chunk rows.
 */
const MAGIC = 0x564e_4d41 // "AMNV"
const FORMAT = 3
const FOOTER_BYTES = 32

type FlatShape = {
  readonly dimensions: number
  readonly count: number
  readonly searched: number
  /** True if the file contains rows that can be scanned; false if there are so many chunks that a graph is used. */
  readonly hasScan: boolean
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
  const [magic, format, dimensions, width, count, searched, scan] = words as unknown as number[]
  if (magic !== MAGIC || format !== FORMAT || width !== WIDTH.f16) return null
  const shape = {
    dimensions: dimensions!,
    count: count!,
    searched: searched!,
    hasScan: scan === 1,
  } as const
  return shape.searched > shape.count || layout(shape).end !== size ? null : shape
}

function mapTable(path: string, shape: FlatShape): VectorTable | null {
  const bytes = mapFile(path)
  if (bytes === null) return null
  const { dimensions, count, searched, hasScan } = shape
  const at = layout(shape)
  const { buffer, byteOffset } = bytes
  const rows = (offset: number, width: Width, count: number) =>
    rowsInMemory(storedRows(buffer, byteOffset + offset, width, count * dimensions), dimensions)
  return {
    dimensions,
    scan: hasScan ? new Int8Array(buffer, byteOffset, searched * dimensions) : null,
    chunks: rows(at.chunks, WIDTH.f16, searched),
    fileVectors: rows(at.fileVectors, WIDTH.i8, count - searched),
    searched,
    keys: new Float64Array(buffer, byteOffset + at.keys, count),
    order: new Uint32Array(buffer, byteOffset + at.order, count),
  }
}

/**
 * Reads the table in a file. Of a large file, only the scan rows and the keys are mapped through the JavaScript engine,
 * because it counts mapped bytes as its own memory and then collects garbage later. Vectors of whole files are mapped
 * without the engine.
 */
function readTable(path: string, shape: FlatShape, isMapped: boolean): VectorTable | null {
  const { dimensions, count, searched, hasScan } = shape
  const at = layout(shape)
  const scan = hasScan ? mapFile(path, { offset: 0, size: searched * dimensions }) : null
  const names = mapFile(path, { offset: at.keys, size: at.order + count * 4 - at.keys })
  if (names === null || (hasScan && scan === null)) return null
  const table = {
    dimensions,
    scan: scan === null ? null : new Int8Array(scan.buffer, scan.byteOffset, scan.length),
    searched,
    keys: new Float64Array(names.buffer, names.byteOffset, count),
    order: new Uint32Array(names.buffer, names.byteOffset + count * 8, count),
  }
  const chunks = new RowsInFile({
    ...{ path, offset: at.chunks, count: searched },
    ...{ dimensions, width: WIDTH.f16, isMapped: false },
  })
  try {
    const fileVectors = { path, offset: at.fileVectors, count: count - searched, dimensions }
    return { ...table, chunks, fileVectors: new RowsInFile({ ...fileVectors, width: WIDTH.i8, isMapped }) }
  } catch (error) {
    chunks.close()
    throw error
  }
}

/** The footer of a file with this shape. */
function footer({ dimensions, count, searched, hasScan }: FlatShape): Uint32Array {
  return Uint32Array.of(MAGIC, FORMAT, dimensions, WIDTH.f16, count, searched, hasScan ? 1 : 0, 0)
}

/** The offset of each part in bytes. */
function layout({ dimensions, count, searched, hasScan }: FlatShape) {
  const chunks = align(hasScan ? searched * dimensions : 0)
  const fileVectors = align(chunks + searched * dimensions * WIDTH.f16)
  const keys = align(fileVectors + (count - searched) * dimensions)
  const order = keys + count * 8
  return { chunks, fileVectors, keys, order, end: align(order + count * 4) + FOOTER_BYTES }
}

function align(bytes: number): number {
  return Math.ceil(bytes / 8) * 8
}

const COPY_BYTES = 1 << 20

/** A temporary file with rows of one kind (chunks or whole files), in the order in which they were added. */
type Stream = { readonly file: number; readonly width: Width; keys: Float64Array; count: number }

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

  /**
   * If the chunks as i8 rows have `scanBelowBytes` bytes or more, no rows for the scan are written, because a graph
   * will be built.
   */
  constructor(path: string, dimensions: number, scanBelowBytes: number = GRAPH_MIN_BYTES) {
    this.#path = path
    this.#dimensions = dimensions
    this.#scanBelowBytes = scanBelowBytes
    this.#waiting = ["chunks", "views"].map((part) => `${path}.${part}.tmp`)
    this.#chunks = streamOf(this.#waiting[0]!, WIDTH.f16)
    this.#fileVectors = streamOf(this.#waiting[1]!, WIDTH.i8)
  }

  get count(): number {
    return this.#chunks.count + this.#fileVectors.count
  }

  /** Number of rows added that belong to chunks. */
  get searched(): number {
    return this.#chunks.count
  }

  /** Adds vectors, stored one after the other in `vectors`, one for each key. */
  add(keys: readonly number[] | Float64Array, vectors: Float32Array): void {
    for (let from = 0, to = 0; from < keys.length; from = to) {
      to = endOfRun(keys, from)
      const runVectors = vectors.subarray(from * this.#dimensions, to * this.#dimensions)
      const stream = this.#streamOf(keys[from]!)
      appendRows(stream, keys.slice(from, to), encodeRows(runVectors, this.#dimensions, stream.width))
    }
  }

  /** Adds rows in stored form: either rows of chunks or vectors of whole files. */
  copy(keys: Float64Array, rows: StoredRows | Uint8Array): void {
    if (keys.length > 0) appendRows(this.#streamOf(keys[0]!), keys, rows)
  }

  finish(): void {
    const { count: searched } = this.#chunks
    const dimensions = this.#dimensions
    const hasScan = searched * dimensions < this.#scanBelowBytes
    const shape: FlatShape = { dimensions, count: this.count, searched, hasScan }
    const at = layout(shape)
    const keys = new Float64Array(this.count)
    keys.set(this.#chunks.keys.subarray(0, searched))
    keys.set(this.#fileVectors.keys.subarray(0, this.#fileVectors.count), searched)
    const file = createFile(this.#path)
    try {
      if (at.chunks > 0) writeScan(file, this.#chunks, dimensions)
      pad(file, at.chunks - (at.chunks > 0 ? searched * dimensions : 0))
      copyFile(this.#chunks.file, file)
      pad(file, at.fileVectors - at.chunks - searched * dimensions * WIDTH.f16)
      copyFile(this.#fileVectors.file, file)
      pad(file, at.keys - at.fileVectors - this.#fileVectors.count * dimensions)
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

  #streamOf(key: number): Stream {
    return isFileVector(key) ? this.#fileVectors : this.#chunks
  }
}

function streamOf(path: string, width: Width): Stream {
  return { file: createFile(path), width, keys: new Float64Array(1024), count: 0 }
}

function appendRows(stream: Stream, keys: readonly number[] | Float64Array, rows: NodeJS.TypedArray): void {
  if (stream.count + keys.length > stream.keys.length) {
    const grown = new Float64Array(Math.max(stream.keys.length * 2, stream.count + keys.length))
    grown.set(stream.keys)
    stream.keys = grown
  }
  stream.keys.set(keys, stream.count)
  stream.count += keys.length
  writeAll(stream.file, rows)
}

/**
 * Writes the rows for the scan. They are computed from the stored form of the chunks, so that equal rows always give
 * equal scan rows.
 */
function writeScan(to: number, { file, width }: Stream, dimensions: number): void {
  const rowBytes = dimensions * width
  const bytes = Math.max(1, Math.floor(COPY_BYTES / rowBytes)) * rowBytes
  for (const block of fileBlocks(file, bytes)) {
    writeAll(to, toScanRows(decodeRows(block, dimensions, width), dimensions))
  }
}

function copyFile(from: number, to: number): void {
  for (const block of fileBlocks(from, COPY_BYTES)) writeAll(to, block)
}

/** Yields the content of a file in blocks of `bytes` bytes. All blocks use the same buffer. */
function* fileBlocks(file: number, bytes: number): Generator<Uint8Array> {
  const block = new Uint8Array(bytes)
  for (let at = 0; ; ) {
    let length = 0
    for (let read = -1; read !== 0 && length < bytes; length += read) {
      read = readSync(file, block, length, bytes - length, at + length)
    }
    if (length === 0) return
    yield block.subarray(0, length)
    at += length
  }
}

/** The end of a run of keys that all belong to chunks, or all to whole files. */
function endOfRun(keys: readonly number[] | Float64Array, from: number): number {
  let to = from + 1
  while (to < keys.length && isFileVector(keys[to]!) === isFileVector(keys[from]!)) to++
  return to
}

function ascending(keys: Float64Array): Uint32Array {
  const order = Uint32Array.from(keys, (_, row) => row)
  const sorted = keys.every((key, row) => row === 0 || keys[row - 1]! < key)
  return sorted ? order : order.sort((a, b) => keys[a]! - keys[b]!)
}

function pad(file: number, bytes: number): void {
  if (bytes > 0) writeAll(file, new Uint8Array(bytes))
}
