/*
 * How WebAssembly's binary format writes what a module is made of: chapter 5 of its specification.
 */

/** A module of these sections; null where the engine lacks what they use. */
export function compile(sections: readonly (readonly number[])[]): WebAssembly.Module | null {
  const bytes = Uint8Array.from([0, 0x61, 0x73, 0x6d, 1, 0, 0, 0, ...sections.flat()])
  return WebAssembly.validate(bytes) ? new WebAssembly.Module(bytes) : null
}

export function section(id: number, entries: readonly (readonly number[])[]): number[] {
  return [id, ...withLength([entries.length, ...entries.flat()])]
}

export function withLength(content: readonly number[]): number[] {
  return [...sized(content.length), ...content]
}

export function name(text: string): number[] {
  return withLength([...Buffer.from(text)])
}

/** Seven bits a byte. */
export function sized(number: number): number[] {
  return number < 128 ? [number] : [(number & 127) | 128, ...sized(number >> 7)]
}

/** The same of a number with a sign, which is the last byte's bit 6. */
export function signed(number: number): number[] {
  return number < 64 ? [number] : [(number & 127) | 128, ...signed(number >> 7)]
}
