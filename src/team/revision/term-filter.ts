/** Calls a function with the two halves of the hash of each term, some of them more than once. */
type EachTerm = (act: (hi: number, lo: number) => void) => void

/** With 10 bits for each term and 7 tests, about one in 100 terms that are not contained seems to be (Bloom 1970). */
const BITS_PER_TERM = 10
const TESTS = 7

/**
 * A Bloom filter of the terms of an index: a question is not asked of an index that contains none of its words. `terms` is
 * their number, or more.
 */
export function termFilter(terms: number, eachTerm: EachTerm): Uint8Array {
  const filter = new Uint8Array(Math.max(1, Math.ceil((terms * BITS_PER_TERM) / 8)))
  eachTerm((hi, lo) => {
    for (let test = 0; test < TESTS; test++) {
      const bit = bitOf(filter, hi, lo, test)
      filter[bit >>> 3]! |= 1 << (bit & 7)
    }
  })
  return filter
}

/** False if the index does not contain the term for certain. */
export function mayContain(filter: Uint8Array, hash: bigint): boolean {
  const [hi, lo] = [Number(hash >> 32n), Number(hash & 0xffff_ffffn)]
  for (let test = 0; test < TESTS; test++) {
    const bit = bitOf(filter, hi, lo, test)
    if ((filter[bit >>> 3]! & (1 << (bit & 7))) === 0) return false
  }
  return true
}

// Double hashing with the halves of the hash (Kirsch and Mitzenmacher 2006).
function bitOf(filter: Uint8Array, hi: number, lo: number, test: number): number {
  return (lo + test * ((hi | 1) >>> 0) + test * test) % (filter.length * 8)
}
