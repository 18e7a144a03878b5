import type * as TreeSitter from "web-tree-sitter"
import { languageNamed, loadGrammar } from "../languages/languages.ts"
import { withSyntaxTree } from "./syntax-tree.ts"

/** Kinds of tokens that a page shows in colour. The number in `Tokens` is an index into this list. */
export const TOKEN_KINDS = ["keyword", "string", "comment", "number", "type", "function", "property"] as const
export type TokenKind = (typeof TOKEN_KINDS)[number]

/**
 * Start, length and kind of each coloured token, as three consecutive numbers, in text order. Offsets count UTF-16
 * units.
 */
export type Tokens = readonly number[]

const MAX_TOKENS = 60_000
const TIMEOUT_MS = 500

/**
 * The tokens of a text in the language with this id. Empty if there is no grammar, or if the text is too long or cannot
 * be parsed.
 */
export async function classifyTokens(languageId: string, text: string): Promise<Tokens> {
  const language = languageNamed(languageId)
  if (language === null || text.length > 300_000) return []
  const grammar = await loadGrammar(language)
  if (grammar === null) return []
  const found = await withSyntaxTree(grammar, text, TIMEOUT_MS, (root) => ({ tokens: tokensOf(root, text) }))
  return "reason" in found ? [] : found.tokens
}

function tokensOf(root: TreeSitter.Node, text: string): number[] {
  const tokens: number[] = []
  const cursor = root.walk()
  /**
   * The nodes that enclose the current one: the type of each, and the kind that it gives to the leaves in it. If the
   * kind is null, each leaf determines its own.
   */
  const open: { readonly type: string; readonly kind: TokenKind | null }[] = [{ type: "", kind: null }]
  try {
    do {
      const parent = open.at(-1)!
      const type = cursor.nodeType
      const kind = kindOfNode(type, parent.kind)
      if (kind !== "comment" && cursor.gotoFirstChild()) {
        open.push({ type, kind })
        continue
      }
      const leaf = kind ?? kindOfLeaf(cursor, parent.type, text)
      const { startIndex, endIndex } = cursor
      if (leaf !== null && endIndex > startIndex)
        tokens.push(startIndex, endIndex - startIndex, TOKEN_KINDS.indexOf(leaf))
      while (open.length > 0 && !cursor.gotoNextSibling()) {
        cursor.gotoParent()
        open.pop()
      }
    } while (open.length > 0 && tokens.length < 3 * MAX_TOKENS)
    return tokens
  } finally {
    cursor.delete()
  }
}

/**
 * Kind of a node together with all leaves in it; null if the leaves determine their own. Code inside a string
 * determines its own kinds again.
 */
function kindOfNode(type: string, outer: TokenKind | null): TokenKind | null {
  if (/comment/.test(type)) return "comment"
  if (/interpolation|substitution|embedded|expansion/.test(type)) return null
  if (/string|char_literal|character|heredoc|^regex|^rune_literal/.test(type)) return "string"
  return outer
}

const CONSTANTS = /^(?:true|false|null|nil|none|undefined|self|this|super)$/i

function kindOfLeaf(cursor: TreeSitter.TreeCursor, parent: string, text: string): TokenKind | null {
  const type = cursor.nodeType
  if (!cursor.nodeIsNamed) return /^[a-z]/i.test(type) ? "keyword" : null
  if (/number|integer|float|decimal|int_literal/.test(type)) return "number"
  if (CONSTANTS.test(type) || CONSTANTS.test(text.slice(cursor.startIndex, cursor.endIndex))) return "keyword"
  if (/type_identifier|primitive_type|predefined_type|builtin_type|simple_type/.test(type)) return "type"
  const field = cursor.currentFieldName
  const isCalled = /call|invocation/.test(parent) && (field === "function" || field === "name")
  if (isCalled || (field === "name" && /function|method/.test(parent))) return "function"
  return /property_identifier|field_identifier|^property/.test(type) ? "property" : null
}
