import { createStaticEmbedder } from "../embed/static.ts"
import { openStore } from "../store/open.ts"
import type { VectorsRow } from "../store/vectors.ts"
import { toVectorsRow } from "../vector/delta.ts"
import { embedFile } from "./embed-source.ts"
import { indexPath } from "./index-folder.ts"
import type { EmbeddedBatch, EmbedTask } from "./messages.ts"

/** Vectors of a few files, to be kept as deltas. Runs in a worker, writes no row. */
export async function embedBatch(task: EmbedTask): Promise<EmbeddedBatch> {
  using store = openStore(indexPath(task.folder), { readonly: true })
  const embedder = createStaticEmbedder(task.model)
  const options = { dimensions: embedder.space.dimensions, quantization: task.quantization }
  const vectors: VectorsRow[] = []
  for (const file of task.files) {
    const embedded = await embedFile(store, embedder, task, file)
    if (embedded !== null) vectors.push(toVectorsRow(file.id, embedded.ordinals, embedded.vectors, options))
  }
  return { vectors }
}
