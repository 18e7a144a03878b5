import { denseModule } from "./dense-module.ts"

/** So many numbers of 64 bits are half of the memory; the row has the other. */
const MOST_DIMENSIONS = 4_096
const ROW_AT = 8 * MOST_DIMENSIONS

type Exports = {
  readonly memory: WebAssembly.Memory
  readonly halves: Product
  readonly bytes: Product
  readonly squares: Product
}
type Product = (row: number, end: number) => number

/** Compares dense queries with rows of f16 or i8, each copied to where WebAssembly reads it. */
class DenseProducts {
  readonly #query: Float64Array
  readonly #bytes: Int8Array
  readonly #halves: Uint16Array
  readonly #exports: Exports
  #asked: Float32Array | null = null

  constructor(module: WebAssembly.Module) {
    this.#exports = new WebAssembly.Instance(module).exports as Exports
    const { buffer } = this.#exports.memory
    this.#query = new Float64Array(buffer, 0, MOST_DIMENSIONS)
    this.#bytes = new Int8Array(buffer, ROW_AT)
    this.#halves = new Uint16Array(buffer, ROW_AT)
  }

  /** The product of a query, which does not change, with the row that begins at `at`. */
  dot(query: Float32Array, rows: Int8Array | Uint16Array, at: number): number {
    if (query !== this.#asked) this.#ask(query)
    const { length } = query
    if (rows instanceof Uint16Array) {
      this.#halves.set(rows.subarray(at, at + length))
      return this.#exports.halves(ROW_AT, ROW_AT + 2 * length)
    }
    this.#bytes.set(rows.subarray(at, at + length))
    return this.#exports.bytes(ROW_AT, ROW_AT + length)
  }

  lengthOf(row: Int8Array): number {
    this.#bytes.set(row)
    this.#bytes.fill(0, row.length, row.length + 16)
    return Math.sqrt(this.#exports.squares(ROW_AT, ROW_AT + row.length))
  }

  /** What follows the query is zeros, so that nothing of what follows a row counts. */
  #ask(query: Float32Array): void {
    this.#query.set(query)
    this.#query.fill(0, query.length, query.length + 16)
    this.#asked = query
  }
}

let products: DenseProducts | null | undefined

/** Null where such rows have to be compared plainly: their even and odd places would not be added up as ever. */
export function denseProducts(dimensions: number): DenseProducts | null {
  if (dimensions % 2 !== 0 || dimensions > MOST_DIMENSIONS - 16) return null
  if (products === undefined) {
    const module = denseModule()
    products = module === null ? null : new DenseProducts(module)
  }
  return products
}
