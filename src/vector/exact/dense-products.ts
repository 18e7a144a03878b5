import { signed, unsigned } from "../../base/wasm-binary.ts"
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

// Dot products of a query with stored rows of numbers of 16 bits (f16) or 8 bits (i8), in WebAssembly, because SIMD
// instructions are not available in JavaScript. The module has three functions: `halves` and `bytes` multiply the query
// with a row, `squares` a row with itself. `encodeModule` at the end of this file assembles the module, byte by byte.

/**
 * Maximum number of dimensions. The numbers of the query, with 64 bits each, take half of the memory (one page of 64
 * KiB); the row has the other half.
 */
const MAX_DIMENSIONS = 4_096
const ROW_AT = 8 * MAX_DIMENSIONS

type ProductExports = {
  readonly memory: WebAssembly.Memory
  readonly halves: Product
  readonly bytes: Product
  readonly squares: Product
}
type Product = (row: number, end: number) => number

/** Compares queries without many zeros with rows of f16 or i8. Each row is copied to the WebAssembly memory. */
class DenseProducts {
  readonly #query: Float64Array
  readonly #memory: Buffer
  readonly #exports: ProductExports
  #lastQuery: Float32Array | null = null
  /**
   * The bytes of each block of rows. A Buffer copies a row in 20 ns; a typed array needs a new view for it, and 180 ns. The
   * references are weak, because a block may be a mapped file.
   */
  readonly #bytesOf = new WeakMap<Int8Array | Uint16Array, Buffer>()

  constructor(module: WebAssembly.Module) {
    this.#exports = new WebAssembly.Instance(module).exports as ProductExports
    const { buffer } = this.#exports.memory
    this.#query = new Float64Array(buffer, 0, MAX_DIMENSIONS)
    this.#memory = Buffer.from(buffer)
  }

