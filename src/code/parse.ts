import { readCaptures } from "./captures.ts"
import { type ChunkRows, type ChunkSizes, partChars } from "./chunk.ts"
import { type Cut, cutUnits } from "./cut.ts"
import { nestDefinitions } from "./definitions.ts"
import { type Grammar, type Language, languageOf, loadGrammar } from "./languages.ts"
import { lineUnits } from "./line-units.ts"
import type { Chunk, CodeSymbol, ParsedFile } from "./parsed-file.ts"
import { cutByRules } from "./rules/cut-by-rules.ts"
import { runtimeBytes } from "./syntax-runtime.ts"
import { errorChars, isParserBroken, type NoTree, withSyntaxTree } from "./syntax-tree.ts"
import { syntaxUnits } from "./syntax-units.ts"
import { type TextLines, textLines } from "./text-lines.ts"

export type ParseOptions = ChunkSizes & { readonly timeoutMs: number }

export const DEFAULT_PARSE_OPTIONS: ParseOptions = { chunkTokens: 1500, mergeTokens: 500, timeoutMs: 5000 }

/** Above this share of a file in error nodes, and nothing defined, its tree says nothing. */
const MAX_ERROR_SHARE = 0.5

/** micromark cannot be stopped and takes seconds then; such a text is a list or a log anyway. */
const MAX_MARKDOWN_CHARS = 100_000

/** Thirty containers on one line, or a list forty levels deep: micromark is quadratic in both. */
const DEEP_MARKDOWN = /^(?:[ \t]{80,}(?:[-+*]|\d{1,9}[.)])[ \t]|(?:>[ \t]*|(?:[-+*]|\d{1,9}[.)])[ \t]+){30})/m

/** Cuts a file into chunks by the best method that works; whatever the text is, it does not throw. */
export async function parseFile(path: string, text: string, options: ParseOptions): Promise<ParsedFile> {
  const language = languageOf(path, text)
  const lines = textLines(text)
  const cut = await structured(language, lines, options)
  if (!("reason" in cut)) return parsedFile(language, lines, cut, null)
  return parsedFile(language, lines, cutSimply(language, lines, options), cut.reason)
}

/** Bytes that the parser holds and never returns; Infinity once it has failed: time for a new thread. */
export function wasmMemoryBytes(): number {
  return isParserBroken() ? Number.POSITIVE_INFINITY : runtimeBytes()
}

async function structured(
  language: Language,
  lines: TextLines,
  options: ParseOptions,
): Promise<Cut | NoTree> {
  try {
    if (language.id === "markdown") return await cutMarkdown(lines, options)
    const grammar = await loadGrammar(language)
    return grammar ? await cutBySyntax(grammar, lines, options) : cutSimply(language, lines, options)
  } catch (error) {
    return { reason: error instanceof Error ? error.message : String(error) }
  }
}

function cutBySyntax(grammar: Grammar, lines: TextLines, options: ParseOptions): Promise<Cut | NoTree> {
  const { text } = lines
  return withSyntaxTree(grammar, text, options.timeoutMs, (root, isLate) => {
    const captures = readCaptures(grammar.query, root, isLate)
    if (captures.definitions.length === 0 && errorChars(grammar, root) > MAX_ERROR_SHARE * text.length) {
      return { reason: "the grammar does not recognise most of it" }
    }
    const definitions = nestDefinitions(captures.definitions)
    const comments = merged(captures.comments, captures.docs)
    const units = syntaxUnits(root, { lines, definitions, comments, runChars: partChars(options) })
    return cutUnits("tree-sitter", { units, definitions }, { ...captures, comments }, lines, options)
  })
}

// Imported late: only Markdown pays for its parser.
async function cutMarkdown(lines: TextLines, options: ParseOptions): Promise<Cut | NoTree> {
  if (lines.text.length > MAX_MARKDOWN_CHARS) return { reason: "too long for the Markdown parser" }
  if (DEEP_MARKDOWN.test(lines.text)) return { reason: "nested too deeply for the Markdown parser" }
  const { markdownUnits } = await import("./markdown-units.ts")
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

function parsedFile(language: Language, lines: TextLines, cut: Cut, degraded: string | null): ParsedFile {
  return {
    language: language.id,
    method: cut.method,
    degraded,
    lines: lines.count,
    chunks: withSymbols(cut.chunks, cut.symbols, lines),
    comments: cut.captures?.comments ?? new Uint32Array(0),
    imports: cut.captures?.imports ?? [],
    package: cut.captures?.package ?? null,
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

/** Two lists of sorted pairs as one. */
function merged(comments: Uint32Array, docs: Uint32Array): Uint32Array {
  if (docs.length === 0) return comments
  const pairs = [...pairsOf(comments), ...pairsOf(docs)].sort((one, other) => one[0] - other[0])
  return Uint32Array.from(pairs.flat())
}

function pairsOf(ranges: Uint32Array): [number, number][] {
  return Array.from({ length: ranges.length / 2 }, (_, at) => [ranges[at * 2]!, ranges[at * 2 + 1]!])
}
