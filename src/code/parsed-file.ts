import type { Use } from "./references/use-code.ts"

/** Kinds of definitions, in the field's terms; the same word in every language. */
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
  /** The declaration without its body, white space collapsed, at most 300 characters. */
  readonly signature: string
  /** 1-based, inclusive. */
  readonly startLine: number
  readonly endLine: number
  /** The type that owns it: the enclosing one, a Go receiver, a Rust impl, a C++ qualifier, an extension. */
  readonly owner: string | null
  /** First paragraph of its doc comment, markers stripped, at most 300 characters. */
  readonly doc: string | null
}

/** Limit of imports per file: a guard against hostile files, not a number that real code meets. */
export const MAX_IMPORTS = 5_000

/**
 * The note that a file was read only up to a limit, such as "only the first 5000 imports are read"; stored as
 * the file's degradation.
 */
export function limitNote(max: number, what: string): string {
  return `only the first ${max} ${what} are read`
}

/** True for a degradation that `limitNote` wrote: the file was parsed, but not to its end. */
export function isLimitNote(reason: string): boolean {
  return reason.startsWith("only the first ")
}

/** How a file was cut; each later method is the fallback for the earlier ones. */
export type ParseMethod = "tree-sitter" | "markdown" | "notebook" | "rules" | "lines"

export type Chunk = {
  /** 1-based, inclusive. */
  readonly startLine: number
  readonly endLine: number
  /** UTF-16 offsets into the file's text, end exclusive; on line boundaries. */
  readonly start: number
  readonly end: number
  /** The kind of its first definition, "section" for a heading's text, "block" where it defines nothing. */
  readonly kind: SymbolKind | "block"
  readonly symbols: readonly CodeSymbol[]
  /** The definitions that enclose the chunk, outermost first, joined by "."; null at the top level. */
  readonly scope: string | null
}

/** Chunks cover every non-blank line of the file, in order, without overlap. */
export type ParsedFile = {
  readonly language: string
  readonly method: ParseMethod
  /** Why a better method was given up, as a short sentence; null if none was. */
  readonly degraded: string | null
  /**
   * The text that offsets refer to: the file's text, or for a notebook its readable text, which has the same
   * rows.
   */
  readonly text: string
  readonly lines: number
  readonly chunks: readonly Chunk[]
  /** Comments and doc strings as sorted [start, end) pairs of UTF-16 offsets. */
  readonly comments: Uint32Array
  /** Modules the file names in its imports, as written, at most MAX_IMPORTS. */
  readonly imports: readonly string[]
  /** Package, namespace or module the file declares, if any. */
  readonly package: string | null
  /** Reads the uses of names on demand; null if there is no syntax tree. */
  readonly uses: (() => readonly Use[]) | null
}

/** Why the syntax of a file was not used: the memory limit of the process does not suffice for its tree. */
export const NO_MEMORY = "too little memory for its syntax"
