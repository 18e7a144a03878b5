/** One file as the keyword index takes it. Offsets are UTF-16 offsets into `text`, end exclusive. */
export type KeywordFile = {
  /** The id of this version of the file (u32, > 0); a changed file gets a new one. */
  readonly id: number
  readonly path: string
  readonly text: string
  readonly lines: number
  /** Caller's bits (test, example, generated …), handed back unchanged. */
  readonly flags: number
  /** Sorted [start, end) pairs: their words go to the doc field, all others to the body. */
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

/** The fields of a document; a term's presence in one is a bit mask over the query's terms. */
export type Field = "body" | "doc" | "names" | "stem" | "dirs" | "head"

/** A query word: any of its variants counts, `weight` times its frequency. */
export type QueryTerm = {
  readonly variants: readonly { readonly hash: bigint; readonly weight: number }[]
}

export type KeywordQuery = {
  /** At most 24. */
  readonly terms: readonly QueryTerm[]
  /** How many files to return by each of the two orders (file score, best chunks). */
  readonly files: number
  /** Files to answer for besides those found (exact symbol hits, vector hits), by file id. */
  readonly include?: readonly number[]
  /** Keeps a file out of everything, statistics included, when it answers false. */
  readonly accept?: (file: FileFacts) => boolean
  /** Keeps a chunk from being named among its file's best, and the definitions in it. */
  readonly acceptChunk?: (fileId: number, ordinal: number) => boolean
}

export type FileFacts = { readonly id: number; readonly path: string; readonly flags: number }

/** Term masks: bit t is set where query term t occurs. */
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
  /** Ordinal of the chunk that defines it, and its place among that chunk's symbols. */
  readonly ordinal: number
  readonly index: number
  /** Query terms among its words, and how many words it has that the query lacks. */
  readonly terms: number
  readonly extra: number
}

export type FileHit = FileFacts & {
  readonly lines: number
  readonly chunkCount: number
  readonly nameCount: number
  /** BM25F of the file; of its best chunk; of its best three, 1, .6, .4. */
  readonly score: number
  readonly bestChunk: number
  readonly topChunks: number
  readonly masks: Readonly<Record<Field, number>>
  /** Words of the stem, and of the directories. */
  readonly stemWords: number
  readonly dirWords: number
  /** Its chunks that score, best first, at most 12. */
  readonly chunks: readonly ChunkHit[]
  /** Its definitions that share a word with the query, best F1 first, at most 8. */
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
  /** Files that hold any of the terms. */
  readonly matchedFiles: number
}
