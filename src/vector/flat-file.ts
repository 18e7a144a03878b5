import { closeSync, openSync, readSync, rmSync, writeSync } from "node:fs"
import type { StoredRows } from "./cosine.ts"
import type { Table } from "./exact.ts"
import type { Quantization } from "./port.ts"
import { encodeRows, toScanRows, WIDTH } from "./quantize.ts"

/*
 * One file of vectors, little-endian, each part on a multiple of 8 bytes:
 *
 *   scan    i8 × dimensions × count     first, because usearch scans from the start of a buffer
 *   stored  f16 or f32, the same shape  absent where vectors are kept as i8
 *   keys    f64 × count                 chunk keys, in the order of the rows
 *   order   u32 × count                 row numbers by ascending key
 *   footer  u32 × 8                     magic, format, dimensions, width, count, 0, 0, 0
 */
const MAGIC = 0x564e_4d41 // "AMNV"
const FORMAT = 1
const FOOTER_BYTES = 32
const COPY_BYTES = 4 << 20

/** The table in a file's bytes, or null where they are not one of these dimensions. */
export function readFlat(bytes: Uint8Array, dimensions: number): Table | null {
  if (bytes.length < FOOTER_BYTES || bytes.length % 8 !== 0) return null
  const { buffer, byteOffset } = bytes
  const footer = new Uint32Array(buffer, byteOffset + bytes.length - FOOTER_BYTES, 5)
  const [magic, format, stored, width, count] = footer as unknown as [number, number, number, number, number]
  if (magic !== MAGIC || format !== FORMAT || stored !== dimensions) return null
  const at = layout(dimensions, width, count)
  if (at.end !== bytes.length) return null
  const scan = new Int8Array(buffer, byteOffset, count * dimensions)
  return {
    dimensions,
    scan,
    stored: width === 1 ? scan : storedRows(buffer, byteOffset + at.stored, width, count * dimensions),
    keys: new Float64Array(buffer, byteOffset + at.keys, count),
    order: new Uint32Array(buffer, byteOffset + at.order, count),
  }
}

/** Writes such a file row by row, in any order and without knowing how many will come. */
export class FlatWriter {
  readonly #path: string
  readonly #file: number
  /** What scores waits in a file of its own until it is known where the scan's part ends. */
  readonly #side: number
  readonly #dimensions: number
  readonly #quantization: Quantization
  #keys = new Float64Array(1024)
  #count = 0

  constructor(path: string, dimensions: number, quantization: Quantization) {
    this.#path = path
    this.#dimensions = dimensions
    this.#quantization = quantization
    this.#file = openSync(path, "w")
    this.#side = openSync(sideOf(path), "w+")
  }

  get count(): number {
    return this.#count
  }

  /** Vectors end to end, one for each key. */
  add(keys: readonly number[] | Float64Array, vectors: Float32Array): void {
    this.#append(keys)
    write(this.#file, toScanRows(vectors, this.#dimensions))
    if (this.#quantization !== "i8")
      write(this.#side, encodeRows(vectors, this.#dimensions, this.#quantization))
  }

  /** Rows of another such file as they are; its numbers must have this one's width. */
  copy(keys: Float64Array, scan: Int8Array, stored: StoredRows): void {
    this.#append(keys)
    write(this.#file, scan)
    if (this.#quantization !== "i8") write(this.#side, stored)
  }

  finish(): void {
    const count = this.#count
    const width = WIDTH[this.#quantization]
    const keys = this.#keys.slice(0, count)
    const at = layout(this.#dimensions, width, count)
    write(this.#file, new Uint8Array(at.stored - count * this.#dimensions))
    if (width > 1) {
      append(this.#side, this.#file)
      write(this.#file, new Uint8Array(at.keys - at.stored - count * this.#dimensions * width))
    }
    write(this.#file, keys)
    write(this.#file, ascending(keys))
    write(this.#file, new Uint8Array(at.end - FOOTER_BYTES - at.order - count * 4))
    write(this.#file, Uint32Array.of(MAGIC, FORMAT, this.#dimensions, width, count, 0, 0, 0))
    this.close()
  }

  /** Gives the files back; what `finish` has not completed is of no use. */
  close(): void {
    closeSync(this.#file)
    closeSync(this.#side)
    rmSync(sideOf(this.#path), { force: true })
  }

  #append(keys: readonly number[] | Float64Array): void {
    if (this.#count + keys.length > this.#keys.length) {
      const grown = new Float64Array(Math.max(this.#keys.length * 2, this.#count + keys.length))
      grown.set(this.#keys)
      this.#keys = grown
    }
    this.#keys.set(keys, this.#count)
    this.#count += keys.length
  }
}

function layout(dimensions: number, width: number, count: number) {
  const stored = align(count * dimensions)
  const keys = align(stored + (width === 1 ? 0 : count * dimensions * width))
  const order = keys + count * 8
  return { stored, keys, order, end: align(order + count * 4) + FOOTER_BYTES }
}

function storedRows(buffer: ArrayBufferLike, at: number, width: number, length: number): StoredRows {
  return width === 2 ? new Uint16Array(buffer, at, length) : new Float32Array(buffer, at, length)
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

/** All of it: one call may write less. */
function write(file: number, data: NodeJS.TypedArray): void {
  const bytes = new Uint8Array(data.buffer, data.byteOffset, data.byteLength)
  for (let at = 0; at < bytes.length; ) at += writeSync(file, bytes, at, bytes.length - at)
}

function align(bytes: number): number {
  return Math.ceil(bytes / 8) * 8
}

function sideOf(path: string): string {
  return `${path}.side.tmp`
}
