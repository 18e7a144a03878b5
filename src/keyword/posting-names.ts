import { ESCAPE, THIRD } from "./tuple-code.ts"

/**
 * Which of a chunk's definitions have the term in their own names: they follow each posting whose third field has it.
 * A byte each: 128 where more follow, twice the steps from the one before (from −1 at first), 1 where the term is all
 * of the name, its compound. 1 alone is 63 steps without one; 0 is none.
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
  let before = -1
  for (let i = from; i < to; i++) {
    const symbol = names[i]! >>> 1
    for (; symbol - before > MOST_STEPS; before += MOST_STEPS) bytes[at++] = SKIP | MORE
    const more = i + 1 < to ? MORE : 0
    bytes[at++] = ((symbol - before) << 1) | (names[i]! & 1) | more
    before = symbol
  }
  return at
}

/** The bytes that they take at most. */
export function mostNameBytes(names: Uint32Array, from: number, to: number): number {
  return to - from + 1 + (from < to ? Math.floor((names[to - 1]! >>> 1) / MOST_STEPS) : 0)
}

/** Where a posting ends, its frequencies and names, that has `code` and whose head ends at `start`. */
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
export const MOST_STEPS = 63
