import { displayText, readableText } from "../../code/readable-text.ts"
import type { FileRow } from "../../store/index/file-rows.ts"
import type { SymbolRow } from "../../store/index/symbols.ts"
import { isCallable, isType, qualifiedName } from "../../symbols/definition.ts"
import type { SymbolGraph } from "../../symbols/symbol-graph.ts"
import { readSource } from "../../text/files/read-source.ts"
import type { SearchResult } from "../answers.ts"
import type { Project } from "../project/open-project.ts"
import { type Piece, piecesOf } from "./pieces.ts"

/** A file that search found for the task. Text and symbols are read on first use. */
export class SourceFile {
  readonly result: SearchResult
  readonly row: FileRow
  readonly project: Project
  readonly graph: SymbolGraph
  #lines: readonly string[] | null = null
  #symbols: readonly SymbolRow[] | null = null
  #pieces: readonly Piece[] | null = null

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

  /** The path, and the name of the file's repository if it is another one. */
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
    this.#symbols ??= this.graph.store.symbols.ofFile(this.row.id)
    return this.#symbols
  }

  /** Lines for display; empty if the file can no longer be read. */
  get lines(): readonly string[] {
    if (this.#lines === null) {
      const { root, config } = this.project
      const source = readSource(root, this.path, config.index.maxFileBytes)
      // Symbols have the line numbers of the indexed version, so they are used only if the file is unchanged.
      const isAsIndexed = !("reason" in source) && source.hash === this.row.hash
      const text = isAsIndexed ? readableText(this.path, source.text) : ""
      this.#lines = displayText(text).split(/\r?\n/)
    }
    return this.#lines
  }

  get pieces(): readonly Piece[] {
    this.#pieces ??= piecesOf(this.lines, this.symbols)
    return this.#pieces
  }

  /** Lines from start to end, 1-based and inclusive. */
  between(start: number, end: number): readonly string[] {
    return this.lines.slice(start - 1, end)
  }
}

/** True for functions and types, which the symbol graph can follow. */
export function isFollowed(symbol: SymbolRow | null): symbol is SymbolRow {
  return symbol !== null && (isCallable(symbol) || isType(symbol))
}
