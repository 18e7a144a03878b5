/** A short document, such as a memory: a text under a topic, with tags. */
export type ShortText = {
  readonly id: string
  readonly text: string
  readonly topic: string
  readonly tags: readonly string[]
}

export type ShortTextHit = { readonly id: string; readonly score: number }

/**
 * Ranks short documents by BM25, with a higher weight for words in the topic or a tag. If any documents contain
 * all words of the question, only those are returned; otherwise those that contain any word; otherwise those
 * with a word at an edit distance of one.
 */
export interface ShortTextIndex {
  readonly size: number
  /** Adds documents, or replaces those of the same id. */
  put(texts: readonly ShortText[]): Promise<void>
  remove(ids: readonly string[]): Promise<void>
  /** Best first; equal scores by id. */
  search(question: string, limit: number, accepts?: (id: string) => boolean): Promise<readonly ShortTextHit[]>
}

/** The usual values of BM25's parameters. */
export const SHORT_TEXT_BM25 = { k1: 1.2, b: 0.75 } as const
/** Weight of a word by the field it is in. */
export const SHORT_TEXT_BOOSTS = { text: 1, topic: 1.5, tags: 1.5 } as const
