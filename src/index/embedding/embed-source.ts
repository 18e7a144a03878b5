import { readableText } from "../../code/readable-text.ts"
import type { EmbeddingInput } from "../../embed/port.ts"
import { distinctivePath } from "../../embed/static.ts"
import type { FileRow } from "../../store/index/file-rows.ts"
import type { Store } from "../../store/index/store.ts"
import { readSource } from "../../text/files/read-source.ts"
import { NAMES_VECTOR, PATH_VECTOR, TEXT_VECTOR } from "../../vector/port.ts"
import type { EmbedWork } from "../pipeline/messages.ts"

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
    indexedText: store.documentTexts.find,
  })
  // The file was changed after it was indexed. It is embedded after the run that indexes the change.
  if ("reason" in source || source.hash !== file.hash) return null
  const text = readableText(file.path, source.text)
  const starts = lineStarts(text)
  const chunks = store.chunks.ofFile(file.id)
  const names = store.symbols.namesByChunk(file.id)
  const allNames = [...new Set([...names.values()].flat())]
  const bare = (text: string): EmbeddingInput => ({ text, names: [], path: "" })
  const inputs = [
    ...chunks.map(({ ordinal, startLine, endLine }) => ({
      text: text.slice(starts[startLine - 1], starts[endLine]! - 1),
      names: names.get(ordinal) ?? [],
      path: file.path,
    })),
    bare(distinctivePath(file.path)),
    bare(allNames.join(" ")),
    { text, names: allNames, path: file.path },
  ]
  return {
    ordinals: [...chunks.map((chunk) => chunk.ordinal), PATH_VECTOR, NAMES_VECTOR, TEXT_VECTOR],
    inputs,
  }
}

/** Offset of the start of each line, followed by the offset where a further line would start. */
function lineStarts(text: string): number[] {
  const starts = [0]
  for (let at = text.indexOf("\n"); at !== -1; at = text.indexOf("\n", at + 1)) starts.push(at + 1)
  starts.push(text.length + 1)
  return starts
}
