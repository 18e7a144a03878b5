import { type ChunkRows, type ChunkSizes, partChars } from "./chunk.ts"
import { componentOf } from "./component.ts"
import { type Cut, cutUnits } from "./cut.ts"
import { cutBySyntax } from "./cut-by-syntax.ts"
import { withRoute } from "./file-route.ts"
import { type Language, languageOf, loadGrammar } from "./languages.ts"
import { lineUnits } from "./line-units.ts"
import type { Notebook } from "./notebook/notebook-text.ts"
import type { Chunk, CodeSymbol, ParsedFile } from "./parsed-file.ts"
import { notebookOf } from "./readable-text.ts"
import { cutByRules } from "./rules/cut-by-rules.ts"
import { runtimeBytes } from "./syntax-runtime.ts"
import { isParserBroken, type NoTree } from "./syntax-tree.ts"
import { type TextLines, textLines } from "./text-lines.ts"
import { usesOf } from "./uses.ts"

export type ParseOptions = ChunkSizes & { readonly timeoutMs: number }

export const DEFAULT_PARSE_OPTIONS: ParseOptions = { chunkTokens: 1500, mergeTokens: 500, timeoutMs: 5000 }

type Source = { readonly path: string; readonly language: Language; readonly lines: TextLines }

/** A longer file of data is a table or a dump: its structure finds nothing and costs a lot. */
const MAX_DATA_CHARS = 200_000

/** What they hold calls nothing by its name. */
const NAMELESS: ReadonlySet<string> = new Set(["css", "terraform"])

/** Cuts a file into chunks by the best method that works; whatever the text is, it does not throw. */
export async function parseFile(path: string, text: string, options: ParseOptions): Promise<ParsedFile> {
  const language = languageOf(path, text)
  const notebook = notebookOf(path, text)
  const lines = textLines(notebook?.text ?? text)
  const best = await structured(language, notebook, lines, options)
  const isCut = !("reason" in best)
  const cut = isCut ? best : cutSimply(language, lines, options)
  return withRoute(
    path,
    parsedFile({ path, language, lines }, cut, isCut ? (best.degraded ?? null) : best.reason),
  )
}

/** Bytes that the parser holds and never returns; Infinity once it has failed: time for a new thread. */
export function wasmMemoryBytes(): number {
  return isParserBroken() ? Number.POSITIVE_INFINITY : runtimeBytes()
}

async function structured(
  language: Language,
  notebook: Notebook | null,
  lines: TextLines,
  options: ParseOptions,
): Promise<Cut | NoTree> {
  try {
    if (notebook)
      return await (await import("./notebook/cut-notebook.ts")).cutNotebook(notebook, lines, options)
    if (language.id === "markdown") return await cutMarkdown(lines, options)
    if (language.kind === "data" && lines.text.length > MAX_DATA_CHARS)
      return cutSimply(language, lines, options)
    const grammar = await loadGrammar(language)
    return grammar ? await cutBySyntax(grammar, lines, options) : cutSimply(language, lines, options)
  } catch (error) {
    return { reason: error instanceof Error ? error.message : String(error) }
  }
}

// Imported late: only Markdown pays for its parser.
async function cutMarkdown(lines: TextLines, options: ParseOptions): Promise<Cut | NoTree> {
  const [{ tooMuchMarkdown }, { markdownUnits }] = await Promise.all([
    import("./markdown-blocks.ts"),
    import("./markdown-units.ts"),
  ])
  const reason = tooMuchMarkdown(lines.text)
  if (reason !== null) return { reason }
  const { units, sections } = markdownUnits(lines, partChars(options))
  return cutUnits("markdown", { units, definitions: sections }, null, lines, options)
}

/** Without a grammar: by the rules of its language, else by lines. */
function cutSimply(language: Language, lines: TextLines, options: ParseOptions): Cut {
  return cutByRules(language.id, lines, options) ?? cutByLines(lines, options)
}

function cutByLines(lines: TextLines, options: ParseOptions): Cut {
  const rows = { startRow: 0, endRow: lines.count - 1 }
  const units = lineUnits(lines, rows, null, partChars(options))
  return cutUnits("lines", { units, definitions: [] }, null, lines, options)
}

function parsedFile({ path, language, lines }: Source, cut: Cut, degraded: string | null): ParsedFile {
  const { useSource } = cut
  const symbols = language.isComponent ? [componentOf(path, lines), ...cut.symbols] : cut.symbols
  return {
    language: language.id,
    method: cut.method,
    degraded,
    text: lines.text,
    lines: lines.count,
    chunks: withSymbols(cut.chunks, symbols, lines),
    comments: cut.captures?.comments ?? new Uint32Array(0),
    imports: cut.captures?.imports ?? [],
    package: cut.captures?.package ?? null,
    uses:
      useSource && language.kind === "code" && !NAMELESS.has(language.id)
        ? () => usesOf(lines, language.id, useSource)
        : null,
  }
}

/** A symbol belongs to the chunk that its first line is in; both are in order of place. */
function withSymbols(
  chunks: readonly ChunkRows[],
  symbols: readonly CodeSymbol[],
  lines: TextLines,
): Chunk[] {
  let next = 0
  return chunks.map(({ startRow, endRow, scope }) => {
    const from = next
    while (next < symbols.length && symbols[next]!.startLine <= endRow + 1) next++
    const own = symbols.slice(from, next)
    return {
      startLine: startRow + 1,
      endLine: endRow + 1,
      start: lines.starts[startRow]!,
      end: lines.starts[endRow + 1]!,
      kind: own[0]?.kind ?? "block",
      symbols: own,
      scope,
    }
  })
}
