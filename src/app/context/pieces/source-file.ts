import { LRUCache } from "lru-cache"
import { displayText, readableText } from "../../../code/readable-text.ts"
import type { FileRow } from "../../../store/index/file-rows.ts"
import type { Store } from "../../../store/index/store.ts"
import type { SymbolRow } from "../../../store/index/symbols.ts"
import { isCallable, isType, qualifiedName } from "../../../symbols/definition.ts"
import type { SymbolGraph } from "../../../symbols/symbol-graph.ts"
import { readSource } from "../../../text/files/read-source.ts"
import type { SearchResult } from "../../answers.ts"
import type { Project } from "../../project/open-project.ts"
import { type PieceWords, wordsOfPieces } from "./piece-words.ts"
import { type Piece, piecesOf } from "./pieces.ts"

/** A file that search found for the task. Text and symbols are read on first use. */
export class SourceFile {
  readonly result: SearchResult
  readonly row: FileRow
  readonly project: Project
  readonly graph: SymbolGraph
  #content: Content | null = null

  constructor(
    result: SearchResult,
    row: FileRow,
    at: { readonly project: Project; readonly graph: SymbolGraph },
  ) {
    this.result = result
    this.row = row
    this.project = at.project
    this.graph = at.graph
  }

  get path(): string {
    return this.result.path
  }

  /** The path, and the repository's name if the file belongs to another repository than the project. */
  get head(): { readonly repository?: string; readonly path: string } {
    const { repository, path } = this.result
    return repository === undefined ? { path } : { repository, path }
  }

  /** The definition at the place that search found; null if nothing is defined there. */
  get named(): SymbolRow | null {
    const { symbol, start_line, end_line } = this.result
    const at = this.symbols.filter(({ startLine, endLine }) => startLine <= end_line && endLine >= start_line)
    return at.find((each) => qualifiedName({ symbol: each }) === symbol) ?? null
  }

  get symbols(): readonly SymbolRow[] {
    return this.#read().symbols
  }

  /** Lines for display; empty if the file can no longer be read. */
  get lines(): readonly string[] {
    return this.#read().lines
  }

  get pieces(): readonly Piece[] {
    return this.#analysed().pieces
  }

  /** Terms and other properties of each piece. */
  get words(): readonly PieceWords[] {
    return this.#analysed().words
  }

  #read(): Content {
    this.#content ??= cachedContent(this)
    return this.#content
  }

  #analysed(): NonNullable<Content["analysed"]> {
    const content = this.#read()
    if (content.analysed === null) {
      const { lines, symbols } = content
      const pieces = piecesOf(lines, symbols)
      content.analysed = { pieces, words: wordsOfPieces(lines, pieces) }
    }
    return content.analysed
  }

  /** Lines from start to end, 1-based and inclusive. */
  between(start: number, end: number): readonly string[] {
    return this.lines.slice(start - 1, end)
  }
}

type Content = {
  readonly lines: readonly string[]
  readonly symbols: readonly SymbolRow[]
  /** Pieces of the text and their words. Null until they are first needed. */
  analysed: { readonly pieces: readonly Piece[]; readonly words: readonly PieceWords[] } | null
}

/** Max total bytes of files whose contents are cached; the cache takes about five times as much memory. */
const MAX_CACHED = 1_000_000

/** Max bytes of a file whose content is cached. */
const MAX_CACHED_FILE = 100_000

/**
 * Cache of contents by version of the file: in a session the same files are needed for many questions, and most
 * of the time of an answer is spent on reading them and cutting them into pieces. Released together with the
 * index's store.
 */
const contents = new WeakMap<Store, LRUCache<string, Content>>()

/**
 * Content of a file from the cache, without reading the file again: the search that found it has just compared its text
 * with the hash of this version.
 */
function cachedContent({ row, path, project, graph: { store } }: SourceFile): Content {
  const cache = contents.get(store) ?? new LRUCache<string, Content>({ maxSize: MAX_CACHED })
  contents.set(store, cache)
  const key = `${row.id} ${row.hash}`
  const cachedContent_ = cache.get(key)
  if (cachedContent_ !== undefined) return cachedContent_
  const indexedText = store.documentTexts.find
  const source = readSource(project.root, path, project.config.index.maxFileBytes, { indexedText })
  // Symbols have the line numbers of the indexed version, so they are used only if the file is unchanged.
  const isAsIndexed = !("reason" in source) && source.hash === row.hash
  const text = isAsIndexed ? readableText(path, source.text) : ""
  const symbols = store.symbols.ofFile(row.id)
  const content = { lines: displayText(text).split(/\r?\n/), symbols, analysed: null }
  if (isAsIndexed && row.size <= MAX_CACHED_FILE) cache.set(key, content, { size: Math.max(1, row.size) })
  return content
}

/** True for functions and types, which the symbol graph can follow. */
export function isFollowed(symbol: SymbolRow | null): symbol is SymbolRow {
  return symbol !== null && (isCallable(symbol) || isType(symbol))
}
