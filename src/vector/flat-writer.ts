import { closeSync, openSync, readSync, rmSync, writeSync } from "node:fs"
import type { StoredRows } from "./cosine.ts"
import { FOOTER_BYTES, footer, layout } from "./flat-file.ts"
import type { Quantization } from "./port.ts"
import { encodeRows, toScanRows, WIDTH } from "./quantize.ts"
import { isView } from "./views.ts"

const COPY_BYTES = 4 << 20

/** Rows of one sort as they arrive: what is scanned, and beside it what scores. */
type Stream = { readonly scan: number; readonly stored: number; keys: Float64Array; count: number }

/**
 * Writes a file of vectors (flat-file.ts) row by row, in any order and without knowing how many will come. Only
 * the chunks' scan has its place from the start; the other parts wait in files of their own.
 */
export class FlatWriter {
  readonly #dimensions: number
  readonly #quantization: Quantization
  readonly #waiting: readonly string[]
  readonly #chunks: Stream
  readonly #views: Stream

  constructor(path: string, dimensions: number, quantization: Quantization) {
    this.#dimensions = dimensions
    this.#quantization = quantization
    const waiting = ["stored", "views", "stored-views"].map((part) => `${path}.${part}.tmp`)
    this.#waiting = waiting
    this.#chunks = streamOf(openSync(path, "w"), openSync(waiting[0]!, "w+"))
    this.#views = streamOf(openSync(waiting[1]!, "w+"), openSync(waiting[2]!, "w+"))
  }

  get count(): number {
    return this.#chunks.count + this.#views.count
  }

  /** How many of them are chunks. */
  get searched(): number {
    return this.#chunks.count
  }

  /** Vectors end to end, one for each key. */
  add(keys: readonly number[] | Float64Array, vectors: Float32Array): void {
    const scan = toScanRows(vectors, this.#dimensions)
    const stored =
      this.#quantization === "i8" ? null : encodeRows(vectors, this.#dimensions, this.#quantization)
    for (let from = 0, to = 0; from < keys.length; from = to) {
      to = endOfRun(keys, from)
      const rowBytes = this.#dimensions * WIDTH[this.#quantization]
      this.#append(
        Float64Array.from(keys.slice(from, to)),
        scan.subarray(from * this.#dimensions, to * this.#dimensions),
        stored?.subarray(from * rowBytes, to * rowBytes),
      )
    }
  }

  /** Rows of another such file as they are: chunks or views, and of this one's width. */
  copy(keys: Float64Array, scan: Int8Array, stored: StoredRows): void {
    this.#append(keys, scan, this.#quantization === "i8" ? undefined : stored)
  }

  finish(): void {
    const chunks = this.#chunks
    const views = this.#views
    const file = chunks.scan
    const width = WIDTH[this.#quantization]
    const at = layout(this.#dimensions, width, this.count)
    const keys = new Float64Array(this.count)
    keys.set(chunks.keys.subarray(0, chunks.count))
    keys.set(views.keys.subarray(0, views.count), chunks.count)
    append(views.scan, file)
    pad(file, at.stored - this.count * this.#dimensions)
    append(chunks.stored, file)
    append(views.stored, file)
    if (width > 1) pad(file, at.keys - at.stored - this.count * this.#dimensions * width)
    write(file, keys)
    write(file, ascending(keys))
    pad(file, at.end - FOOTER_BYTES - at.order - this.count * 4)
    write(file, footer(this.#dimensions, width, this.count, chunks.count))
    this.close()
  }

  /** Gives the files back; what `finish` has not completed is of no use. */
  close(): void {
    for (const { scan, stored } of [this.#chunks, this.#views]) {
      closeSync(scan)
      closeSync(stored)
    }
    for (const path of this.#waiting) rmSync(path, { force: true })
  }

  #append(keys: Float64Array, scan: Int8Array, stored: NodeJS.TypedArray | undefined): void {
    if (keys.length === 0) return
    const stream = isView(keys[0]!) ? this.#views : this.#chunks
    if (stream.count + keys.length > stream.keys.length) {
      const grown = new Float64Array(Math.max(stream.keys.length * 2, stream.count + keys.length))
      grown.set(stream.keys)
      stream.keys = grown
    }
    stream.keys.set(keys, stream.count)
    stream.count += keys.length
    write(stream.scan, scan)
    if (stored !== undefined) write(stream.stored, stored)
  }
}

function streamOf(scan: number, stored: number): Stream {
  return { scan, stored, keys: new Float64Array(1024), count: 0 }
}

/** Chunks or views, as far as the same sort goes on. */
function endOfRun(keys: readonly number[] | Float64Array, from: number): number {
  let to = from + 1
  while (to < keys.length && isView(keys[to]!) === isView(keys[from]!)) to++
  return to
}

function ascending(keys: Float64Array): Uint32Array {
  const order = Uint32Array.from(keys, (_, row) => row)
  const sorted = keys.every((key, row) => row === 0 || keys[row - 1]! < key)
  return sorted ? order : order.sort((a, b) => keys[a]! - keys[b]!)
}

function append(from: number, to: number): void {
  const block = Buffer.allocUnsafe(COPY_BYTES)
  for (let at = 0; ; ) {
    const read = readSync(from, block, 0, block.length, at)
    if (read === 0) return
    write(to, block.subarray(0, read))
    at += read
  }
}

function pad(file: number, bytes: number): void {
  write(file, new Uint8Array(bytes))
}

/** All of it: one call may write less. */
function write(file: number, data: NodeJS.TypedArray): void {
  const bytes = new Uint8Array(data.buffer, data.byteOffset, data.byteLength)
  for (let at = 0; at < bytes.length; ) at += writeSync(file, bytes, at, bytes.length - at)
}
