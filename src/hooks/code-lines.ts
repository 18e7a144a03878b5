import { statSync } from "node:fs"
import { join } from "node:path"
import type { IndexReader } from "../search/reader.ts"
import type { CodeMatch } from "../search/word-match.ts"
import type { SymbolRow } from "../store/symbols.ts"
import { neutral } from "./facts.ts"

const MOST_NAMES = 3
const LONGEST_PATH = 200

/** A place of the code in a line, without its text; lines only while the file is as it was indexed. */
export function codeLine(
  { store }: IndexReader,
  root: string,
  { fileId, path, chunk }: CodeMatch,
): string | null {
  const state = stateOf(store.files.get(fileId), root)
  if (state === "gone") return null
  const names = store.symbols
    .ofChunk(fileId, chunk.ordinal)
    .slice(0, MOST_NAMES)
    .map(({ name }) => neutral(name, 80))
  const lines = state === "same" ? `:${chunk.startLine}-${chunk.endLine}` : ""
  return `- ${neutral(path, LONGEST_PATH)}${lines}${names.length === 0 ? "" : ` ${names.join(", ")}`}`
}

/** A definition in a line. */
export function symbolLine({ store }: IndexReader, root: string, symbol: SymbolRow): string | null {
  const file = store.files.get(symbol.fileId)
  const state = stateOf(file, root)
  if (file === null || state === "gone") return null
  const line = state === "same" ? `:${symbol.startLine}` : ""
  const owner = symbol.owner === null ? "" : `${symbol.owner}.`
  return `- ${neutral(file.path, LONGEST_PATH)}${line} defines ${symbol.kind} ${neutral(`${owner}${symbol.name}`, 80)}`
}

type Known = { readonly path: string; readonly size: number; readonly mtimeMs: number }

function stateOf(file: Known | null, root: string): "same" | "changed" | "gone" {
  if (file === null) return "gone"
  try {
    const stat = statSync(join(root, file.path), { throwIfNoEntry: false })
    if (stat === undefined) return "gone"
    return stat.size === file.size && stat.mtimeMs === file.mtimeMs ? "same" : "changed"
  } catch {
    return "gone"
  }
}
