import { join } from "node:path"
import { collector } from "../../base/memory.ts"
import { createStaticEmbedder } from "../../embed/builtin/static.ts"
import { openStore } from "../../store/index/open.ts"
import type { VectorsRow } from "../../store/index/vectors.ts"
import { fileError } from "../../store/sqlite-error.ts"
import { toVectorsRow } from "../../vector/files/delta.ts"
import { writePart } from "../../vector/files/part-file.ts"
import { indexPath } from "../index-folder.ts"
import type { EmbeddedBatch, EmbedPartTask, EmbedTask, EmbedWork } from "../pipeline/messages.ts"
import { embedFile } from "./embed-source.ts"

/**
 * Computes the vectors of a few files, for the caller to store as deltas. Runs in a worker; writes no row.
 */
export async function embedBatch(task: EmbedTask): Promise<EmbeddedBatch> {
  return { vectors: await Array.fromAsync(embedded(task)) }
}

/**
 * Computes the vectors of many files and writes them to a file beside the index, for the next merge. Runs in
 * a worker; writes no row.
 */
export async function embedPart(task: EmbedPartTask, onProgress: (files: number) => void): Promise<null> {
  const path = join(task.folder, task.name)
  try {
    await writePart(path, embedded(task, onProgress))
    return null
  } catch (error) {
    throw fileError(error, path)
  }
}

async function* embedded(
  task: EmbedWork,
  onProgress: (files: number) => void = () => {},
): AsyncGenerator<VectorsRow> {
  using store = openStore(indexPath(task.folder), { readonly: true, isMapped: false })
  const embedder = createStaticEmbedder(task.model)
  const options = { dimensions: embedder.space.dimensions, quantization: task.quantization }
  const collect = collector()
  let done = 0
  for (const file of task.files) {
    const vectors = await embedFile(store, embedder, task, file)
    onProgress(++done)
    collect()
    if (vectors !== null) yield toVectorsRow(file.id, vectors.ordinals, vectors.vectors, options)
  }
}
