/*
 * The part of WebAssembly's binary format (https://webassembly.github.io/spec/core/binary/) that is needed for
 * loops over groups of four numbers. JavaScript has no such instructions, and those of WebAssembly give the
 * same bits on every machine.
 */

export type Code = readonly number[]

export const I32 = 0x7f
export const F32 = 0x7d
export const V128 = 0x7b

export type WasmFunction = {
  readonly name: string
  /** Types of the parameters, and of the other local variables. */
  readonly parameters: readonly number[]
  readonly locals: readonly number[]
  readonly body: Code
}

/** A module of functions without results that work on an imported memory, env.memory. */
export function assemble(functions: readonly WasmFunction[], pages: number): Uint8Array<ArrayBuffer> {
  const types = functions.map(({ parameters }) => [0x60, ...list(parameters.map((type) => [type])), 0])
  const exports = functions.map(({ name }, i) => [...text(name), 0, ...unsigned(i)])
  const bodies = functions.map(({ locals, body }) => {
    const code = [...list(locals.map((type) => [1, type])), ...body, 0x0b]
    return [...unsigned(code.length), ...code]
  })
  return Uint8Array.from([
    ...[0, 0x61, 0x73, 0x6d, 1, 0, 0, 0],
    ...section(1, list(types)),
    ...section(2, list([[...text("env"), ...text("memory"), 2, 0, ...unsigned(pages)]])),
    ...section(3, list(functions.map((_, i) => unsigned(i)))),
    ...section(7, list(exports)),
    ...section(10, list(bodies)),
  ])
}

export const get = (local: number): Code => [0x20, local]
export const set = (local: number, value: Code): Code => [...value, 0x21, local]
export const number = (value: number): Code => [0x41, ...signed(value)]
export const add = (a: Code, b: Code): Code => [...a, ...b, 0x6a]
export const subtract = (a: Code, b: Code): Code => [...a, ...b, 0x6b]
export const increase = (local: number, by: Code): Code => set(local, add(get(local), by))
/** Repeats `body` until the variable `local` has reached `end`; runs it at least once. */
export const until = (local: number, end: Code, body: Code): Code => [
  ...[0x03, 0x40],
  ...body,
  ...get(local),
  ...end,
  ...[0x49, 0x0d, 0, 0x0b],
]

export const load4 = (address: Code): Code => [...address, 0xfd, 0, 2, 0]
export const store4 = (address: Code, value: Code): Code => [...address, ...value, 0xfd, 0x0b, 2, 0]
export const spread4 = (value: Code): Code => [...value, 0xfd, 0x13]
export const add4 = (a: Code, b: Code): Code => [...a, ...b, 0xfd, 0xe4, 1]
export const subtract4 = (a: Code, b: Code): Code => [...a, ...b, 0xfd, 0xe5, 1]
export const times4 = (a: Code, b: Code): Code => [...a, ...b, 0xfd, 0xe6, 1]
export const over4 = (a: Code, b: Code): Code => [...a, ...b, 0xfd, 0xe7, 1]
export const root4 = (a: Code): Code => [...a, 0xfd, 0xe3, 1]
export const zero4: Code = [0xfd, 0x0c, ...new Array<number>(16).fill(0)]
/** Stores the sum of the four numbers in a local variable. */
export const storeSum = (address: Code, local: number, offset: number): Code => [
  ...address,
  ...lane(local, 0),
  ...lane(local, 1),
  0x92,
  ...lane(local, 2),
  ...lane(local, 3),
  ...[0x92, 0x92, 0x38, 2, ...unsigned(offset)],
]

function lane(local: number, index: number): Code {
  return [...get(local), 0xfd, 0x1f, index]
}

function section(id: number, content: Code): Code {
  return [id, ...unsigned(content.length), ...content]
}

function list(items: readonly Code[]): Code {
  return [...unsigned(items.length), ...items.flat()]
}

function text(value: string): Code {
  return list(Array.from(new TextEncoder().encode(value), (byte) => [byte]))
}

/** A number in LEB128. */
function unsigned(value: number): Code {
  return value < 128 ? [value] : [(value & 127) | 128, ...unsigned(value >>> 7)]
}

function signed(value: number): Code {
  const rest = value >> 7
  const isLast = (rest === 0 && (value & 64) === 0) || (rest === -1 && (value & 64) !== 0)
  return isLast ? [value & 127] : [(value & 127) | 128, ...signed(rest)]
}
