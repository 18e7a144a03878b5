import { ESCAPE, THIRD } from "./tuple-code.ts"

/**
 * Writes which definitions in a chunk have the term in their names. These bytes follow each posting whose third field
 * is not 0. Each definition takes one byte, which is the sum of: 128 if more definitions follow; twice the number of
 * steps from the previous definition (at first from −1); and 1 if the term is the whole name (its compound). If the sum
 * without the 128 is 1, the byte only skips 63 steps; if it is 0, there is no definition.
 */
export function writeNames(
  bytes: Uint8Array,
  start: number,
  names: Uint32Array,
  from: number,
  to: number,
): number {
  let at = start
  if (from === to) {
    bytes[at++] = 0
    return at
  }
  let previous = -1
  for (let i = from; i < to; i++) {
    const symbol = names[i]! >>> 1
    for (; symbol - previous > MAX_STEPS; previous += MAX_STEPS) bytes[at++] = SKIP | MORE
    const more = i + 1 < to ? MORE : 0
    bytes[at++] = ((symbol - previous) << 1) | (names[i]! & 1) | more
    previous = symbol
  }
  return at
}

/** Upper bound of the number of bytes that `writeNames` writes. */
export function maxNameBytes(names: Uint32Array, from: number, to: number): number {
  return to - from + 1 + (from < to ? Math.floor((names[to - 1]! >>> 1) / MAX_STEPS) : 0)
}

/**
 * Position of the first byte after a posting. `start` is the end of its head (the document and the tuple code, which is
 * `code`); the frequencies and names that follow are skipped.
 */
export function tailEnd(bytes: Uint8Array, start: number, code: number): number {
  let at = start
  let third = THIRD[code]!
  if (code === ESCAPE) {
    at += 3
    third = bytes[at - 1]!
  }
  if (third > 0) while (bytes[at++]! >= MORE);
  return at
}

export const MORE = 128
export const SKIP = 1
export const MAX_STEPS = 63
