import type { Use } from "./references/use-code.ts"

/** Kinds of definitions. The same word is used for every language. */
export const SYMBOL_KINDS = [
  "function",
  "method",
  "class",
  "interface",
  "struct",
  "enum",
  "trait",
  "type",
  "module",
  "constant",
  "variable",
  "field",
  "macro",
  "property",
  "section",
  "component",
  "selector",
  "element",
  "resource",
  "key",
  "route",
] as const

export type SymbolKind = (typeof SYMBOL_KINDS)[number]

export type CodeSymbol = {
  readonly name: string
  readonly kind: SymbolKind
  /** The declaration without its body, with white space collapsed, at most 300 characters. */
  readonly signature: string
  /** 1-based, inclusive. */
  readonly startLine: number
  readonly endLine: number
  /**
   * The type that owns the symbol: the enclosing type, a Go receiver, a Rust impl, a C++ qualifier, the extended type.
   */
  readonly owner: string | null
  /** True inside of a function, whose code alone can name the symbol; undefined if only the lines tell. */
  readonly isLocal?: boolean
  /** First paragraph of the doc comment without comment markers, at most 300 characters. */
  readonly doc: string | null
}

/** Maximum number of imports read from a file. It protects against hostile files; real code stays below it. */
export const MAX_IMPORTS = 5_000

/**
 * The note that a file was read only up to a limit, such as "only the first 5000 imports are read". It is stored as the
 * degradation of the file.
 */
export function limitNote(max: number, what: string): string {
  return `only the first ${max} ${what} are read`
}

/** True for a degradation that `limitNote` wrote: the file was parsed, but some of its content was left out. */
export function isLimitNote(reason: string): boolean {
  return reason.startsWith("only the first ")
}

/** The degradation of a file with a syntax tree that lacks a part. Definitions there are found by their rows or missing. */
export const GRAMMAR_ERRORS = "the grammar fails on a part of it"

/** How a file was cut into chunks. Each method is the fallback for the methods before it. */
export type ParseMethod = "tree-sitter" | "markdown" | "notebook" | "rules" | "lines"

export type Chunk = {
  /** 1-based, inclusive. */
  readonly startLine: number
  readonly endLine: number
  /** UTF-16 offsets into the file's text, end exclusive; on line boundaries. */
  readonly start: number
  readonly end: number
  /**
   * The kind of the first definition in the chunk; "section" for the text of a heading; "block" if the chunk defines
   * nothing.
   */
  readonly kind: SymbolKind | "block"
  readonly symbols: readonly CodeSymbol[]
  /** Names of the definitions that enclose the chunk, outermost first, joined by "."; null at the top level. */
  readonly scope: string | null
}

/** The result of parsing a file. The chunks cover every non-blank line, in order and without overlap. */
export type ParsedFile = {
  readonly language: string
  readonly method: ParseMethod
  /** Why a better method could not be used, as a short sentence; null if the best one was used. */
  readonly degraded: string | null
  /**
   * The text that offsets refer to: the text of the file or, for a notebook, its readable text, which has the same
   * rows.
   */
  readonly text: string
  readonly lines: number
  readonly chunks: readonly Chunk[]
  /** Comments and doc strings as sorted [start, end) pairs of UTF-16 offsets. */
  readonly comments: Uint32Array
  /** Modules that the file imports, as written; at most MAX_IMPORTS. */
  readonly imports: readonly string[]
  /** Package, namespace or module that the file declares; null if it declares none. */
  readonly package: string | null
  /** Reads the uses of names on demand; null if there is no syntax tree. */
  readonly uses: (() => readonly Use[]) | null
}

/** The reason when a file was read without its syntax, because its tree would exceed the memory limit of the process. */
export const NO_MEMORY = "too little memory for its syntax"
