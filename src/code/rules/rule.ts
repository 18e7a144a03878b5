import type { SymbolKind } from "../parsed-file.ts"

/**
 * A comment or string, which contains no code. It is recognised by its first characters, so `open` is sticky
 * and matches one of `first` first.
 */
export type DelimitedSpan = {
  readonly holds: "comment" | "string"
  /** The characters that it can begin with. */
  readonly first: string
  readonly open: RegExp
  /**
   * Closing delimiter: fixed, or computed from the opening one (`$tag$`, `<<EOF`); null for the end of the
   * row.
   */
  readonly close: string | ((opened: RegExpExecArray) => string) | null
  /** Escape character. */
  readonly escape?: string
  /** If it is not closed on its row, it is no string but, for example, an apostrophe. */
  readonly isOneRow?: boolean
}

/**
 * Determines the end of a definition. braces: the end of the block after it, or of its row if there is none;
 * block: likewise, but by indentation if there is no brace; statement: the `;` at its bracket level; parens:
 * the bracket after it; row: the end of its row; indent: the next row that is not indented deeper; section: the
 * next section of its level or above; `RegExp`: the next matching row, not counting those of nested
 * definitions.
 */
export type DefinitionExtent =
  | "braces"
  | "block"
  | "statement"
  | "parens"
  | "row"
  | "indent"
  | "section"
  | RegExp

/** A pattern for rows that define something. */
export type DefinitionRule = {
  readonly kind: SymbolKind
  /**
   * Matched against at most 500 characters from the start of a row, with comments and strings blanked out;
   * begins with "^". Groups: `name`, and optionally `owner`. It must not backtrack more than linearly.
   */
  readonly pattern: RegExp
  readonly extent: DefinitionExtent
  /** The definition needs a block; without one it is a call or a declaration. */
  readonly needsBlock?: true
  /** Maximum number of brackets open at the row; absent: any number. */
  readonly maxDepth?: number
  /** Minimum number of brackets open at the row; absent: any number. */
  readonly minDepth?: number
  /** Level of a section; 1 is outermost. */
  readonly level?: number
  /** Nothing inside it counts as a definition. */
  readonly isOpaque?: true
  /** The signature has more than one row. */
  readonly isSignatureWhole?: true
}

/** Rules that find the definitions of a language without a grammar. */
export type RuleSet = {
  readonly spans: readonly DelimitedSpan[]
  readonly rules: readonly DefinitionRule[]
  /**
   * Global and multi-line; its single group is the module's name. Matched against the text including comments.
   */
  readonly imports?: RegExp
  /** Matches the file's package, once per file; otherwise like `imports`. */
  readonly package?: RegExp
}

export const SLASH_COMMENT: DelimitedSpan = { holds: "comment", first: "/", open: /\/\//y, close: null }
export const BLOCK_COMMENT: DelimitedSpan = { holds: "comment", first: "/", open: /\/\*/y, close: "*/" }
export const HASH_COMMENT: DelimitedSpan = { holds: "comment", first: "#", open: /#/y, close: null }
export const DASH_COMMENT: DelimitedSpan = { holds: "comment", first: "-", open: /--/y, close: null }
export const DOUBLE_QUOTED: DelimitedSpan = {
  holds: "string",
  first: '"',
  open: /"/y,
  close: '"',
  escape: "\\",
  isOneRow: true,
}
export const SINGLE_QUOTED: DelimitedSpan = { ...DOUBLE_QUOTED, first: "'", open: /'/y, close: "'" }
/** The string may contain line breaks. */
export const LONG_DOUBLE_QUOTED: DelimitedSpan = {
  holds: "string",
  first: '"',
  open: /"/y,
  close: '"',
  escape: "\\",
}
export const LONG_SINGLE_QUOTED: DelimitedSpan = {
  holds: "string",
  first: "'",
  open: /'/y,
  close: "'",
  escape: "\\",
}
