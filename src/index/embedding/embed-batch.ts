import { join } from "node:path"
import { collector } from "../../base/process/memory.ts"
import type { Embedder } from "../../embed/port.ts"
import { createStaticEmbedder } from "../../embed/static.ts"
import { openStore } from "../../store/index/open.ts"
import type { VectorsRow } from "../../store/index/vectors.ts"
import { fileError } from "../../store/sqlite-error.ts"
import { writePart } from "../../vector/merge-vectors.ts"
import { toVectorsRow } from "../../vector/set.ts"
import { indexPath } from "../index-folder.ts"
import type { EmbeddedBatch, EmbedPartTask, EmbedTask, EmbedWork } from "../pipeline/messages.ts"
import { embeddingInputs, type FileInputs } from "./embed-source.ts"

/**
 * Computes the vectors of a few files and returns them; the caller stores them as deltas. Runs in a worker, which
 * writes no row of the database.
 */
export async function embedBatch(task: EmbedTask): Promise<EmbeddedBatch> {
  return { vectors: await Array.fromAsync(embedded(task)) }
}

/**
 * Computes the vectors of many files and writes them to a file beside the index, from which the next merge takes them.
 * Runs in a worker, which writes no row of the database.
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
    const inputs = embeddingInputs(store, task, file)
    const row = inputs && (await embedFile(embedder, file.id, inputs, options))
    onProgress(++done)
    collect()
    if (row !== null) yield row
  }
}

/** Maximum number of texts embedded at a time, because vectors take several times more memory before they are encoded. */
const MAX_INPUTS = 1024

async function embedFile(
  embedder: Embedder,
  fileId: number,
  { ordinals, inputs }: FileInputs,
  options: Parameters<typeof toVectorsRow>[3],
): Promise<VectorsRow> {
  const rows: VectorsRow[] = []
  for (let at = 0; at < inputs.length; at += MAX_INPUTS) {
    const vectors = await embedder.embedChunks(inputs.slice(at, at + MAX_INPUTS))
    rows.push(toVectorsRow(fileId, ordinals.slice(at, at + MAX_INPUTS), vectors, options))
  }
  if (rows.length === 1) return rows[0]!
  return {
    fileId,
    ordinals: new Uint8Array(Buffer.concat(rows.map((row) => row.ordinals))),
    rows: Buffer.concat(rows.map((row) => row.rows)),
  }
}
