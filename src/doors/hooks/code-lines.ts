import { statSync } from "node:fs"
import { join } from "node:path"
import type { IndexReader } from "../../index/index.ts"
import type { CodeMatch } from "../../search/index.ts"
import type { SymbolRow } from "../../store/index.ts"
import { sanitizeLine } from "./page.ts"

const MAX_PATH = 200

/**
 * A place in the code as one line: path, line numbers and symbol. The line numbers are left out if the file has
 * changed since it was indexed. Null if the file no longer exists.
 */
export function codeLine(
  { store }: IndexReader,
  root: string,
  { fileId, path, chunk }: CodeMatch,
): string | null {
  const state = fileState(store.files.get(fileId), root)
  if (state === "gone") return null
  const names = store.symbols
    .ofChunk(fileId, chunk.ordinal)
    .slice(0, 3)
    .map(({ name }) => sanitizeLine(name, 80))
  const lines = state === "same" ? `:${chunk.startLine}-${chunk.endLine}` : ""
  return `- ${sanitizeLine(path, MAX_PATH)}${lines}${names.length === 0 ? "" : ` ${names.join(", ")}`}`
}

/** A definition as one line; null if its file no longer exists. */
export function symbolLine({ store }: IndexReader, root: string, symbol: SymbolRow): string | null {
  const file = store.files.get(symbol.fileId)
  const state = fileState(file, root)
  if (file === null || state === "gone") return null
  const line = state === "same" ? `:${symbol.startLine}` : ""
  const owner = symbol.owner === null ? "" : `${symbol.owner}.`
  return `- ${sanitizeLine(file.path, MAX_PATH)}${line} defines ${symbol.kind} ${sanitizeLine(`${owner}${symbol.name}`, 80)}`
}

type KnownFile = { readonly path: string; readonly size: number; readonly mtimeMs: number }

function fileState(file: KnownFile | null, root: string): "same" | "changed" | "gone" {
  if (file === null) return "gone"
  try {
    const stat = statSync(join(root, file.path), { throwIfNoEntry: false })
    if (stat === undefined) return "gone"
    return stat.size === file.size && stat.mtimeMs === file.mtimeMs ? "same" : "changed"
  } catch {
    return "gone"
  }
}
