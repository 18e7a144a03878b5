/**
 * The 64-bit hash of a term, made of two 32-bit halves that are computed over its UTF-16 units. The index stores only
 * the hashes of terms. With two million terms, the chance that any two have the same hash is about one in ten million.
 */
export function hashTerm(term: string): bigint {
  let hi = SEED_HI
  let lo = SEED_LO
  for (let i = 0; i < term.length; i++) {
    const code = term.charCodeAt(i)
    hi = mixHi(hi, code)
    lo = mixLo(lo, code)
  }
  return (BigInt(finishHi(hi, lo)) << 32n) | BigInt(finishLo(hi, lo))
}

export const SEED_HI = 0x2c1b3c6d
export const SEED_LO = 0x297a2d39

// The half is rotated before it is multiplied, so that its low bits also depend on every earlier unit.
export function mixHi(hi: number, code: number): number {
  return Math.imul(((hi << 7) | (hi >>> 25)) ^ code, 0x9e3779b1)
}

export function mixLo(lo: number, code: number): number {
  return Math.imul(((lo << 5) | (lo >>> 27)) ^ code, 0x85ebca6b)
}

/** Mixes both halves into each half of the result, with the final mixing of murmur3. */
export function finishHi(hi: number, lo: number): number {
  return avalanche(hi ^ ((lo << 16) | (lo >>> 16)))
}

export function finishLo(hi: number, lo: number): number {
  return avalanche(lo + Math.imul(hi, 0x27d4eb2f))
}

function avalanche(value: number): number {
  let h = value
  h = Math.imul(h ^ (h >>> 16), 0x85ebca6b)
  h = Math.imul(h ^ (h >>> 13), 0xc2b2ae35)
  return (h ^ (h >>> 16)) >>> 0
}
