/**
 * Lengths of a chunk's fields in words as one byte: exact below 32, then sixteen steps per doubling, so never
 * more than 6 % below the truth; lengths from 524,288 on are all the same.
 */
export function encodeLength(words: number): number {
  if (words < EXACT) return words
  const exponent = 31 - Math.clz32(words)
  const code = EXACT + (exponent - 5) * STEPS + ((words >>> (exponent - 4)) & (STEPS - 1))
  return Math.min(code, 255)
}

export function decodeLength(code: number): number {
  if (code < EXACT) return code
  const exponent = 5 + ((code - EXACT) >>> 4)
  return (STEPS + ((code - EXACT) & (STEPS - 1))) << (exponent - 4)
}

const EXACT = 32
const STEPS = 16
