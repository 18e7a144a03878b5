/**
 * Cuts a file into chunks, symbols and uses. The method depends on the file: a notebook by cells, Markdown by sections,
 * code by its syntax tree, code without a grammar by rules. If a method fails, the next simpler one is used, at last
 * cutting by lines, so that any text gives chunks. At the end of the file: components (Vue, Svelte) and routes, whose
 * names come from the path of the file.
 */

import { messageOf } from "../../base/index.ts"
import { type ChunkRows, type ChunkSizes, partChars, type RowRange } from "../chunk/chunk.ts"
import { type Cut, cutUnits } from "../chunk/cut.ts"
import { withGivenChunks } from "../chunk/given-chunks.ts"
import { lineUnits } from "../chunk/line-units.ts"
import { nestDefinitions } from "../definitions.ts"
import { fileRoute } from "../languages/conventions.ts"
import { pageTitle } from "../languages/generated-docs.ts"
import { type Language, languageOf, loadGrammar } from "../languages/languages.ts"
import type { Notebook } from "../notebook/notebook-text.ts"
import { type Chunk, type CodeSymbol, NO_MEMORY, type ParsedFile } from "../parsed-file.ts"
import { notebookOf } from "../readable-text.ts"
import { jsdocOf } from "../references/jsdoc.ts"
import { embeddedNames, TEMPLATE_LANGUAGES } from "../references/templates.ts"
import { usesOf } from "../references/uses.ts"
import { cutByRules } from "../rules/rule-definitions.ts"
import { isBlankRow, rowAt, type TextLines, textLines } from "../text-lines.ts"
import { cutBySyntax } from "./cut-by-syntax.ts"
import { type CodeCaptures, readIslands } from "./islands.ts"
import { isParserBroken, type NoTree, runtimeBytes } from "./syntax-tree.ts"

export type ParseOptions = ChunkSizes & {
  readonly timeoutMs: number
  /** True for the output of a documentation generator. It is cut by lines into chunks of the maximum size. */
  readonly isGeneratedDocs?: boolean
  /** True for a file whose syntax tree takes too much memory. It is cut by rules or by lines. */
  readonly isPlain?: boolean
  /** Rows of the chunks that the user's chunker program gave. Definitions and uses are read as without it. */
  readonly givenChunks?: readonly RowRange[] | undefined
}

export const DEFAULT_PARSE_OPTIONS: ParseOptions = { chunkTokens: 1500, mergeTokens: 500, timeoutMs: 5000 }

type ParseInput = { readonly path: string; readonly language: Language; readonly lines: TextLines }

/**
 * Maximum length, in characters, of a data file that is parsed. Longer data files are tables or dumps: parsing them is
 * slow and finds nothing.
 */
const MAX_DATA_CHARS = 200_000

// The same limits as for headings and signatures in other languages.
const MAX_TITLE_CHARS = 120

/** Languages whose files do not refer to definitions by name. */
const NAMELESS: ReadonlySet<string> = new Set(["css", "terraform"])

/** Cuts a file into chunks by the best method that works for it. Does not throw, whatever the text. */
export async function parseFile(path: string, text: string, options: ParseOptions): Promise<ParsedFile> {
  const language = languageOf(path, text)
  const notebook = notebookOf(path, text)
  const lines = textLines(notebook?.text ?? text)
  const best = await structured({ path, language, lines }, notebook, options)
  const isCut = !("reason" in best)
  const own = isCut ? best : cutSimply(language, lines, options)
  const given = options.givenChunks
  const cut =
    given === undefined ? own : { ...own, chunks: withGivenChunks(given, own.chunks, lines, options) }
  return withRoute(
    path,
    parsedFile({ path, language, lines }, cut, isCut ? (best.degraded ?? null) : best.reason),
  )
}

/**
 * WebAssembly memory in bytes that the parser holds and never returns. Infinity after the parser has failed, so that
 * the caller replaces the thread.
 */
export function wasmMemoryBytes(): number {
  return isParserBroken() ? Number.POSITIVE_INFINITY : runtimeBytes()
}

async function structured(
  { path, language, lines }: ParseInput,
  notebook: Notebook | null,
  options: ParseOptions,
): Promise<Cut | NoTree> {
  try {
    if (options.isGeneratedDocs) return cutGeneratedDocs(lines, options)
    if (options.isPlain) return { reason: NO_MEMORY }
    if (notebook)
      return await (await import("../notebook/cut-notebook.ts")).cutNotebook(notebook, lines, options)
    // An office document has been converted to Markdown text.
    if (language.id === "markdown" || language.id === "document")
      return await cutMarkdown(path, lines, options)
    if (language.id === "template")
      return cutSimply(language, lines, options, await readIslands(path, lines.text, options.timeoutMs))
    if (language.kind === "data" && lines.text.length > MAX_DATA_CHARS)
      return cutSimply(language, lines, options)
    const grammar = await loadGrammar(language)
    return grammar
      ? await cutBySyntax(language.id, grammar, lines, options)
      : cutSimply(language, lines, options)
  } catch (error) {
    return { reason: messageOf(error) }
  }
}

