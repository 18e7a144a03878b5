import type { EmbeddingInput } from "../embed/port.ts"
import { createStaticEmbedder } from "../embed/static.ts"
import { openStore } from "../store/open.ts"
import type { Store } from "../store/store.ts"
import type { VectorsRow } from "../store/vectors.ts"
import { toVectorsRow } from "../vector/delta.ts"
import { FILE_VIEW, NAMES_VIEW, PATH_VIEW } from "../vector/views.ts"
import { indexPath } from "./index-folder.ts"
import type { EmbeddedBatch, EmbedTask } from "./messages.ts"
import { readSource } from "./read-source.ts"

/** Vectors of every chunk of a batch of files, and of three views of each file. Runs in a worker, writes no row. */
export async function embedBatch(task: EmbedTask): Promise<EmbeddedBatch> {
  using store = openStore(indexPath(task.folder), { readonly: true })
  const embedder = createStaticEmbedder()
  const vectors: VectorsRow[] = []
  for (const file of task.files) {
    const source = readSource(task.root, file.path, task.maxFileBytes)
    // Changed since: the next run reads it again, and only then is there something to embed.
    if ("reason" in source || source.hash !== file.hash) continue
    const { ordinals, inputs } = inputsOf(store, file, source.text)
    const rows = await embedder.embedChunks(inputs)
    vectors.push(
      toVectorsRow(file.id, ordinals, rows, {
        dimensions: embedder.space.dimensions,
        quantization: task.quantization,
      }),
    )
  }
  return { vectors }
}

function inputsOf(
  store: Store,
  file: { readonly id: number; readonly path: string },
  text: string,
): { ordinals: number[]; inputs: EmbeddingInput[] } {
  const lines = text.split("\n")
  const chunks = store.chunks.ofFile(file.id)
  const names = store.symbols.namesOf(file.id)
  const input = (words: string): EmbeddingInput => ({ text: words, names: [], path: file.path })
  return {
    ordinals: [...chunks.map((chunk) => chunk.ordinal), PATH_VIEW, NAMES_VIEW, FILE_VIEW],
    inputs: [
      ...chunks.map((chunk) => input(lines.slice(chunk.startLine - 1, chunk.endLine).join("\n"))),
      input(pathWords(file.path)),
      input(names.join(" ")),
      input(text),
    ],
  }
}

/** The last folders and the name without its extension: what tells files of one project apart. */
function pathWords(path: string): string {
  const parts = path.split("/")
  const name = parts.pop()!.replace(/\.[^.]+$/u, "")
  return [...parts.slice(-3), name].join(" ")
}
