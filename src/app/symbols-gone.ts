import { localsAmong } from "../code/defined-names.ts"
import { languageOf } from "../code/languages.ts"
import type { CodeSymbol } from "../code/parsed-file.ts"
import type { DeletedFile } from "../git/changed-lines.ts"
import type { Definition } from "../graph/definition.ts"
import { FileView } from "../graph/file-view.ts"
import { NAMELESS } from "../graph/kinds.ts"
import type { SymbolGraph } from "../graph/symbol-graph.ts"

/** Texts as they were before a change; each takes some 10 ms. */
const MOST_FILES = 200
const MOST_CHARS = 500_000
const TIMEOUT_MS = 1000

/** What these files defined and no longer define: renamed, moved elsewhere or removed; of a deleted file all. */
export async function symbolsGone(graph: SymbolGraph, files: readonly DeletedFile[]): Promise<Definition[]> {
  const gone: Definition[] = []
  for (const [at, { path, before }] of files.slice(0, MOST_FILES).entries()) {
    const language = languageOf(path, before)
    if (language.kind !== "code" || before.length > MOST_CHARS || before.includes("\0")) continue
    const file = graph.file(path) ?? viewOf(graph, path, { id: -1 - at, language: language.id })
    const left = new Set(file.symbols.map(keyOf))
    const missing = (await definedIn(path, before)).filter((symbol) => !left.has(keyOf(symbol)))
    gone.push(
      ...missing.map((symbol, index): Definition => {
        // The place of none that is still there.
        const place = { fileId: file.id, ordinal: -1, index, local: 0 as const }
        return { symbol: { ...symbol, ...place }, file }
      }),
    )
  }
  return gone
}

/** A file that the index has no more. */
function viewOf(
  { store }: SymbolGraph,
  path: string,
  { id, language }: { readonly id: number; readonly language: string },
): FileView {
  return new FileView(store, { id, path, language, flags: 0, package: null, imports: null })
}

function keyOf({ name, owner }: Pick<CodeSymbol, "name" | "owner">): string {
  return `${owner ?? ""} ${name}`
}

async function definedIn(path: string, text: string): Promise<CodeSymbol[]> {
  const { DEFAULT_PARSE_OPTIONS, parseFile } = await import("../code/parse.ts")
  const { chunks } = await parseFile(path, text, { ...DEFAULT_PARSE_OPTIONS, timeoutMs: TIMEOUT_MS })
  const symbols = chunks.flatMap((chunk) => chunk.symbols)
  const locals = localsAmong(symbols)
  return symbols.filter((symbol) => !locals.has(symbol) && !NAMELESS.has(symbol.kind))
}
