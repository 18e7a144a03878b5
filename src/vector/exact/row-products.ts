import { type CopyTarget, copyTargetOf } from "../../store/derived/random-access-file.ts"
import {
  AGAIN,
  compileWasm,
  END,
  GET,
  I32,
  LOOP,
  MULTIPLY_PAIRS,
  name,
  SET,
  SIMD,
  section,
  TEE,
  V128,
  withLength,
} from "./wasm-code.ts"

/** Maximum number of rows that are compared at once, equal to the maximum number of neighbours of a node in a graph. */
export const MAX_ROWS = 32

/** Layout of the memory to which rows are copied, in bytes. */
export type RoomShape = {
  /** Number of bytes of the numbers in an i8 row, without the scale after them. */
  readonly width: number
  /** Number of bytes from the start of one row to the start of the next. */
  readonly stride: number
  readonly rows: number
  readonly products: number
  /** Start of the `SPARE_BYTES` bytes for other data. */
  readonly spare: number
  readonly end: number
}

const SPARE_BYTES = 8 * MAX_ROWS

/** Size of a page of WebAssembly memory. */
export const PAGE_BYTES = 65_536
/**
 * Maximum absolute value of the numbers in the scaled query. It is lowered if the sum of products could exceed 32 bits.
 */
const MAX_NUMBER = 32_767
const MAX_I8 = 127

/** Size of a stored row in bytes: the i8 numbers, padded with zeros to a multiple of 4, and 1 ÷ its length as f32. */
export function rowBytes(dimensions: number): number {
  return align(dimensions, 4) + 4
}

/**
 * Compares i8 rows with one query. In WebAssembly, an instruction processes eight numbers (45 ns for 512 numbers). If
 * the engine has no SIMD (a processor without AVX), plain JavaScript is used. The results are the same.
 */
export class RowProducts {
  readonly room: CopyTarget
  readonly shape: RoomShape
  /** The memory from `shape.spare` on, as u32 and as f64, for callers that need numbers next to the rows. */
  readonly words: Uint32Array
  readonly numbers: Float64Array
  readonly #query: Int16Array
  readonly #products: Int32Array
  readonly #scales: Float32Array
  readonly #multiply: (count: number) => void

  constructor(dimensions: number, isPlain = false) {
    const shape = shapeOf(dimensions)
    const made = isPlain ? null : multiplierMemory(shape.end, shape.end)
    const buffer = made?.memory.buffer ?? new ArrayBuffer(shape.end)
    const multiply = made?.multiply ?? plainMultiplier(buffer)
    this.shape = shape
    this.room = copyTargetOf(new Uint8Array(buffer))
    this.words = new Uint32Array(buffer, shape.spare, SPARE_BYTES / 4)
    this.numbers = new Float64Array(buffer, shape.spare, SPARE_BYTES / 8)
    this.#query = new Int16Array(buffer, 0, shape.width)
    this.#products = new Int32Array(buffer, shape.products, MAX_ROWS)
    this.#scales = new Float32Array(buffer, 0, shape.end / 4)
    const { rows, stride, width, products } = shape
    this.#multiply = (count) => multiply(rows, rows + count * stride, stride, width, products)
  }

