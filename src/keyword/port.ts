/** A file to add to the keyword index. Offsets are UTF-16 offsets into `text`, end exclusive. */
export type KeywordFile = {
  /** The id of this version of the file (u32, > 0); a changed file gets a new one. */
  readonly id: number
  readonly path: string
  readonly text: string
  readonly lines: number
  /** Bits of the caller (test, example, generated …), returned unchanged. */
  readonly flags: number
  /** Sorted [start, end) pairs: words in them belong to the doc field, all others to the body. */
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

/** A query word. An occurrence of any of its variants counts as `weight` occurrences. */
export type QueryTerm = {
  /** Factor on its inverse document frequency, 1 if absent. */
  readonly weight?: number
  readonly variants: readonly { readonly hash: bigint; readonly weight: number }[]
}

export type KeywordQuery = {
  /** Terms of the query, at most 24. */
  readonly terms: readonly QueryTerm[]
  /** Number of files to return by each of the two orders (file score, best chunks). */
  readonly files: number
  /** Ids of files to return in any case (exact symbol hits, vector hits). */
  readonly include?: readonly number[]
  /** Returns false for a file to exclude, from statistics too. */
  readonly accept?: (file: FileFacts) => boolean
  /** Returns false to exclude a chunk, with its definitions, from the chunks listed for its file. */
  readonly acceptChunk?: (fileId: number, ordinal: number) => boolean
}

export type FileFacts = { readonly id: number; readonly path: string; readonly flags: number }

/**
 * A matching chunk. body, doc, names: masks of the query terms in these fields; bit t is set where term t
 * occurs.
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
  /** Position among that chunk's symbols. */
  readonly index: number
  /** Mask of the query terms in the symbol's name. */
  readonly terms: number
  /** Number of words in its name that the query lacks. */
  readonly extra: number
}

export type FileHit = FileFacts & {
  readonly lines: number
  readonly chunkCount: number
  readonly nameCount: number
  /** BM25F of the file. */
  readonly score: number
  /** BM25F of its best chunk. */
  readonly bestChunk: number
  /** BM25F of its best three chunks, weighted by TOP_CHUNK_WEIGHTS and summed. */
  readonly topChunks: number
  /** For each field, the mask of the query terms that occur in it. */
  readonly masks: Readonly<Record<Field, number>>
  /** Number of words in the file name without extension, and in the directories. */
  readonly stemWords: number
  readonly dirWords: number
  /** Its chunks with a score above 0, best first, at most 12. */
  readonly chunks: readonly ChunkHit[]
  /** Its definitions that share a word with the query, highest F1 first, at most 8. */
  readonly symbols: readonly SymbolHit[]
}

export type KeywordAnswer = {
  readonly files: readonly FileHit[]
  /** Inverse document frequency of each term over files, and over chunks. */
  readonly fileIdf: Float64Array
  readonly chunkIdf: Float64Array
  readonly maxScore: number
  readonly maxChunk: number
  readonly maxTopChunks: number
  /** Number of files that contain any of the terms. */
  readonly matchedFiles: number
}
