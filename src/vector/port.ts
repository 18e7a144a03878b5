export type Quantization = "f32" | "f16" | "i8"

/** A chunk's key in every vector index: file version id × 65,536 + ordinal. */
export type ChunkKey = number

export const CHUNK_KEY_STRIDE = 65_536

export type VectorHit = { readonly key: ChunkKey /** Cosine, −1 to 1. */; readonly score: number }

/**
 * The exact cosine of one query with the vector stored for a key; 0 if there is none. `last` is a hint that the caller
 * will ask for all keys of the file from `key` to `last` in order, so that their rows are read at once.
 */
export type ChunkScorer = (key: ChunkKey, last?: ChunkKey) => number

/** Read side of one set of vectors: an HNSW file mapped into memory, or rows scanned exactly. */
export interface VectorIndex {
  readonly size: number
  /** The nearest `limit` keys that `accept` allows, best first; ties by key. */
  search(query: Float32Array, limit: number, accept?: (key: ChunkKey) => boolean): VectorHit[]
  /** The stored vector of a key as f32, or null. */
  get(key: ChunkKey): Float32Array | null
  scorer(query: Float32Array): ChunkScorer
  [Symbol.dispose](): void
}

// Vectors of a whole file (text, names, path) are stored beside its chunks, under ordinals that no chunk
// reaches.
export const TEXT_VECTOR = CHUNK_KEY_STRIDE - 1
export const NAMES_VECTOR = CHUNK_KEY_STRIDE - 2
export const PATH_VECTOR = CHUNK_KEY_STRIDE - 3

/** Ordinals from here on are vectors of whole files. */
const FIRST_FILE_VECTOR = PATH_VECTOR

/**
 * True for a vector of a whole file. It is scored with its file but never searched, because the vector of a
 * short path is near every query.
 */
export function isFileVector(key: ChunkKey): boolean {
  return key % CHUNK_KEY_STRIDE >= FIRST_FILE_VECTOR
}

/** Number of vectors of a whole file. */
export const FILE_VECTORS = CHUNK_KEY_STRIDE - FIRST_FILE_VECTOR