  /** Sets the query for the following comparisons, converted to 16-bit numbers. */
  setQuery(query: Float32Array): void {
    scaleQuery(query, this.#query)
  }

  rowAt(place: number): number {
    return this.shape.rows + place * this.shape.stride
  }

  /** Compares the first `count` rows in memory with the query. */
  compare(count: number): void {
    if (count > 0) this.#multiply(count)
  }

  /** The cosine of a row, multiplied by a factor that is the same for all rows; 0 for a row of zeros. */
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

/**
 * Writes the query to `scaled` as 16-bit numbers, as large as the 32 bits of a sum of products allow. Returns the factor
 * by which it was multiplied; 0 for a query of zeros.
 */
export function scaleQuery(query: Float32Array, scaled: Int16Array): number {
  let largest = 0
  for (const value of query) largest = Math.max(largest, Math.abs(value))
  const max = Math.min(MAX_NUMBER, Math.floor((2 ** 31 - 1) / MAX_I8 / query.length))
  const scale = largest === 0 ? 0 : max / largest
  for (let i = 0; i < query.length; i++) scaled[i] = Math.round(query[i]! * scale)
  return scale
}

/**
 * Multiplies the query at address 0 with the rows from address `rows` to `end` that begin every `stride` bytes, `width`
 * numbers each (a multiple of 8), and writes one 32-bit product per row from `products` on.
 */
export type Multiply = (rows: number, end: number, stride: number, width: number, products: number) => void

/** A memory of at least this many bytes for rows, and its multiplication; null if the engine has no SIMD. */
export function multiplierMemory(bytes: number, maxBytes: number) {
  const module = multiplyModule()
  if (module === null) return null
  const [initial, maximum] = [Math.ceil(bytes / PAGE_BYTES), Math.ceil(maxBytes / PAGE_BYTES)]
  const memory = new WebAssembly.Memory({ initial, maximum })
  const { multiply } = new WebAssembly.Instance(module, { env: { memory } }).exports as { multiply: Multiply }
  return { memory, multiply }
}

/**
 * The multiplication in JavaScript. The query is padded with zeros, so that bytes after the end of a row have no effect.
 */
export function plainMultiplier(buffer: ArrayBuffer): Multiply {
  const bytes = new Int8Array(buffer)
  return (rows, end, stride, width, products) => {
    const query = new Int16Array(buffer, 0, width)
    const sums = new Int32Array(buffer, products, Math.ceil((end - rows) / stride))
    for (let place = 0, row = rows; row < end; place++, row += stride) {
      let sum = 0
      for (let i = 0; i < width; i++) sum = (sum + Math.imul(query[i]!, bytes[row + i]!)) | 0
      sums[place] = sum
    }
  }
}

export function align(bytes: number, to: number): number {
  return Math.ceil(bytes / to) * to
}

/**
 * Some 150 bytes of WebAssembly, written by hand because they are few:
 *
 *   multiply(rows, end, stride, width, products):
 *     do {
 *       sum = four zeros; i = 0
 *       do sum += pairs of (8 of i16 at 2·i) × (8 of i8 at rows + i); while ((i += 8) < width)
 *       i32 at products = the four of sum; products += 4
 *     } while ((rows += stride) < end)
 *
 * Null if the engine has no SIMD.
 */
function multiplyModule(): WebAssembly.Module | null {
  if (module === undefined) module = encodeModule()
  return module
}

let module: WebAssembly.Module | null | undefined

// Codes from the WebAssembly specification, 5.4 and 5.5.
const CONST = 0x41
const ADD = 0x6a
const SHIFT_LEFT = 0x74
const LESS_UNSIGNED = 0x49
const STORE = 0x36
const ZEROS = [SIMD, 0x0c, ...new Array<number>(16).fill(0)]
/** Loads 16 bytes from any address; the alignment in the instruction says that the address may be unaligned. */
const LOAD = [SIMD, 0x00, 0, 0]
const LOAD_8_OF_I8 = [SIMD, 0x01, 0, 0]
const ADD_4 = [SIMD, 0xae, 0x01]
const lane = (number: number) => [SIMD, 0x1b, number]

const [ROWS, LAST, STRIDE, WIDTH, PRODUCTS, I, SUM] = [0, 1, 2, 3, 4, 5, 6] as const

const CODE = [
  ...[2, 1, I32, 1, V128],
  ...LOOP,
  ...[...ZEROS, SET, SUM, CONST, 0, SET, I],
  ...LOOP,
  ...[GET, SUM],
  ...[GET, I, CONST, 1, SHIFT_LEFT, ...LOAD],
  ...[GET, ROWS, GET, I, ADD, ...LOAD_8_OF_I8],
  ...[...MULTIPLY_PAIRS, ...ADD_4, SET, SUM],
  ...[GET, I, CONST, 8, ADD, TEE, I, GET, WIDTH, LESS_UNSIGNED, ...AGAIN],
  END,
  ...[GET, PRODUCTS],
  ...[GET, SUM, ...lane(0), GET, SUM, ...lane(1), ADD, GET, SUM, ...lane(2), ADD, GET, SUM, ...lane(3), ADD],
  ...[STORE, 2, 0, GET, PRODUCTS, CONST, 4, ADD, SET, PRODUCTS],
  ...[GET, ROWS, GET, STRIDE, ADD, TEE, ROWS, GET, LAST, LESS_UNSIGNED, ...AGAIN],
  END,
  END,
]

function encodeModule(): WebAssembly.Module | null {
  return compileWasm([
    section(1, [[0x60, 5, I32, I32, I32, I32, I32, 0]]),
    section(2, [[...name("env"), ...name("memory"), 2, 0, 1]]),
    section(3, [[0]]),
    section(7, [[...name("multiply"), 0, 0]]),
    section(10, [withLength(CODE)]),
  ])
}
