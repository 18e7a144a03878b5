import { ESCAPE, THIRD } from "./tuple-code.ts"

/**
 * Writes which of a chunk's definitions have the term in their own names; this follows each posting whose
 * third field is not 0. One byte per definition: 128 if more follow, plus twice the steps since the previous
 * one (from −1 at first), plus 1 if the term is the whole name, its compound. A value of 1 alone skips 63
 * steps; 0 means none.
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

/** Upper bound of the bytes that writeNames writes. */
export function maxNameBytes(names: Uint32Array, from: number, to: number): number {
  return to - from + 1 + (from < to ? Math.floor((names[to - 1]! >>> 1) / MAX_STEPS) : 0)
}

/** The end of a posting whose head ends at `start`, with its frequencies and names; `code` is its tuple code. */
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
