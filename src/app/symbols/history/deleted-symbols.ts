import { languageOf } from "../../../code/languages/languages.ts"
import { localsAmong } from "../../../code/links/defined-names.ts"
import type { CodeSymbol } from "../../../code/parsed-file.ts"
import type { SymbolDefinition } from "../../../symbols/definition.ts"
import { NAMELESS } from "../../../symbols/definition.ts"
import { FileView } from "../../../symbols/file-view.ts"
import type { SymbolGraph } from "../../../symbols/symbol-graph.ts"

/** Maximum number of earlier texts to parse; each takes about 10 ms. */
export const MAX_PARSED_FILES = 200
export const MAX_PARSED_CHARS = 500_000
const TIMEOUT_MS = 1000

/** A file's text before and after a change; `after` is null when the index has that text. */
export type FileChange = { readonly path: string; readonly before: string; readonly after: string | null }

/**
 * Symbols that these files defined and no longer define: renamed, moved or removed. `unread` counts files
 * beyond the limit, or too large.
 */
export async function deletedSymbols(
  graph: SymbolGraph,
  files: readonly FileChange[],
): Promise<{ readonly gone: SymbolDefinition[]; readonly unread: number }> {
  const gone: SymbolDefinition[] = []
  const code = files.flatMap(({ path, before, after }) => {
    const { kind, id } = languageOf(path, before)
    return kind === "code" && !before.includes("\0") ? [{ path, before, after, language: id }] : []
  })
  const small = code.filter(
    ({ before, after }) => Math.max(before.length, after?.length ?? 0) <= MAX_PARSED_CHARS,
  )
  const read = small.slice(0, MAX_PARSED_FILES)
  for (const [at, { path, before, after, language }] of read.entries()) {
    const file = graph.file(path) ?? viewOf(graph, path, { id: -1 - at, language })
    const now = after === null ? file.symbols : await parseSymbols(path, after)
    const left = new Set(now.map(ownerAndName))
    const missing = (await definedIn(path, before)).filter((symbol) => !left.has(ownerAndName(symbol)))
    gone.push(
      ...missing.map((symbol, index): SymbolDefinition => {
        // A position that no existing symbol has, so that the deleted one is not taken for any of them.
        const place = { fileId: file.id, ordinal: -1, index, local: 0 as const }
        return { symbol: { ...symbol, ...place }, file }
      }),
    )
  }
  return { gone, unread: code.length - read.length }
}

/** A view of a file that is no longer in the index. */
function viewOf(
  { store }: SymbolGraph,
  path: string,
  { id, language }: { readonly id: number; readonly language: string },
): FileView {
  return new FileView(store, { id, path, language, flags: 0, package: null, imports: null })
}

function ownerAndName({ name, owner }: Pick<CodeSymbol, "name" | "owner">): string {
  return `${owner ?? ""} ${name}`
}

async function definedIn(path: string, text: string): Promise<CodeSymbol[]> {
  const symbols = await parseSymbols(path, text)
  const locals = localsAmong(symbols)
  return symbols.filter((symbol) => !locals.has(symbol) && !NAMELESS.has(symbol.kind))
}

export async function parseSymbols(path: string, text: string): Promise<CodeSymbol[]> {
  if (text === "") return []
  const { DEFAULT_PARSE_OPTIONS, parseFile } = await import("../../../code/parse/parse.ts")
  const { chunks } = await parseFile(path, text, { ...DEFAULT_PARSE_OPTIONS, timeoutMs: TIMEOUT_MS })
  return chunks.flatMap((chunk) => chunk.symbols)
}
