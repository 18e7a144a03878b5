/** The key of a chunk in every vector index: id of the file version × 65,536 + ordinal. */
export type ChunkKey = number

export const CHUNK_KEY_STRIDE = 65_536

export type VectorHit = {
  readonly key: ChunkKey
  /** Cosine, −1 to 1. */
  readonly score: number
}

/**
 * The exact cosine of one query and the vector that is stored for a key; 0 if there is none. `last` is a hint that the
 * caller will request all keys of the file from `key` to `last` in order, so that their rows can be read at once.
 */
export type ChunkScorer = (key: ChunkKey, last?: ChunkKey) => number

/**
 * The reading side of one set of vectors. It is implemented by ExactIndex (compares every row), by HnswIndex (a table
 * with graphs), and by VectorSet (a base together with newer vectors).
 */
export interface VectorIndex {
  readonly size: number
  /** The nearest `limit` keys that `accept` allows, best first. Ties are broken by key. */
  search(query: Float32Array, limit: number, accept?: (key: ChunkKey) => boolean): VectorHit[]
  /** The stored vector of a key as f32; null if there is none. */
  get(key: ChunkKey): Float32Array | null
  scorer(query: Float32Array): ChunkScorer
  [Symbol.dispose](): void
}

// The vectors of a whole file (text, names, path) are stored together with those of its chunks, under ordinals that no
// chunk has.
export const TEXT_VECTOR = CHUNK_KEY_STRIDE - 1
export const NAMES_VECTOR = CHUNK_KEY_STRIDE - 2
export const PATH_VECTOR = CHUNK_KEY_STRIDE - 3

/** The lowest ordinal of a vector for a whole file. */
const FIRST_FILE_VECTOR = PATH_VECTOR

/**
 * True for a vector of a whole file. It is scored when its file is scored, but never searched, because the vector of a
 * short path is near every query.
 */
export function isFileVector(key: ChunkKey): boolean {
  return key % CHUNK_KEY_STRIDE >= FIRST_FILE_VECTOR
}

/** Number of vectors for a whole file. */
export const FILE_VECTORS = CHUNK_KEY_STRIDE - FIRST_FILE_VECTOR
