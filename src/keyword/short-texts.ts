/** A short document, as memories are: a text under a topic, with tags. */
export type ShortText = {
  readonly id: string
  readonly text: string
  readonly topic: string
  readonly tags: readonly string[]
}

export type ShortTextHit = { readonly id: string; readonly score: number }

/**
 * Ranks short documents by their words: BM25, what stands in a topic or a tag counting for more. Those that hold every
 * word come alone; only where there are none, those that hold any. A word that nothing holds is forgiven one slip.
 */
export interface ShortTextIndex {
  readonly size: number
  /** Adds documents, or replaces those of the same id. */
  put(texts: readonly ShortText[]): Promise<void>
  remove(ids: readonly string[]): Promise<void>
  /** Best first, equals by id. */
  search(question: string, limit: number, accepts?: (id: string) => boolean): Promise<readonly ShortTextHit[]>
}

/** Robertson's constants, and what a word counts by where it stands. */
export const SHORT_TEXT_BM25 = { k1: 1.2, b: 0.75 } as const
export const SHORT_TEXT_BOOSTS = { text: 1, topic: 1.5, tags: 1.5 } as const
