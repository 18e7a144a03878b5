/** An embedding space. Vectors of different spaces are never compared. */
export type EmbeddingSpace = {
  readonly provider: string
  readonly model: string
  readonly dimensions: number
  readonly version: number
}

/** A chunk to embed. Its names and path are separate, because a model may weight them differently. */
export type EmbeddingInput = {
  readonly text: string
  readonly names: readonly string[]
  readonly path: string
  /**
   * True for the last input of a call if its text is that of all inputs before it that have a path, joined by line ends. A
   * model that counts words can then add their counts up.
   */
  readonly isWhole?: boolean
}

export interface Embedder {
  readonly space: EmbeddingSpace
  /** Returns unit vectors, row by row in one array of inputs.length × dimensions numbers. */
  embedChunks(inputs: readonly EmbeddingInput[]): Promise<Float32Array>
  /** Returns one unit vector; all zeros if the query contains nothing to embed. */
  embedQuery(text: string): Promise<Float32Array>
}

/** True if both are the same space, so that their vectors may be compared; also true if both are null. */
export function isSameSpace(one: EmbeddingSpace | null, other: EmbeddingSpace | null): boolean {
  if (one === null || other === null) return one === other
  return (
    one.provider === other.provider &&
    one.model === other.model &&
    one.dimensions === other.dimensions &&
    one.version === other.version
  )
}
