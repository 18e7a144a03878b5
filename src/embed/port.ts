/** An embedding space; vectors of two spaces are never compared. */
export type EmbeddingSpace = {
  readonly provider: string
  readonly model: string
  readonly dimensions: number
  readonly version: number
}

/** What is embedded: a chunk with its names and path apart, because a model may weigh them differently. */
export type EmbeddingInput = {
  readonly text: string
  readonly names: readonly string[]
  readonly path: string
}

export interface Embedder {
  readonly space: EmbeddingSpace
  /** Unit vectors, row by row in one array of inputs.length × dimensions. */
  embedChunks(inputs: readonly EmbeddingInput[]): Promise<Float32Array>
  /** One unit vector, or all zeros where the query has nothing to embed. */
  embedQuery(text: string): Promise<Float32Array>
}
