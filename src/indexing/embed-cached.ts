import type { RemoteEmbedder } from "../embed/remote.ts"
import { decodeRows, encodeRows } from "../vector/quantize.ts"
import type { VectorKeep } from "./vector-keep.ts"

const HASH_BYTES = 16
const F16_BYTES = 2

/** A vector a text, all zeros where it has none: from what was kept, else from the embedder, and kept then. */
export async function embedCached(
  texts: readonly string[],
  embedder: RemoteEmbedder,
  keep: VectorKeep,
  batchSize: number,
): Promise<Float32Array> {
  const { dimensions } = embedder.space
  const prepared = texts.map(embedder.prepare)
  const different = [...new Set(prepared)].filter((text) => text !== "")
  const known = new Map<string, Float32Array>()
  const hashes = different.map(hashOf)
  for (const [i, row] of keep.get(embedder.space, hashes).entries())
    if (row?.length === dimensions * F16_BYTES)
      known.set(different[i]!, decodeRows(row, dimensions, F16_BYTES))
  const unknown = different.filter((text) => !known.has(text))
  for (let at = 0; at < unknown.length; at += batchSize) {
    const batch = unknown.slice(at, at + batchSize)
    const vectors = await embedder.embedPrepared(batch)
    const found = batch.flatMap((text, i) => {
      const vector = vectors.subarray(i * dimensions, (i + 1) * dimensions)
      return isZero(vector) ? [] : [{ text, row: encodeRows(vector, dimensions, F16_BYTES) }]
    })
    // At once: what a batch cost is not lost with the process.
    keep.put(
      embedder.space,
      found.map(({ text, row }) => ({ hash: hashOf(text), row })),
    )
    // As it would come back: an index made from kept vectors equals one that is made afresh.
    for (const { text, row } of found) known.set(text, decodeRows(row, dimensions, F16_BYTES))
  }
  const out = new Float32Array(texts.length * dimensions)
  for (const [i, text] of prepared.entries()) out.set(known.get(text) ?? [], i * dimensions)
  return out
}

export function isZero(row: Float32Array): boolean {
  return row.every((value) => value === 0)
}

/** Strong, because all of the user's projects share what is kept by it. */
function hashOf(text: string): Uint8Array {
  return new Bun.CryptoHasher("sha256").update(text).digest().subarray(0, HASH_BYTES)
}
