import { type CopyTarget, copyTargetOf } from "../../store/derived/random-access-file.ts"
import { multiplyModule } from "./multiply-module.ts"

/** Maximum number of rows compared at once: as many as a graph node has neighbours. */
export const MAX_ROWS = 32

/** Layout of the memory that rows are copied to, in bytes. */
export type RoomShape = {
  /** Width of an i8 row without its scale. */
  readonly width: number
  /** Distance from one row to the next. */
  readonly stride: number
  readonly rows: number
  readonly products: number
  /** Start of `SPARE_BYTES` for other data. */
  readonly spare: number
  readonly end: number
}

const SPARE_BYTES = 8 * MAX_ROWS

const PAGE_BYTES = 65_536
/** Maximum of the scaled query's numbers, lowered if the sum of products could exceed 32 bits. */
const MAX_NUMBER = 32_767
const MAX_I8 = 127

/** Size of a stored row: i8 numbers padded with zeros to a multiple of 4, and 1 ÷ its length as f32. */
export function rowBytes(dimensions: number): number {
  return align(dimensions, 4) + 4
}

/**
 * Compares i8 rows with one query: in WebAssembly, eight numbers per instruction (45 ns for 512 numbers), or
 * in plain JavaScript if the engine has no SIMD (no AVX). The results are the same.
 */
export class RowProducts {
  readonly room: CopyTarget
  readonly shape: RoomShape
  /** The memory from `shape.spare` on, for callers that need numbers next to the rows: as u32 and as f64. */
  readonly words: Uint32Array
  readonly numbers: Float64Array
  readonly #dimensions: number
  readonly #query: Int16Array
  readonly #products: Int32Array
  readonly #scales: Float32Array
  readonly #multiply: (count: number) => void

  constructor(dimensions: number, isPlain = false) {
    const shape = shapeOf(dimensions)
    const made = isPlain ? null : instantiate(shape)
    const buffer = made?.memory.buffer ?? new ArrayBuffer(shape.end)
    this.#dimensions = dimensions
    this.shape = shape
    this.room = copyTargetOf(new Uint8Array(buffer))
    this.words = new Uint32Array(buffer, shape.spare, SPARE_BYTES / 4)
    this.numbers = new Float64Array(buffer, shape.spare, SPARE_BYTES / 8)
    this.#query = new Int16Array(buffer, 0, shape.width)
    this.#products = new Int32Array(buffer, shape.products, MAX_ROWS)
    this.#scales = new Float32Array(buffer, 0, shape.end / 4)
    this.#multiply = made?.multiply ?? ((count) => multiplyPlainly(buffer, shape, count))
  }

  /** Sets the query for the following comparisons, as 16-bit numbers. */
  setQuery(query: Float32Array): void {
    let largest = 0
    for (const value of query) largest = Math.max(largest, Math.abs(value))
    const max = Math.min(MAX_NUMBER, Math.floor((2 ** 31 - 1) / MAX_I8 / this.#dimensions))
    const scale = largest === 0 ? 0 : max / largest
    for (let i = 0; i < query.length; i++) this.#query[i] = Math.round(query[i]! * scale)
  }

  rowAt(place: number): number {
    return this.shape.rows + place * this.shape.stride
  }

  /** Compares the first `count` rows in memory with the query. */
  compare(count: number): void {
    if (count > 0) this.#multiply(count)
  }

  /** The row's cosine times a factor common to all rows; 0 for a row of zeros. */
  similarity(place: number): number {
    const scale = this.#scales[(this.rowAt(place) + this.shape.stride) / 4 - 1]!
    return this.#products[place]! * scale
  }
}

function shapeOf(dimensions: number): RoomShape {
  const width = align(dimensions, 8)
  const stride = rowBytes(dimensions)
  const rows = 2 * width
  const products = rows + MAX_ROWS * stride
  const spare = align(products + 4 * MAX_ROWS, 8)
  return { width, stride, rows, products, spare, end: spare + SPARE_BYTES }
}

function instantiate(shape: RoomShape) {
  const module = multiplyModule()
  if (module === null) return null
  const pages = Math.ceil(shape.end / PAGE_BYTES)
  const memory = new WebAssembly.Memory({ initial: pages, maximum: pages })
  const { multiply } = new WebAssembly.Instance(module, { env: { memory } }).exports as {
    multiply: (rows: number, end: number, stride: number, width: number, products: number) => void
  }
  const { rows, stride, width, products } = shape
  return {
    memory,
    multiply: (count: number) => multiply(rows, rows + count * stride, stride, width, products),
  }
}

/** The plain version. The query is padded with zeros, so that bytes after the end of a row do not count. */
function multiplyPlainly(buffer: ArrayBuffer, shape: RoomShape, count: number): void {
  const query = new Int16Array(buffer, 0, shape.width)
  const bytes = new Int8Array(buffer)
  const products = new Int32Array(buffer, shape.products, MAX_ROWS)
  for (let place = 0; place < count; place++) {
    const row = shape.rows + place * shape.stride
    let sum = 0
    for (let i = 0; i < query.length; i++) sum = (sum + Math.imul(query[i]!, bytes[row + i]!)) | 0
    products[place] = sum
  }
}

function align(bytes: number, to: number): number {
  return Math.ceil(bytes / to) * to
}
