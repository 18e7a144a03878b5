import { LRUCache } from "lru-cache"
import type { IndexSize } from "../../../src/search/rank/merge-found.ts"
import type { Catalogue } from "../catalogue/catalogue.ts"
import { type PublishedRevision, termFilters } from "../catalogue/revisions.ts"
import { mayContain } from "../term-filter.ts"

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
