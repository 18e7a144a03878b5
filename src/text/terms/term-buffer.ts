/**
 * The terms of a text as parallel arrays. They are reused for the next text, so that no term needs an object or a
 * string. `parts` is 1 for a word, n for the compound of an identifier with n words, and 0 for an additional form of a
 * word (without accents, or a single Han character).
 */
export type TermBuffer = {
  hi: Uint32Array
  lo: Uint32Array
  parts: Uint8Array
  /** Number of terms. */
  count: number
  /** Number of words among the terms; compounds and additional forms do not count. */
  words: number
}

export function createTermBuffer(capacity = 4096): TermBuffer {
  return {
    hi: new Uint32Array(capacity),
    lo: new Uint32Array(capacity),
    parts: new Uint8Array(capacity),
    count: 0,
    words: 0,
  }
}

export function clearTerms(buffer: TermBuffer): void {
  buffer.count = 0
  buffer.words = 0
}

export function reserveTerms(buffer: TermBuffer, more: number): void {
  const needed = buffer.count + more
  if (needed <= buffer.hi.length) return
  const capacity = Math.max(needed, buffer.hi.length * 2)
  buffer.hi = grown(buffer.hi, new Uint32Array(capacity))
  buffer.lo = grown(buffer.lo, new Uint32Array(capacity))
  buffer.parts = grown(buffer.parts, new Uint8Array(capacity))
}

function grown<T extends Uint32Array | Uint8Array>(from: T, into: T): T {
  into.set(from)
  return into
}
