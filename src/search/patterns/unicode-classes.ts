// `\w`, `\d` and `\s` in Unicode (UTS 18, annex C), for use inside brackets.
const WORD = "\\p{L}\\p{M}\\p{Nd}\\p{Nl}\\p{Pc}"
const CLASSES: Readonly<Record<string, string>> = {
  "\\w": WORD,
  "\\d": "\\p{Nd}",
  "\\s": "\\t\\n\\v\\f\\r\\x{85}\\p{Z}",
}

/** Pattern of one word character, for use outside brackets. */
export const WORD_CHARACTER = `[${WORD}]`
/** Pattern of one character that is no word character, for use outside brackets. */
export const NO_WORD_CHARACTER = `[^${WORD}]`

// Units of a pattern: quoted text, an escape, brackets with their content.
const PIECES = /\\Q.*?(?:\\E|$)|\\.|\[\^?\]?(?:\[:\^?\w+:\]|\\.|[^\]\\])*\]?/gsu
const ESCAPES = /\\./gsu

/**
 * Replaces the ASCII classes of RE2's syntax with the Unicode classes of ripgrep. A complement cannot be used inside
 * brackets, so `[\W_]` keeps its ASCII meaning.
 */
export function withUnicodeClasses(pattern: string): string {
  return pattern.replace(PIECES, (piece) => {
    if (piece.startsWith("[")) return piece.replace(ESCAPES, (inner) => CLASSES[inner] ?? inner)
    const members = CLASSES[piece.toLowerCase()]
    if (members === undefined) return piece
    return piece === piece.toLowerCase() ? `[${members}]` : `[^${members}]`
  })
}

/** `\u00e9` and `\u{e9}`, as in JavaScript, in RE2's spelling. */
export function withCodePoints(pattern: string): string {
  return pattern.replace(
    /\\(?:u([0-9a-fA-F]{4})|u\{([0-9a-fA-F]{1,6})\}|.)/gsu,
    (piece, four?: string, braced?: string) => (four || braced ? `\\x{${four ?? braced}}` : piece),
  )
}

/** True if the pattern has a line break outside brackets, which no line contains. */
export function asksForLineBreak(pattern: string): boolean {
  return pattern.match(PIECES)?.includes("\\n") ?? false
}
