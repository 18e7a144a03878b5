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

// Matches the pieces of a pattern in which classes are replaced or kept: quoted text, an escape, brackets with their
// content.
const PIECES = /\\Q.*?(?:\\E|$)|\\.|\[\^?\]?(?:\[:\^?\w+:\]|\\.|[^\]\\])*\]?/gsu
const ESCAPES = /\\./gsu

/**
 * Replaces the ASCII classes of RE2's syntax (`\w`, `\d`, `\s`) by Unicode classes, as in ripgrep. Complements inside
 * brackets, as in `[\W_]`, keep their ASCII meaning, because RE2 cannot express them.
 */
export function withUnicodeClasses(pattern: string): string {
  return pattern.replace(PIECES, (piece) => {
    if (piece.startsWith("[")) return piece.replace(ESCAPES, (inner) => CLASSES[inner] ?? inner)
    const members = CLASSES[piece.toLowerCase()]
    if (members === undefined) return piece
    return piece === piece.toLowerCase() ? `[${members}]` : `[^${members}]`
  })
}

/** Rewrites `\u00e9` and `\u{e9}`, JavaScript's escapes, into RE2's spelling. */
export function withCodePoints(pattern: string): string {
  return pattern.replace(
    /\\(?:u([0-9a-fA-F]{4})|u\{([0-9a-fA-F]{1,6})\}|.)/gsu,
    (piece, four?: string, braced?: string) => (four || braced ? `\\x{${four ?? braced}}` : piece),
  )
}

/** True if the pattern contains a line break outside brackets. It can then match no line. */
export function asksForLineBreak(pattern: string): boolean {
  return pattern.match(PIECES)?.includes("\\n") ?? false
}

/**
 * Replaces the groups in a template by their text. $1, ${1}, $name and ${name} are groups; `textOf` returns null for an
 * unknown group, which is replaced by "". $$ is a dollar sign. As in ripgrep, a name without braces is as long as
 * possible: $1a is the group "1a".
 */
export function filledIn(template: string, textOf: (group: string) => string | null): string {
  return template.replace(/\$(?:\$|(\w+)|\{(\w+)\})/g, (_, bare?: string, braced?: string) => {
    const group = bare ?? braced
    return group === undefined ? "$" : (textOf(group) ?? "")
  })
}