  /**
   * The dot product of a query and the row that begins at `at`. The array of the query must not be modified between
   * calls, because it is copied only when another array is passed.
   */
  dot(query: Float32Array, rows: Int8Array | Uint16Array, at: number): number {
    if (query !== this.#lastQuery) this.#setQuery(query)
    const end = this.#copyRow(rows, at, query.length)
    return rows instanceof Uint16Array ? this.#exports.halves(ROW_AT, end) : this.#exports.bytes(ROW_AT, end)
  }

  /** The length of the i8 row that begins at `at`. */
  lengthOf(rows: Int8Array, at: number, dimensions: number): number {
    const end = this.#copyRow(rows, at, dimensions)
    this.#memory.fill(0, end, end + 16)
    return Math.sqrt(this.#exports.squares(ROW_AT, end))
  }

  /** Copies a row of `length` numbers to the memory; returns the address of its end. */
  #copyRow(rows: Int8Array | Uint16Array, at: number, length: number): number {
    let bytes = this.#bytesOf.get(rows)
    if (bytes === undefined) {
      bytes = Buffer.from(rows.buffer, rows.byteOffset, rows.byteLength)
      this.#bytesOf.set(rows, bytes)
    }
    const width = rows.BYTES_PER_ELEMENT
    bytes.copy(this.#memory, ROW_AT, at * width, (at + length) * width)
    return ROW_AT + length * width
  }

  /** Copies the query and adds zeros after it, so that bytes after the end of a row have no effect. */
  #setQuery(query: Float32Array): void {
    this.#query.set(query)
    this.#query.fill(0, query.length, query.length + 16)
    this.#lastQuery = query
  }
}

let products: DenseProducts | null | undefined

/**
 * The comparison in WebAssembly. Null if the engine has no SIMD, or if the number of dimensions is odd or too high;
 * then the plain loops must be used.
 */
export function denseProducts(dimensions: number): DenseProducts | null {
  if (dimensions % 2 !== 0 || dimensions > MAX_DIMENSIONS - 16) return null
  if (products === undefined) {
    const module = denseModule()
    products = module === null ? null : new DenseProducts(module)
  }
  return products
}

/**
 * The WebAssembly module, a few hundred bytes that are written by hand. Each function processes 16 numbers per
 * iteration. Even and odd positions are summed separately in 64 bits, so that the result is exactly that of the plain
 * loops in cosine.ts. The query begins at address 0, with 64 bits per number; the row is between `row` and `end`.
 *
 *   halves(row, end): product with an f16 row. Its bits, shifted to their place in an f32, give the value × 2⁻¹¹²
 *   bytes(row, end): product with an i8 row
 *   squares(row, end): sum of the squares of an i8 row
 *
 * Null if the engine has no SIMD.
 */
function denseModule(): WebAssembly.Module | null {
  if (module === undefined) module = encodeModule()
  return module
}

let module: WebAssembly.Module | null | undefined

// Codes from the WebAssembly specification, 5.4 and 5.5.
const F64 = 0x7c
const I32_CONST = 0x41
const I32_ADD = 0x6a
const I32_LESS = 0x49
const F64_ADD = 0xa0
const F64_MULTIPLY = 0xa2
const F64_OF_I32 = 0xb7
const SHIFT_LEFT = [SIMD, 0xab, 0x01]
const AND = [SIMD, 0x4e]
const TO_F64 = [SIMD, 0x5f]
const INTEGERS_TO_F64 = [SIMD, 0xfe, 0x01]
const MULTIPLY = [SIMD, 0xf2, 0x01]
const ADD = [SIMD, 0xf0, 0x01]
const LOW_TO_I32 = [SIMD, 0xa7, 0x01]
const HIGH_TO_I32 = [SIMD, 0xa8, 0x01]
const ADD_I32 = [SIMD, 0xae, 0x01]
/** Moves the upper two of four lanes to the lower places. The vector must be on the stack twice. */
const UPPER = [SIMD, 0x0d, ...[8, 9, 10, 11, 12, 13, 14, 15, 8, 9, 10, 11, 12, 13, 14, 15]]
const load = (kind: 0x00 | 0x01 | 0x03, offset: number) => [SIMD, kind, 0, ...unsigned(offset)]
const f64Lane = (lane: number) => [SIMD, 0x21, lane]
const i32Lane = (lane: number) => [SIMD, 0x1b, lane]

const [ROW, LAST, QUERY, FOUR, EIGHT, SUM] = [0, 1, 2, 3, 4, 5] as const
const LOCALS = [2, 1, I32, 3, V128]
const TURN = 16

/** Mask for the bits of an f16 after they are shifted to their place in an f32: the sign, and the bits from 13 on. */
const HALF_BITS = [0x00, 0xe0, 0xff, 0x8f]
const HALF_MASK = [SIMD, 0x0c, ...HALF_BITS, ...HALF_BITS, ...HALF_BITS, ...HALF_BITS]
const HALF_SCALE = [0x44, ...new Uint8Array(Float64Array.of(2 ** 112).buffer)]

/** Adds up the products of the four numbers in FOUR. `convert` converts a pair of them to 64 bits. */
function addFour(convert: readonly number[], queryAt: number): number[] {
  return [
    ...[GET, FOUR, ...convert, GET, QUERY, ...load(0x00, queryAt), ...MULTIPLY, GET, SUM, ...ADD],
    ...[GET, FOUR, GET, FOUR, ...UPPER, ...convert],
    ...[GET, QUERY, ...load(0x00, queryAt + 16), ...MULTIPLY, ...ADD, SET, SUM],
  ]
}

function fourHalves(at: number): number[] {
  return [
    ...[GET, ROW, ...load(0x03, at * 2), I32_CONST, 13, ...SHIFT_LEFT, ...HALF_MASK, ...AND, SET, FOUR],
    ...addFour(TO_F64, at * 8),
  ]
}

function eightBytes(at: number): number[] {
  return [
    ...[GET, ROW, ...load(0x01, at), TEE, EIGHT, ...LOW_TO_I32, SET, FOUR],
    ...addFour(INTEGERS_TO_F64, at * 8),
    ...[GET, EIGHT, ...HIGH_TO_I32, SET, FOUR],
    ...addFour(INTEGERS_TO_F64, at * 8 + 32),
  ]
}

function eightSquares(at: number): number[] {
  return [
    ...[GET, ROW, ...load(0x01, at), TEE, EIGHT, GET, EIGHT, ...MULTIPLY_PAIRS],
    ...[GET, SUM, ...ADD_I32, SET, SUM],
  ]
}

/** A loop over the whole row. `width` is the number of bytes per number. */
function eachTurn(turn: readonly number[], width: number): number[] {
  return [
    ...LOCALS,
    ...LOOP,
    ...turn,
    ...[GET, QUERY, I32_CONST, ...signed(TURN * 8), I32_ADD, SET, QUERY],
    ...[GET, ROW, I32_CONST, ...signed(TURN * width), I32_ADD, TEE, ROW, GET, LAST, I32_LESS, ...AGAIN],
    END,
  ]
}

const EVEN_AND_ODD = [GET, SUM, ...f64Lane(0), GET, SUM, ...f64Lane(1), F64_ADD]
const ALL_FOUR = [0, 1, 2, 3].flatMap((lane) => [GET, SUM, ...i32Lane(lane), ...(lane > 0 ? [I32_ADD] : [])])

function encodeModule(): WebAssembly.Module | null {
  const functions = {
    halves: [
      ...eachTurn([0, 4, 8, 12].flatMap(fourHalves), 2),
      ...[...EVEN_AND_ODD, ...HALF_SCALE, F64_MULTIPLY, END],
    ],
    bytes: [...eachTurn([0, 8].flatMap(eightBytes), 1), ...EVEN_AND_ODD, END],
    squares: [...eachTurn([0, 8].flatMap(eightSquares), 1), ...ALL_FOUR, F64_OF_I32, END],
  }
  const named = Object.keys(functions).map((own, i) => [...name(own), 0, i])
  return compileWasm([
    section(1, [[0x60, 2, I32, I32, 1, F64]]),
    section(3, [[0], [0], [0]]),
    section(5, [[0, 1]]),
    section(7, [[...name("memory"), 2, 0], ...named]),
    section(10, Object.values(functions).map(withLength)),
  ])
}
