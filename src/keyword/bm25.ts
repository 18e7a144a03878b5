/**
 * Parameters of BM25F (Robertson, Zaragoza and Taylor 2004). The frequencies of a term in the fields are weighted,
 * normalized by the length of the field, summed, and saturated once per term.
 */
export type Bm25Parameters<FieldName extends string> = {
  /** Weights of the fields; all are above zero. */
  readonly weights: Readonly<Record<FieldName, number>>
  /** Length normalization of each field: 0 for none, 1 for full. */
  readonly b: Readonly<Record<FieldName, number>>
  readonly k1: number
}

export type FileScoreField = "body" | "doc" | "names" | "stem" | "dirs"
export type ChunkScoreField = "body" | "doc" | "names"

/**
 * Fitted on 21 repositories. On other repositories, a ranking by these scores alone reaches an NDCG@10 of .822 (files)
 * and .776 (best three chunks); docs/decisions/01-ranking.md.
 */
export const FILE_BM25: Bm25Parameters<FileScoreField> = {
  weights: { body: 0.25, doc: 0.375, names: 1, stem: 24, dirs: 6 },
  b: { body: 0.5, doc: 0, names: 0.75, stem: 1, dirs: 0.5 },
  k1: 6,
}

export const CHUNK_BM25: Bm25Parameters<ChunkScoreField> = {
  weights: { body: 0.5, doc: 0.75, names: 3 },
  b: { body: 0.65, doc: 0.15, names: 0.65 },
  k1: 3,
}

/** Weights with which the scores of a file's best three chunks are added up. */
export const TOP_CHUNK_WEIGHTS = [1, 0.6, 0.4] as const

/**
 * Factor by which the frequencies in a field of this length are multiplied. It is finite even for an empty field with b
 * = 1.
 */
export function lengthNorm(b: number, length: number, averageLength: number): number {
  return 1 / Math.max(1 - b + (b * length) / (averageLength + 1e-6), 1e-6)
}

export function saturate(frequency: number, k1: number): number {
  return frequency / (k1 + frequency)
}
