import type { SymbolKind } from "../parsed-file.ts"

/**
 * A comment or string, which contains no code. Its start is found by its first character: the sticky pattern `open` is
 * tried only where the character is in `first`.
 */
export type DelimitedSpan = {
  readonly holds: "comment" | "string"
  /** The characters that its opening delimiter can begin with. */
  readonly first: string
  readonly open: RegExp
  /**
   * Closing delimiter: a fixed one, or one computed from the opening delimiter (`$tag$`, `<<EOF`). Null if the span
   * ends at the end of the row.
   */
  readonly close: string | ((opened: RegExpExecArray) => string) | null
  /** Character that escapes a delimiter. */
  readonly escape?: string
  /**
   * True if the delimiter counts as a plain character, such as an apostrophe, when it is not closed on the same row.
   */
  readonly isOneRow?: boolean
}

/** Where a definition ends. */
export type DefinitionExtent =
  /** With the block that follows, or with the line of its name if there is none. */
  | "braces"
  /** Like braces, but by indentation if there is no brace. */
  | "block"
  /** At the `;` of the same bracket level. */
  | "statement"
  /** With the bracket that follows. */
  | "parens"
  | "row"
  /** Before the next line that is not indented more. */
  | "indent"
  /** Before the next section of the same or a higher level. */
  | "section"
  /** With the next row that matches and does not end a nested definition. */
  | RegExp

/** A pattern for rows that begin a definition. */
export type DefinitionRule = {
  readonly kind: SymbolKind
  /**
   * Matched against at most 500 characters from the start of a row, with comments and strings replaced by blanks. It
   * begins with "^", has the group `name` and may have the group `owner`. It must not backtrack more than linearly.
   */
  readonly pattern: RegExp
  readonly extent: DefinitionExtent
  /** True if only a definition with a block counts; without one, the row is a call or a declaration. */
  readonly needsBlock?: true
  /** Maximum number of brackets that may be open at the row; absent: any number. */
  readonly maxDepth?: number
  /** Minimum number of brackets that must be open at the row; absent: any number. */
  readonly minDepth?: number
  /** Level of a section; 1 is outermost. */
  readonly level?: number
  /** True if definitions inside this one do not count. */
  readonly isOpaque?: true
  /** True if only the first definition of a name in the file counts, as of the clauses of a predicate. */
  readonly isFirstOnly?: true
  /** True if the signature may have more than one row. */
  readonly isSignatureWhole?: true
}

/** The rules that find the definitions of a language without a grammar. */
export type RuleSet = {
  readonly spans: readonly DelimitedSpan[]
  readonly rules: readonly DefinitionRule[]
  /**
   * Matches an import. Global and multi-line; its only group is the name of the module. It is matched against the text
   * with comments.
   */
  readonly imports?: RegExp
  /** Matches the package that the file declares, once per file; otherwise like `imports`. */
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
/** A string in double quotes that may contain line breaks. */
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
