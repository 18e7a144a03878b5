import { closeSync, readSync, rmSync } from "node:fs"
import { createFile } from "../../base/files/create-file.ts"
import { writeAll } from "../../base/files/files.ts"
import type { StoredRows } from "../exact/cosine.ts"
import { decodeRows, encodeRows, toScanRows, WIDTH } from "../exact/quantize.ts"
import { GRAPH_MIN_BYTES } from "../hnsw/plan-graphs.ts"
import type { Quantization } from "../port.ts"
import { isFileVector } from "../port.ts"
import { type FlatShape, FOOTER_BYTES, footer, layout } from "./flat-file.ts"

const COPY_BYTES = 1 << 20

/** A temporary file with rows of one kind (chunks or whole files), in the order in which they were added. */
type Stream = { readonly file: number; readonly width: 1 | 2 | 4; keys: Float64Array; count: number }

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
  constructor(
    path: string,
    dimensions: number,
    quantization: Quantization,
    scanBelowBytes: number = GRAPH_MIN_BYTES,
  ) {
    this.#path = path
    this.#dimensions = dimensions
    this.#scanBelowBytes = scanBelowBytes
    this.#waiting = ["chunks", "views"].map((part) => `${path}.${part}.tmp`)
    this.#chunks = streamOf(this.#waiting[0]!, WIDTH[quantization])
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

  /** Adds rows in stored form: either rows of chunks, in the width of this file, or vectors of whole files. */
  copy(keys: Float64Array, rows: StoredRows | Uint8Array): void {
    if (keys.length > 0) appendRows(this.#streamOf(keys[0]!), keys, rows)
  }

  finish(): void {
    const { width, count: searched } = this.#chunks
    const dimensions = this.#dimensions
    const shape: FlatShape = {
      dimensions,
      width,
      count: this.count,
      searched,
      hasScan: searched * dimensions < this.#scanBelowBytes,
    }
    const at = layout(shape)
    const keys = new Float64Array(this.count)
    keys.set(this.#chunks.keys.subarray(0, searched))
    keys.set(this.#fileVectors.keys.subarray(0, this.#fileVectors.count), searched)
    const file = createFile(this.#path)
    try {
      if (at.chunks > 0) writeScan(file, this.#chunks, dimensions)
      pad(file, at.chunks - (at.chunks > 0 ? searched * dimensions : 0))
      copyFile(this.#chunks.file, file)
      pad(file, at.fileVectors - at.chunks - searched * dimensions * width)
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

function streamOf(path: string, width: Stream["width"]): Stream {
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
