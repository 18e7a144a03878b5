import type { Embedder, EmbeddingInput } from "./port.ts"
import { embedStatic768, STATIC768_DIMENSIONS } from "./static768.ts"

/** The built-in embedder: a few microseconds a text, no network, no model file. */
export function createStaticEmbedder(): Embedder {
  return {
    space: { provider: "static", model: "static768", dimensions: STATIC768_DIMENSIONS, version: 1 },
    embedChunks: async (inputs) => embedAll(inputs.map(chunkText)),
    embedQuery: async (text) => embedAll([text]),
  }
}

/** What of a chunk is embedded: its text as it stands. A prefix of path or names is known to cost, not help. */
function chunkText(input: EmbeddingInput): string {
  return input.text
}

function embedAll(texts: readonly string[]): Float32Array {
  const vectors = new Float32Array(texts.length * STATIC768_DIMENSIONS)
  for (const [i, text] of texts.entries()) embedStatic768(text, vectors, i * STATIC768_DIMENSIONS)
  return vectors
}
