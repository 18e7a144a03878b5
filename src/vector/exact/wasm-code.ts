import { unsigned } from "../../base/wasm-binary.ts"

/*
 * Encodes parts of a module in WebAssembly's binary format; see chapter 5 of its specification.
 */

/** Creates a module from these sections; null if the engine lacks a feature that they use. */
export function compileWasm(sections: readonly (readonly number[])[]): WebAssembly.Module | null {
  const bytes = Uint8Array.from([0, 0x61, 0x73, 0x6d, 1, 0, 0, 0, ...sections.flat()])
  return WebAssembly.validate(bytes) ? new WebAssembly.Module(bytes) : null
}

export function section(id: number, entries: readonly (readonly number[])[]): number[] {
  return [id, ...withLength([entries.length, ...entries.flat()])]
}

export function withLength(content: readonly number[]): number[] {
  return [...unsigned(content.length), ...content]
}

export function name(text: string): number[] {
  return withLength([...Buffer.from(text)])
}

// Codes from the WebAssembly specification, 5.4 and 5.5.
export const I32 = 0x7f
export const V128 = 0x7b
export const GET = 0x20
export const SET = 0x21
export const TEE = 0x22
export const END = 0x0b
export const LOOP = [0x03, 0x40]
export const AGAIN = [0x0d, 0]
export const SIMD = 0xfd
export const MULTIPLY_PAIRS = [SIMD, 0xba, 0x01]
