import { localsAmong } from "../code/defined-names.ts"
import { languageOf } from "../code/languages.ts"
import type { CodeSymbol } from "../code/parsed-file.ts"
import type { Definition } from "../graph/definition.ts"
import { FileView } from "../graph/file-view.ts"
import { NAMELESS } from "../graph/kinds.ts"
import type { SymbolGraph } from "../graph/symbol-graph.ts"

/** Texts as they were before a change; each takes some 10 ms. */
export const MOST_FILES = 200
export const MOST_CHARS = 500_000
const TIMEOUT_MS = 1000

/** A file's text before a change, and after it; null: as the index has it. */
export type Rewritten = { readonly path: string; readonly before: string; readonly after: string | null }

/**
 * What these files defined and no longer define: renamed, moved elsewhere or removed. `unread` are files that were too
 * many, or too large.
 */
export async function symbolsGone(
  graph: SymbolGraph,
  files: readonly Rewritten[],
): Promise<{ readonly gone: Definition[]; readonly unread: number }> {
  const gone: Definition[] = []
  const code = files.flatMap(({ path, before, after }) => {
    const { kind, id } = languageOf(path, before)
    return kind === "code" && !before.includes("\0") ? [{ path, before, after, language: id }] : []
  })
  const small = code.filter(({ before, after }) => Math.max(before.length, after?.length ?? 0) <= MOST_CHARS)
  const read = small.slice(0, MOST_FILES)
  for (const [at, { path, before, after, language }] of read.entries()) {
    const file = graph.file(path) ?? viewOf(graph, path, { id: -1 - at, language })
    const now = after === null ? file.symbols : await symbolsIn(path, after)
    const left = new Set(now.map(ownName))
    const missing = (await definedIn(path, before)).filter((symbol) => !left.has(ownName(symbol)))
    gone.push(
      ...missing.map((symbol, index): Definition => {
        // The place of none that is still there.
        const place = { fileId: file.id, ordinal: -1, index, local: 0 as const }
        return { symbol: { ...symbol, ...place }, file }
      }),
    )
  }
  return { gone, unread: code.length - read.length }
}

/** A file that the index has no more. */
function viewOf(
  { store }: SymbolGraph,
  path: string,
  { id, language }: { readonly id: number; readonly language: string },
): FileView {
  return new FileView(store, { id, path, language, flags: 0, package: null, imports: null })
}

function ownName({ name, owner }: Pick<CodeSymbol, "name" | "owner">): string {
  return `${owner ?? ""} ${name}`
}

async function definedIn(path: string, text: string): Promise<CodeSymbol[]> {
  const symbols = await symbolsIn(path, text)
  const locals = localsAmong(symbols)
  return symbols.filter((symbol) => !locals.has(symbol) && !NAMELESS.has(symbol.kind))
}

export async function symbolsIn(path: string, text: string): Promise<CodeSymbol[]> {
  if (text === "") return []
  const { DEFAULT_PARSE_OPTIONS, parseFile } = await import("../code/parse.ts")
  const { chunks } = await parseFile(path, text, { ...DEFAULT_PARSE_OPTIONS, timeoutMs: TIMEOUT_MS })
  return chunks.flatMap((chunk) => chunk.symbols)
}
