import {
  align,
  type Multiply,
  multiplierMemory,
  PAGE_BYTES,
  plainMultiplier,
  scaleQuery,
} from "./row-products.ts"

/** Number of rows whose products are in memory at once. */
const BLOCK = 2048
/** Maximum size of a WebAssembly memory. */
const MAX_BYTES = 2 ** 32
/** A row is read eight numbers at a time, which can be up to seven bytes beyond its end. */
const PADDING = 8
/** Min number of rows for WebAssembly, because a memory for it takes longer to make than a few rows to compare. */
const MIN_SIMD_ROWS = 256
/** Growth factor of a table outside of WebAssembly. */
const ROOM = 1.5
/**
 * Min growth of a WebAssembly memory, as a share of its size. It usually grows in place, and pages without rows take no
 * memory; where it is copied, this limits the copies.
 */
const SPARE_SHARE = 0.125

/** A product of `RowTable.compare` × `scale` is the dot product of the query and a row. */
export type QueryScale = {
  readonly scale: number
  /** Max error of that product, for a row of length 1. */
  readonly maxError: number
}

/**
 * A growing table of i8 rows, all of which are compared with a query: in WebAssembly (.75 ms for 50,000 rows of 256
 * numbers), or in JavaScript if the engine has no SIMD (a processor without AVX) or the table is small.
 */
export class RowTable {
  readonly dimensions: number
  readonly #isPlain: boolean
  readonly #width: number
  readonly #productsAt: number
  readonly #rowsAt: number
  #memory: WebAssembly.Memory | null = null
  #multiply: Multiply = () => {}
  #rows = new Int8Array(0)

  /** `isPlain`: compare in JavaScript. */
  constructor(dimensions: number, rowCount: number, isPlain = false) {
    this.dimensions = dimensions
    this.#isPlain = isPlain
    this.#width = align(dimensions, 8)
    this.#productsAt = 2 * this.#width
    this.#rowsAt = this.#productsAt + 4 * BLOCK
    this.#allocate(rowCount)
  }

  /** The rows, one after the other; another array after `reserve`. */
  get rows(): Int8Array {
    return this.#rows
  }

  /** Makes room for this number of rows in total. */
  reserve(rowCount: number): void {
    if (rowCount * this.dimensions <= this.#rows.length) return
    if (this.#memory === null) {
      const former = this.#rows
      this.#allocate(Math.ceil(rowCount * ROOM))
      this.#rows.set(former)
    } else {
      const { byteLength } = this.#memory.buffer
      const missing = this.#bytesFor(rowCount) - byteLength
      this.#memory.grow(Math.ceil(Math.max(missing, byteLength * SPARE_SHARE) / PAGE_BYTES))
      this.#rows = this.#rowsIn(this.#memory.buffer)
    }
  }

  /** Sets the query, of length 1, for `compare`. */
  setQuery(query: Float32Array): QueryScale {
    const scaled = new Int16Array(this.#rows.buffer, 0, this.#width)
    const factor = scaleQuery(query, scaled)
    let squares = 0
    for (let i = 0; i < query.length; i++) squares += (query[i]! - scaled[i]! / factor) ** 2
    return { scale: 1 / factor, maxError: Math.sqrt(squares) }
  }

  /**
   * Compares the first `count` rows with the query. `take` gets the products of the rows from `first` on in the first
   * `length` elements.
   */
  compare(count: number, take: (products: Int32Array, first: number, length: number) => void): void {
    const products = new Int32Array(this.#rows.buffer, this.#productsAt, BLOCK)
    for (let first = 0; first < count; first += BLOCK) {
      const length = Math.min(BLOCK, count - first)
      const start = this.#rowsAt + first * this.dimensions
      const end = start + length * this.dimensions
      this.#multiply(start, end, this.dimensions, this.#width, this.#productsAt)
      take(products, first, length)
    }
  }

  #allocate(rowCount: number): void {
    const bytes = this.#bytesFor(rowCount)
    const made = this.#isPlain || rowCount < MIN_SIMD_ROWS ? null : multiplierMemory(bytes, MAX_BYTES)
    const buffer = made?.memory.buffer ?? new ArrayBuffer(bytes)
    this.#memory = made?.memory ?? null
    this.#multiply = made?.multiply ?? plainMultiplier(buffer)
    this.#rows = this.#rowsIn(buffer)
  }

  #bytesFor(rowCount: number): number {
    return this.#rowsAt + rowCount * this.dimensions + PADDING
  }

  #rowsIn(buffer: ArrayBuffer): Int8Array<ArrayBuffer> {
    return new Int8Array(buffer, this.#rowsAt, buffer.byteLength - this.#rowsAt - PADDING)
  }
}
