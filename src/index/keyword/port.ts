/** A file to add to the keyword index. Offsets are UTF-16 offsets into `text`, end exclusive. */
export type KeywordFile = {
  /** The id of this version of the file (an unsigned 32-bit integer above 0). A changed file gets a new id. */
  readonly id: number
  readonly path: string
  readonly text: string
  readonly lines: number
  /** Bits that the caller defines (test, example, generated and so on). They are returned unchanged. */
  readonly flags: number
  /**
   * The ranges of comments as sorted [start, end) pairs. Words in them belong to the doc field, all other words to the
   * body.
   */
  readonly comments: Uint32Array
  readonly chunks: readonly KeywordChunk[]
}

export type KeywordChunk = {
  readonly start: number
  readonly end: number
  readonly startLine: number
  readonly endLine: number
  readonly symbols: readonly { readonly name: string }[]
}

/** The fields of chunks (body, doc, names) and of file headers (stem, dirs, head). */
export type Field = "body" | "doc" | "names" | "stem" | "dirs" | "head"

/** A word of the query. Each occurrence of any of its variants counts as `weight` occurrences. */
export type QueryTerm = {
  /** Factor by which its inverse document frequency is multiplied; 1 if absent. */
  readonly weight?: number
  readonly variants: readonly { readonly hash: bigint; readonly weight: number }[]
}

export type KeywordQuery = {
  /** The terms of the query, at most 24. */
  readonly terms: readonly QueryTerm[]
  /** Number of files to return for each of the two orders: by file score, and by best chunks. */
  readonly files: number
  /** Ids of files that are returned in any case, because symbols or vectors match. */
  readonly include?: readonly number[]
  /** Returns false to exclude a file. It then does not count in the statistics either. */
  readonly accept?: (file: FileFacts) => boolean
  /** Returns false to exclude a chunk, and the definitions in it, from the chunks that are listed for its file. */
  readonly acceptChunk?: (fileId: number, ordinal: number) => boolean
}

export type FileFacts = { readonly id: number; readonly path: string; readonly flags: number }

/**
 * A chunk that matches. body, doc, names: masks of the query's terms in these fields; bit t is set if term t occurs.
 */
export type ChunkHit = {
  readonly ordinal: number
  readonly startLine: number
  readonly endLine: number
  readonly score: number
  readonly body: number
  readonly doc: number
  readonly names: number
}

export type SymbolHit = {
  /** Ordinal of the chunk that defines the symbol. */
  readonly ordinal: number
  /** Position of the symbol among those of that chunk. */
  readonly index: number
  /** Mask of the query's terms in the name of the symbol. */
  readonly terms: number
  /** Number of words in the symbol's name that are not in the query. */
  readonly extra: number
}

export type FileHit = FileFacts & {
  readonly lines: number
  readonly chunkCount: number
  readonly nameCount: number
  /** BM25F score of the file. */
  readonly score: number
  /** BM25F score of its best chunk. */
  readonly bestChunk: number
  /** BM25F scores of its best three chunks, multiplied by TOP_CHUNK_WEIGHTS and added up. */
  readonly topChunks: number
  /** For each field, the mask of the query's terms in it. */
  readonly masks: Readonly<Record<Field, number>>
  /** Number of words in the file name without its extension, and in the directories of the path. */
  readonly stemWords: number
  readonly dirWords: number
  /** The chunks of the file with a score above 0, best first, at most 12. */
  readonly chunks: readonly ChunkHit[]
  /** The definitions in the file that share a word with the query, by F1, highest first; at most 8. */
  readonly symbols: readonly SymbolHit[]
}

export type KeywordAnswer = {
  readonly files: readonly FileHit[]
  /** Inverse document frequency of each term: over files, and over chunks. */
  readonly fileIdf: Float64Array
  readonly chunkIdf: Float64Array
  readonly maxScore: number
  readonly maxChunk: number
  readonly maxTopChunks: number
  /** Number of files that contain any of the terms. */
  readonly matchedFiles: number
}

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
