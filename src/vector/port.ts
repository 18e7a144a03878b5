export type Quantization = "f32" | "f16" | "i8"

/** A chunk's key in every vector index: file version id × 65,536 + ordinal. */
export type ChunkKey = number

export const CHUNK_KEY_STRIDE = 65_536

export type VectorHit = { readonly key: ChunkKey /** Cosine, −1 to 1. */; readonly score: number }

/**
 * For many keys of one query: the exact cosine with a stored vector, 0 where there is none. Who goes on to keys of the
 * same file up to `last`, in their order, says so: they are read together, and no others.
 */
export type Scorer = (key: ChunkKey, last?: ChunkKey) => number

/** Read side of one set of vectors: an HNSW file mapped into memory, or rows scanned exactly. */
export interface VectorIndex {
  readonly size: number
  /** The nearest `limit` of those that `accept` lets through, best first; ties by key. */
  search(query: Float32Array, limit: number, accept?: (key: ChunkKey) => boolean): VectorHit[]
  /** The stored vector of a key as f32, or null. */
  get(key: ChunkKey): Float32Array | null
  scorer(query: Float32Array): Scorer
  [Symbol.dispose](): void
}
