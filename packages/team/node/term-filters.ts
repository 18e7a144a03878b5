import { LRUCache } from "lru-cache"
import type { IndexSize } from "../../../src/search/index.ts"
import type { Catalogue } from "../catalogue/catalogue.ts"
import { type PublishedRevision, termFilters } from "../catalogue/revisions.ts"

/** Maximum memory of all filters: enough for some 10,000 repositories with 20,000 terms each. */
const MAX_BYTES = 256 << 20

type Filter = { readonly terms: Uint8Array; readonly chunks: number }

/** The term filters of published revisions, read from the catalogue when they are first needed. */
export class TermFilters {
  readonly #catalogue: Catalogue
  /** Filters by revision. */
  readonly #known = new LRUCache<string, Filter>({
    ...{ maxSize: MAX_BYTES, sizeCalculation: ({ terms }) => terms.length },
  })

  constructor(catalogue: Catalogue) {
    this.#catalogue = catalogue
  }

  /** Sizes of the repositories that contain none of these words, by repository id. */
  async without(
    published: readonly PublishedRevision[],
    words: readonly bigint[],
  ): Promise<ReadonlyMap<string, IndexSize>> {
    const unknown = published.filter(({ revisionId }) => !this.#known.has(revisionId))
    if (unknown.length > 0) {
      const ids = unknown.map(({ revisionId }) => revisionId)
      for (const { id, ...filter } of await termFilters(this.#catalogue, ids)) this.#known.set(id, filter)
    }
    const sizes = new Map<string, IndexSize>()
    for (const { repositoryId, revisionId, files } of published) {
      const filter = this.#known.get(revisionId)
      if (filter === undefined || words.some((word) => mayContain(filter.terms, word))) continue
      sizes.set(repositoryId, { files, chunks: filter.chunks })
    }
    return sizes
  }
}

/**
 * A function that calls its argument with the two halves of the hash of each term of an index; a term may occur more
 * than once.
 */
type EachTerm = (act: (hi: number, lo: number) => void) => void

/**
 * With 10 bits for each term and 7 tests, a test wrongly finds about one in 100 terms that the index does not contain
 * (Bloom 1970).
 */
const BITS_PER_TERM = 10
const TESTS = 7

/**
 * A Bloom filter of the terms of an index. It lets a question skip indexes that contain none of its words. `terms`: the
 * number of terms, or more.
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

/** False only if the index certainly does not contain the term. */
export function mayContain(filter: Uint8Array, hash: bigint): boolean {
  const [hi, lo] = [Number(hash >> 32n), Number(hash & 0xffff_ffffn)]
  for (let test = 0; test < TESTS; test++) {
    const bit = bitOf(filter, hi, lo, test)
    if ((filter[bit >>> 3]! & (1 << (bit & 7))) === 0) return false
  }
  return true
}

/** Position of the bit for test number `test`: double hashing (Kirsch and Mitzenmacher 2006) with a quadratic term. */
function bitOf(filter: Uint8Array, hi: number, lo: number, test: number): number {
  return (lo + test * ((hi | 1) >>> 0) + test * test) % (filter.length * 8)
}
