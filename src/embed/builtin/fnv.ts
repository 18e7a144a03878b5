/**
 * The hash FNV-1 with 64 bits (multiply, then xor), modulo 768, computed without BigInt.
 * http://www.isthe.com/chongo/tech/comp/fnv/: the prime is 2^40 + 0x1b3, the offset basis 0xcbf29ce484222325.
 */
export const BUCKETS = 768

const PRIME_LOW = 0x1b3
const OFFSET_LOW = 0x84222325 | 0
const OFFSET_HIGH = 0xcbf29ce4 | 0

/**
 * The bucket of the first two bytes of a three-byte window, `pair` = (first << 8) | second. The bucket of the window is
 * `pairBucket(pair) ^ third`, because FNV-1 xors the last byte into the lowest byte of the hash alone, and the bucket of
 * a hash is its lowest byte + 256 × a number that depends only on the bytes above (see `bucket`).
 */
export function pairBucket(pair: number): number {
  pairs.reset()
  pairs.add(pair >>> 8)
  pairs.add(pair & 255)
  pairs.multiply()
  return pairs.bucket()
}

/** A table of `pairBucket` for all pairs. It is worth building for many texts, but not for one query. */
export function pairBuckets(): Uint16Array {
  if (table !== undefined) return table
  table = new Uint16Array(1 << 16)
  for (let pair = 0; pair < table.length; pair++) table[pair] = pairBucket(pair)
  return table
}

let table: Uint16Array | undefined

/** The running hash as two signed 32-bit halves, which engines keep as integers. */
export class Fnv {
  low = OFFSET_LOW
  high = OFFSET_HIGH

  reset(): void {
    this.low = OFFSET_LOW
    this.high = OFFSET_HIGH
  }

  add(byte: number): void {
    this.multiply()
    this.low ^= byte
  }

  multiply(): void {
    // These are products of 16 × 9 bits, which fit into 32 bits. Multiplying with 2^40 (part of the prime) adds the low
    // half, shifted by 8 bits, to the high half.
    const low = this.low
    const small = Math.imul(low & 0xffff, PRIME_LOW)
    const large = Math.imul(low >>> 16, PRIME_LOW) + (small >>> 16)
    this.high = (Math.imul(this.high, PRIME_LOW) + (large >>> 16) + (low << 8)) | 0
    this.low = (large << 16) | (small & 0xffff)
  }

  bucket(): number {
    // This uses 2^32 ≡ 1 and 2^8 ≡ 1 modulo 3.
    const high = (((this.high >>> 0) % 3) + ((this.low >>> 8) % 3)) % 3
    return (this.low & 255) + 256 * high
  }
}

const pairs = new Fnv()
