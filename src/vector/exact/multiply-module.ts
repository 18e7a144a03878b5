import { compile, name, section, withLength } from "./wasm-code.ts"

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
export function multiplyModule(): WebAssembly.Module | null {
  if (module === undefined) module = encode()
  return module
}

let module: WebAssembly.Module | null | undefined

// Numbers of the WebAssembly specification, 5.4 and 5.5.
const I32 = 0x7f
const V128 = 0x7b
const GET = 0x20
const SET = 0x21
const TEE = 0x22
const CONST = 0x41
const ADD = 0x6a
const SHIFT_LEFT = 0x74
const LESS_UNSIGNED = 0x49
const STORE = 0x36
const END = 0x0b
const AGAIN = [0x0d, 0]
const LOOP = [0x03, 0x40]
const SIMD = 0xfd
const ZEROS = [SIMD, 0x0c, ...new Array<number>(16).fill(0)]
/** Without alignment, so from any address. */
const LOAD = [SIMD, 0x00, 0, 0]
const LOAD_8_OF_I8 = [SIMD, 0x01, 0, 0]
const MULTIPLY_PAIRS = [SIMD, 0xba, 0x01]
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

function encode(): WebAssembly.Module | null {
  return compile([
    section(1, [[0x60, 5, I32, I32, I32, I32, I32, 0]]),
    section(2, [[...name("env"), ...name("memory"), 2, 0, 1]]),
    section(3, [[0]]),
    section(7, [[...name("multiply"), 0, 0]]),
    section(10, [withLength(CODE)]),
  ])
}
