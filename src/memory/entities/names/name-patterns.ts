import { splitIdentifier } from "../../../text/terms/identifiers.ts"
import { STOP_WORDS } from "../../../text/terms/stop-words.ts"
import { tidyLabel } from "../../entries/labels.ts"
import { type NameToken, tokenAt, tokenText } from "./name-tokens.ts"

/** One way in which a text can contain a name. */
type NamePattern = {
  readonly tokens: readonly string[]
  /**
   * For a name too short or too common to match in any form: the only spelling that matches. Null for other
   * names.
   */
  readonly exact: string | null
}

/**
 * The patterns of a name: as written; its words joined (UserService, user_service for "User Service"); and
 * for an identifier that is a noun of several words, those words (user service for UserService).
 */
export function namePatterns(name: string): NamePattern[] {
  const text = tidyLabel(name.normalize("NFKC"))
  const found = allTokens(text)
  if (found.length === 0) return []
  const tokens = found.map((token, i) => tokenText(text, token, i === 0))
  if (isCommon(found, tokens)) return [{ tokens, exact: text }]
  const patterns: NamePattern[] = [{ tokens, exact: null }]
  if (found.every((token) => token.kind === "word")) {
    const other = tokens.length > 1 ? [tokens.join("")] : identifierWords(text)
    if (other !== null) patterns.push({ tokens: other, exact: null })
  }
  return patterns
}

function allTokens(text: string): NameToken[] {
  const tokens: NameToken[] = []
  for (let token = tokenAt(text, 0); token !== null; token = tokenAt(text, token.end)) tokens.push(token)
  return tokens
}

/**
 * True for a name of at most two letters, of a single character of a script without spaces, or of stop words
 * only.
 */
function isCommon(found: readonly NameToken[], tokens: readonly string[]): boolean {
  const characters = found.filter((token) => token.kind === "character").length
  if (characters > 0) return characters === 1 && found.length === 1
  const letters = tokens.join("").replace(/[^\p{L}\p{N}]/gu, "").length
  return letters <= 2 || tokens.every((token) => STOP_WORDS.has(token))
}

/** The words of UserService or user_service; null for names of other forms, as those of methods (getUser). */
function identifierWords(identifier: string): string[] | null {
  if (!(NOUN.test(identifier) || identifier.includes("_"))) return null
  const words = splitIdentifier(identifier)
  const isTelling = words.length > 1 && words.every((word) => word.length > 2 && !STOP_WORDS.has(word))
  return isTelling ? words : null
}

const NOUN = /^\p{Lu}/u
