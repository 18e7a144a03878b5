import { join } from "node:path"
import { collector } from "../../base/index.ts"
import { readableText } from "../../parse/index.ts"
import {
  type ChunkRow,
  type FileRow,
  fileError,
  openStore,
  type Store,
  type VectorsRow,
} from "../../store/index.ts"
import { readSource } from "../../text/index.ts"
import type { Embedder, EmbeddingInput } from "../embed/port.ts"
import { createStaticEmbedder, distinctivePath } from "../embed/static.ts"
import { indexPath } from "../index-folder.ts"
import type { EmbeddedBatch, EmbedPartTask, EmbedTask, EmbedWork } from "../pipeline/worker-pool.ts"
import { writePart } from "../vector/merge-vectors.ts"
import { NAMES_VECTOR, PATH_VECTOR, TEXT_VECTOR } from "../vector/port.ts"
import { toVectorsRow } from "../vector/set.ts"

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
  const embedder = createStaticEmbedder()
  const collect = collector()
  let done = 0
  for (const file of task.files) {
    const inputs = embeddingInputs(store, task, file)
    const row = inputs && (await embedFile(embedder, file.id, inputs))
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
): Promise<VectorsRow> {
  const rows: VectorsRow[] = []
  for (let at = 0; at < inputs.length; at += MAX_INPUTS) {
    const vectors = await embedder.embedChunks(inputs.slice(at, at + MAX_INPUTS))
    rows.push(toVectorsRow(fileId, ordinals.slice(at, at + MAX_INPUTS), vectors, embedder.space.dimensions))
  }
  if (rows.length === 1) return rows[0]!
  return {
    fileId,
    ordinals: new Uint8Array(Buffer.concat(rows.map((row) => row.ordinals))),
    rows: Buffer.concat(rows.map((row) => row.rows)),
  }
}

export type EmbeddableFile = Pick<FileRow, "id" | "path" | "hash" | "size">
export type FileInputs = { readonly ordinals: readonly number[]; readonly inputs: readonly EmbeddingInput[] }

/**
 * The texts of a file that are embedded, in this order: its chunks, its path, its names, its whole text. Null when the
 * file has changed since it was indexed.
 */
export function embeddingInputs(
  store: Store,
  from: Pick<EmbedWork, "root" | "maxFileBytes">,
  file: EmbeddableFile,
): FileInputs | null {
  const source = readSource(from.root, file.path, from.maxFileBytes, {
    indexed: store.texts,
  })
  // The file was changed after it was indexed. It is embedded after the run that indexes the change.
  if ("reason" in source || source.hash !== file.hash) return null
  const text = readableText(file.path, source.text)
  const starts = lineStarts(text)
  const chunks = store.chunks.ofFile(file.id)
  const names = store.symbols.namesByChunk(file.id)
  const allNames = [...new Set([...names.values()].flat())]
  const isWhole = chunks.length + 3 <= MAX_INPUTS && coverText(text, starts, chunks)
  const bare = (text: string): EmbeddingInput => ({ text, names: [], path: "" })
  const inputs = [
    ...chunks.map(({ ordinal, startLine, endLine }) => ({
      text: text.slice(starts[startLine - 1], starts[endLine]! - 1),
      names: names.get(ordinal) ?? [],
      path: file.path,
    })),
    bare(distinctivePath(file.path)),
    bare(allNames.join(" ")),
    { text, names: allNames, path: file.path, isWhole },
  ]
  return {
    ordinals: [...chunks.map((chunk) => chunk.ordinal), PATH_VECTOR, NAMES_VECTOR, TEXT_VECTOR],
    inputs,
  }
}

/** True if the chunks follow each other and contain everything in the text but blank lines. */
function coverText(
  text: string,
  starts: readonly number[],
  chunks: readonly Pick<ChunkRow, "startLine" | "endLine">[],
): boolean {
  let at = 0
  const isBlankUntil = (end: number) => at <= end && text.slice(at, end).trim() === ""
  for (const { startLine, endLine } of chunks) {
    if (!isBlankUntil(starts[startLine - 1]!)) return false
    at = starts[endLine]!
  }
  return isBlankUntil(text.length + 1)
}

/** Offset of the start of each line, followed by the offset where a further line would start. */
function lineStarts(text: string): number[] {
  const starts = [0]
  for (let at = text.indexOf("\n"); at !== -1; at = text.indexOf("\n", at + 1)) starts.push(at + 1)
  starts.push(text.length + 1)
  return starts
}