// Imports the Markdown parser here, so that it is loaded only if there are Markdown files.
async function cutMarkdown(path: string, lines: TextLines, options: ParseOptions): Promise<Cut | NoTree> {
  const [{ MAX_PAGE_CHARS }, { markdownUnits }] = await Promise.all([
    import("../markdown/markdown-blocks.ts"),
    import("../markdown/markdown-units.ts"),
  ])
  if (lines.text.length > MAX_PAGE_CHARS) return { reason: "too long for the Markdown parser" }
  const { units, sections } = markdownUnits(lines, partChars(options))
  const code = await readIslands(path, lines.text, options.timeoutMs)
  const definitions = nestDefinitions([...sections, ...code.definitions])
  return cutUnits("markdown", { units, definitions }, { ...code, package: null }, lines, options)
}

/** Cuts a file without a grammar: by the rules of its language; if there are none or they find nothing, by lines. */
function cutSimply(language: Language, lines: TextLines, options: ParseOptions, inside?: CodeCaptures): Cut {
  return cutByRules(language.id, lines, options, inside) ?? cutByLines(lines, options)
}

function cutByLines(lines: TextLines, options: ParseOptions): Cut {
  const rows = { startRow: 0, endRow: lines.count - 1 }
  const units = lineUnits(lines, rows, null, partChars(options))
  return cutUnits("lines", { units, definitions: [] }, null, lines, options)
}

/**
 * Cuts generated documentation by lines. Parsing such a page took 24 of 31 ms (javadoc, 25 KB per page), and made every
 * anchor a definition. Only the title of the page becomes a section; the whole text can be searched.
 */
function cutGeneratedDocs(lines: TextLines, options: ParseOptions): Cut {
  const cut = cutByLines(lines, { ...options, mergeTokens: options.chunkTokens })
  const page = pageTitle(lines.text)
  if (page === null) return cut
  const { title, at } = page
  const section: CodeSymbol = {
    name: title.slice(0, MAX_TITLE_CHARS),
    kind: "section",
    signature: title.slice(0, 300),
    startLine: rowAt(lines, at) + 1,
    endLine: lines.count,
    owner: null,
    doc: null,
  }
  return { ...cut, symbols: [section] }
}

function parsedFile({ path, language, lines }: ParseInput, cut: Cut, degraded: string | null): ParsedFile {
  const comments = cut.captures?.comments ?? new Uint32Array(0)
  const jsdoc = cut.useSource === undefined ? null : jsdocOf(language.id, lines, comments)
  const own =
    language.isComponent || path.endsWith(".razor") ? [componentOf(path, lines), ...cut.symbols] : cut.symbols
  const symbols = jsdoc === null ? own : merged(own, jsdoc.symbols)
  return {
    language: language.id,
    method: cut.method,
    degraded,
    text: lines.text,
    lines: lines.count,
    chunks: withSymbols(cut.chunks, symbols, lines),
    comments,
    imports: cut.captures?.imports ?? [],
    package: cut.captures?.package ?? null,
    uses: usesIn(path, language, lines, cut.useSource && { ...cut.useSource, jsdoc }),
  }
}

/** The symbols of both lists, ordered by line. */
function merged(some: readonly CodeSymbol[], others: readonly CodeSymbol[]): readonly CodeSymbol[] {
  if (others.length === 0) return some
  return [...some, ...others].sort((one, other) => one.startLine - other.startLine)
}

/** Reads the uses of names in a file; null if no part of the file is known to be code. */
function usesIn(
  path: string,
  { id, kind }: Language,
  lines: TextLines,
  source: Cut["useSource"],
): ParsedFile["uses"] {
  if (kind !== "code" || NAMELESS.has(id)) return null
  if (source === undefined) return TEMPLATE_LANGUAGES.has(id) ? () => embeddedNames(path, id, lines) : null
  return () => {
    const uses = usesOf(lines, id, source)
    const embedded = embeddedNames(path, id, lines)
    return embedded.length === 0 ? uses : [...uses, ...embedded].sort((one, other) => one.line - other.line)
  }
}

/** Assigns each symbol to the chunk that contains its first line. Both lists are in file order. */
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

/**
 * The component that a Vue or Svelte file defines. It has the name of the file or, if the file is named `index`, of the
 * folder.
 */
function componentOf(path: string, lines: TextLines): CodeSymbol {
  let row = 0
  while (row < lines.count - 1 && isBlankRow(lines, row)) row++
  const name = componentName(path)
  return {
    name,
    kind: "component",
    signature: `<${name}>`,
    startLine: row + 1,
    endLine: Math.max(lines.count, row + 1),
    owner: null,
    doc: null,
  }
}

function componentName(path: string): string {
  const [file = "", folder] = path.split("/").reverse()
  // In Nuxt, Chart.client.vue defines the component Chart; Chart.test.svelte does not.
  const stem = file.replace(/(?<=.)(?:\.(?:client|server|global|ce))?\.[^.]*$/, "")
  return stem.toLowerCase() === "index" && folder ? folder : stem
}

/** Adds the URL path that a file serves as a symbol, so that it can be searched like a name. */
function withRoute(path: string, file: ParsedFile): ParsedFile {
  const name = fileRoute(path)
  const [first, ...rest] = file.chunks
  if (name === null || !first) return file
  const place = { startLine: first.startLine, endLine: file.chunks.at(-1)!.endLine }
  const route: CodeSymbol = { name, kind: "route", signature: name, ...place, owner: null, doc: null }
  const symbols = [...first.symbols, route]
  return { ...file, chunks: [{ ...first, symbols, kind: symbols[0]!.kind }, ...rest] }
}
