import type { SymbolKind } from "../parsed-file.ts"

/** A stretch that holds no code. Found by its first characters, so `open` is sticky and starts with `first`. */
export type Span = {
  readonly holds: "comment" | "string"
  /** The characters it can begin with. */
  readonly first: string
  readonly open: RegExp
  /**
   * Closing delimiter: fixed, or computed from the opening one (`$tag$`, `<<EOF`); null for the end of the
   * row.
   */
  readonly close: string | ((opened: RegExpExecArray) => string) | null
  /** Escape character. */
  readonly escape?: string
  /** If not closed on its row, it is not a span: an apostrophe, for example. */
  readonly isOneRow?: boolean
}

/**
 * Where a definition ends.
 * braces: with the block after it, or where there is none with its row; block: likewise, or by its indentation;
 * statement: at the `;` of its level; parens: with the bracket after it; row: with its row; indent: before the next row
 * indented no deeper; section: before the next section of its level or above; `RegExp`: with the next row that matches,
 * not counting nested ones.
 */
export type Extent = "braces" | "block" | "statement" | "parens" | "row" | "indent" | "section" | RegExp

/** A row that defines something. */
export type Rule = {
  readonly kind: SymbolKind
  /**
   * Matched against at most 500 characters from the start of a row, comments and strings blanked out; begins with
   * "^". Groups: `name`, and where the text says so `owner`. Nothing in it may backtrack more than linearly.
   */
  readonly pattern: RegExp
  readonly extent: Extent
  /** The definition needs a block; without one it is a call or a declaration. */
  readonly needsBlock?: true
  /** Maximum number of brackets open at the row; absent: any number. */
  readonly maxDepth?: number
  /** Minimum number of brackets open at the row; absent: any number. */
  readonly minDepth?: number
  /** Level of a section; 1 is outermost. */
  readonly level?: number
  /** Rows inside it define nothing. */
  readonly isOpaque?: true
  /** The signature is more than the first row. */
  readonly isSignatureWhole?: true
}

/** How the definitions of a language are found without a grammar. */
export type RuleSet = {
  readonly spans: readonly Span[]
  readonly rules: readonly Rule[]
  /** Global and multi-line; its one group is the module's name. Matched against the text, comments included. */
  readonly imports?: RegExp
  /** Likewise, once. */
  readonly package?: RegExp
}

export const SLASH_COMMENT: Span = { holds: "comment", first: "/", open: /\/\//y, close: null }
export const BLOCK_COMMENT: Span = { holds: "comment", first: "/", open: /\/\*/y, close: "*/" }
export const HASH_COMMENT: Span = { holds: "comment", first: "#", open: /#/y, close: null }
export const DASH_COMMENT: Span = { holds: "comment", first: "-", open: /--/y, close: null }
export const DOUBLE_QUOTED: Span = {
  holds: "string",
  first: '"',
  open: /"/y,
  close: '"',
  escape: "\\",
  isOneRow: true,
}
export const SINGLE_QUOTED: Span = { ...DOUBLE_QUOTED, first: "'", open: /'/y, close: "'" }
/** The string may contain line breaks. */
export const LONG_DOUBLE_QUOTED: Span = { holds: "string", first: '"', open: /"/y, close: '"', escape: "\\" }
export const LONG_SINGLE_QUOTED: Span = {
  holds: "string",
  first: "'",
  open: /'/y,
  close: "'",
  escape: "\\",
}
