import { type Room, roomOf } from "../store/file-view.ts"
import { multiplyModule } from "./multiply-module.ts"

/** So many rows are compared at once: all neighbours of a node. */
export const MOST_ROWS = 32

/** Where things lie in the memory that rows are copied to, in bytes. */
export type RoomShape = {
  /** Of a row of i8, without its scale. */
  readonly width: number
  /** From one row to the next. */
  readonly stride: number
  readonly rows: number
  readonly products: number
  /** For `SPARE_BYTES` of anything else. */
  readonly spare: number
  readonly end: number
}

const SPARE_BYTES = 8 * MOST_ROWS

const PAGE_BYTES = 65_536
/** The query's largest number, if the sum of products cannot leave 32 bits with it. */
const MOST = 32_767
const MOST_I8 = 127

/** A row as it is stored: i8, filled with zeros to a multiple of 4, and 1 ÷ its length as f32. */
export function rowBytes(dimensions: number): number {
  return align(dimensions, 4) + 4
}

/**
 * Compares rows of i8 with one query: by WebAssembly, whose instructions take eight numbers at a time (45 ns for 512),
 * or plainly where it has none of those (no AVX); the outcome is the same.
 */
export class RowProducts {
  readonly room: Room
  readonly shape: RoomShape
  /** The spare part as u32 and as f64. */
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
    this.room = roomOf(new Uint8Array(buffer))
    this.words = new Uint32Array(buffer, shape.spare, SPARE_BYTES / 4)
    this.numbers = new Float64Array(buffer, shape.spare, SPARE_BYTES / 8)
    this.#query = new Int16Array(buffer, 0, shape.width)
    this.#products = new Int32Array(buffer, shape.products, MOST_ROWS)
    this.#scales = new Float32Array(buffer, 0, shape.end / 4)
    this.#multiply = made?.multiply ?? ((count) => multiplyPlainly(buffer, shape, count))
  }

  /** With what rows are to be compared from now on, in 16 bits a number. */
  ask(query: Float32Array): void {
    let largest = 0
    for (const value of query) largest = Math.max(largest, Math.abs(value))
    const most = Math.min(MOST, Math.floor((2 ** 31 - 1) / MOST_I8 / this.#dimensions))
    const scale = largest === 0 ? 0 : most / largest
    for (let i = 0; i < query.length; i++) this.#query[i] = Math.round(query[i]! * scale)
  }

  rowAt(place: number): number {
    return this.shape.rows + place * this.shape.stride
  }

  /** Compares the first so many rows in the room. */
  compare(count: number): void {
    if (count > 0) this.#multiply(count)
  }

  /** The row's cosine times a factor that all have; 0 of a row of zeros. */
  likeness(place: number): number {
    const scale = this.#scales[(this.rowAt(place) + this.shape.stride) / 4 - 1]!
    return this.#products[place]! * scale
  }
}

function shapeOf(dimensions: number): RoomShape {
  const width = align(dimensions, 8)
  const stride = rowBytes(dimensions)
  const rows = 2 * width
  const products = rows + MOST_ROWS * stride
  const spare = align(products + 4 * MOST_ROWS, 8)
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

/** Past a row's end the query is zeros, so that what stands there does not count. */
function multiplyPlainly(buffer: ArrayBuffer, shape: RoomShape, count: number): void {
  const query = new Int16Array(buffer, 0, shape.width)
  const bytes = new Int8Array(buffer)
  const products = new Int32Array(buffer, shape.products, MOST_ROWS)
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
