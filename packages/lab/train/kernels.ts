import * as wasm from "./assemble.ts"

const PAGE_BYTES = 65_536

type Loops = Readonly<Record<"addTimes" | "adagrad" | "products", (...values: number[]) => void>>

/** The inner loops of training, over arrays in one memory. */
export class Kernels {
  readonly #memory: WebAssembly.Memory
  readonly #run: Loops
  #used = 16

  /** `numbers`: how many numbers all arrays together have room for. */
  constructor(numbers: number) {
    const pages = Math.ceil((numbers * 4 + PAGE_BYTES) / PAGE_BYTES)
    this.#memory = new WebAssembly.Memory({ initial: pages })
    const module = new WebAssembly.Module(wasm.assemble([ADD_TIMES, ADAGRAD, PRODUCTS], pages))
    const instance = new WebAssembly.Instance(module, { env: { memory: this.#memory } })
    this.#run = instance.exports as Loops
  }

  /** An array of zeros for the loops; its memory is never released. */
  array(length: number): Float32Array {
    const array = new Float32Array(this.#memory.buffer, this.#used, length)
    this.#used += Math.ceil(length / 4) * 16
    return array
  }

  /** to[toAt…] += by × from[fromAt…], `length` numbers, a multiple of four. */
  addTimes(
    to: Float32Array,
    toAt: number,
    from: Float32Array,
    fromAt: number,
    by: number,
    length: number,
  ): void {
    this.#run.addTimes(to.byteOffset + toAt * 4, from.byteOffset + fromAt * 4, by, length * 4)
  }

  /**
   * One step of Adagrad on a row: squares += g², row −= rate × g / √squares. Then sets the gradients to zero.
   */
  adagrad(
    row: Float32Array,
    squares: Float32Array,
    at: number,
    g: Float32Array,
    gAt: number,
    rate: number,
    length: number,
  ): void {
    const bytes = at * 4
    this.#run.adagrad(
      row.byteOffset + bytes,
      squares.byteOffset + bytes,
      g.byteOffset + gAt * 4,
      rate,
      length * 4,
    )
  }

  /**
   * out = a · bᵀ for row-major a (rows × inner) and b (columns × inner). `rows` and `inner` must be multiples
   * of four, `columns` of two.
   */
  timesTransposed(
    a: Float32Array,
    b: Float32Array,
    out: Float32Array,
    rows: number,
    columns: number,
    inner: number,
  ): void {
    const end = (array: Float32Array, length: number) => array.byteOffset + length * 4
    this.#run.products(
      a.byteOffset,
      end(a, rows * inner),
      b.byteOffset,
      end(b, columns * inner),
      out.byteOffset,
      inner * 4,
      columns * 4,
    )
  }
}

const { add, add4, get, increase, load4, number, set, store4, times4, until } = wasm
const NEXT = number(16)

// Locals: to, from, by, then the end, and by four times.
const ADD_TIMES: wasm.WasmFunction = {
  name: "addTimes",
  parameters: [wasm.I32, wasm.I32, wasm.F32, wasm.I32],
  locals: [wasm.V128],
  body: [
    ...set(3, add(get(0), get(3))),
    ...set(4, wasm.spread4(get(2))),
    ...until(0, get(3), [
      ...store4(get(0), add4(load4(get(0)), times4(load4(get(1)), get(4)))),
      ...increase(1, NEXT),
      ...increase(0, NEXT),
    ]),
  ],
}

// Locals: row, squares, gradients, rate, then the end of the row, rate four times, gradients, squares.
const ADAGRAD: wasm.WasmFunction = {
  name: "adagrad",
  parameters: [wasm.I32, wasm.I32, wasm.I32, wasm.F32, wasm.I32],
  locals: [wasm.V128, wasm.V128, wasm.V128],
  body: [
    ...set(4, add(get(0), get(4))),
    ...set(5, wasm.spread4(get(3))),
    ...until(0, get(4), [
      ...set(6, load4(get(2))),
      ...set(7, add4(load4(get(1)), times4(get(6), get(6)))),
      ...store4(get(1), get(7)),
      ...store4(
        get(0),
        wasm.subtract4(load4(get(0)), wasm.over4(times4(get(5), get(6)), wasm.root4(get(7)))),
      ),
      ...store4(get(2), wasm.zero4),
      ...increase(1, NEXT),
      ...increase(2, NEXT),
      ...increase(0, NEXT),
    ]),
  ],
}

// Locals: a, its end, b, its end, out, bytes of a row of a and b, bytes of a row of out;
const [A, A_END, B, B_END, OUT, INNER, STRIDE] = [0, 1, 2, 3, 4, 5, 6] as const
// then the row of b, how far along the rows, the place in out, and eight sums: four rows of a by two of b.
const [ROW, ALONG, PLACE, SUMS] = [7, 8, 9, 10] as const

const PRODUCTS: wasm.WasmFunction = {
  name: "products",
  parameters: [wasm.I32, wasm.I32, wasm.I32, wasm.I32, wasm.I32, wasm.I32, wasm.I32],
  locals: [wasm.I32, wasm.I32, wasm.I32, ...new Array<number>(14).fill(wasm.V128)],
  body: until(A, get(A_END), [
    ...set(ROW, get(B)),
    ...set(PLACE, get(OUT)),
    ...until(ROW, get(B_END), [
      ...range(8).flatMap((i) => set(SUMS + i, wasm.zero4)),
      ...set(ALONG, number(0)),
      ...until(ALONG, get(INNER), [
        ...range(4).flatMap((row) => set(SUMS + 8 + row, load4(add(rowOf(A, row), get(ALONG))))),
        ...range(2).flatMap((row) => set(SUMS + 12 + row, load4(add(rowOf(ROW, row), get(ALONG))))),
        ...range(8).flatMap((i) =>
          set(SUMS + i, add4(get(SUMS + i), times4(get(SUMS + 8 + (i >> 1)), get(SUMS + 12 + (i & 1))))),
        ),
        ...increase(ALONG, NEXT),
      ]),
      ...range(8).flatMap((i) => wasm.storeSum(placeOf(i >> 1), SUMS + i, (i & 1) * 4)),
      ...increase(PLACE, number(8)),
      ...set(ROW, rowOf(ROW, 2)),
    ]),
    ...set(A, rowOf(A, 4)),
    ...set(OUT, times(OUT, STRIDE, 4)),
  ]),
}

function rowOf(base: number, row: number): wasm.Code {
  return times(base, INNER, row)
}

function placeOf(row: number): wasm.Code {
  return times(PLACE, STRIDE, row)
}

/** Code for base + count × step, computed by additions. */
function times(base: number, step: number, count: number): wasm.Code {
  return count === 0 ? get(base) : add(times(base, step, count - 1), get(step))
}

function range(length: number): number[] {
  return Array.from({ length }, (_, i) => i)
}

/** The transpose of a row-major matrix. */
export function transpose(from: Float32Array, to: Float32Array, rows: number, columns: number): void {
  for (let i = 0; i < rows; i++) for (let j = 0; j < columns; j++) to[j * rows + i] = from[i * columns + j]!
}
