/**
 * Okapi BM25 of one word without its rarity: how often it is said, against the text's length, which is relative to
 * the mean.
 */
export function bm25(times: number, length: number, { k1, b }: Saturation): number {
  return times === 0 ? 0 : (times * (k1 + 1)) / (times + k1 * (1 - b + b * length))
}

export type Saturation = { readonly k1: number; readonly b: number }
