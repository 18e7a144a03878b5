import { join } from "node:path"
import { collector } from "../base/collector.ts"
import { createStaticEmbedder } from "../embed/static.ts"
import { openStore } from "../store/open.ts"
import { fullDisk } from "../store/sqlite-error.ts"
import type { VectorsRow } from "../store/vectors.ts"
import { toVectorsRow } from "../vector/delta.ts"
import { writePart } from "../vector/part-file.ts"
import { embedFile } from "./embed-source.ts"
import { indexPath } from "./index-folder.ts"
import type { EmbeddedBatch, EmbedPartTask, EmbedTask, EmbedWork } from "./messages.ts"

/** Vectors of a few files, to be kept as deltas. Runs in a worker, writes no row. */
export async function embedBatch(task: EmbedTask): Promise<EmbeddedBatch> {
  return { vectors: await Array.fromAsync(embedded(task)) }
}

/** Vectors of many files, written beside the index for the fold. Runs in a worker, writes no row. */
export async function embedPart(task: EmbedPartTask, onProgress: (files: number) => void): Promise<null> {
  const path = join(task.folder, task.name)
  try {
    await writePart(path, embedded(task, onProgress))
    return null
  } catch (error) {
    throw fullDisk(error, path)
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
