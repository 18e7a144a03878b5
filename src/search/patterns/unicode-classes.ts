// What `\w`, `\d` and `\s` mean in Unicode (UTS 18, annex C), to stand inside brackets.
const WORD = "\\p{L}\\p{M}\\p{Nd}\\p{Nl}\\p{Pc}"
const CLASSES: Readonly<Record<string, string>> = {
  "\\w": WORD,
  "\\d": "\\p{Nd}",
  "\\s": "\\t\\n\\v\\f\\r\\x{85}\\p{Z}",
}

/** One character of a word, and one of none: to stand outside brackets. */
export const WORD_CHARACTER = `[${WORD}]`
export const NO_WORD_CHARACTER = `[^${WORD}]`

// What has to be read as one: quoted text, an escape, brackets with all that is in them.
const PIECES = /\\Q.*?(?:\\E|$)|\\.|\[\^?\]?(?:\[:\^?\w+:\]|\\.|[^\]\\])*\]?/gsu
const ESCAPES = /\\./gsu

/**
 * A pattern in RE2's syntax, where these classes are ASCII, with the classes that ripgrep means. A complement cannot
 * stand inside brackets with these members, so `[\W_]` keeps its ASCII sense.
 */
export function withUnicodeClasses(pattern: string): string {
  return pattern.replace(PIECES, (piece) => {
    if (piece.startsWith("[")) return piece.replace(ESCAPES, (inner) => CLASSES[inner] ?? inner)
    const members = CLASSES[piece.toLowerCase()]
    if (members === undefined) return piece
    return piece === piece.toLowerCase() ? `[${members}]` : `[^${members}]`
  })
}

/** `\u00e9` and `\u{e9}`, which everybody who writes JavaScript expects, as RE2 spells them. */
export function withCodePoints(pattern: string): string {
  return pattern.replace(
    /\\(?:u([0-9a-fA-F]{4})|u\{([0-9a-fA-F]{1,6})\}|.)/gsu,
    (piece, four?: string, braced?: string) => (four || braced ? `\\x{${four ?? braced}}` : piece),
  )
}

/** True where a line break is asked for outside brackets: no line has one. */
export function asksForLineBreak(pattern: string): boolean {
  return pattern.match(PIECES)?.includes("\\n") ?? false
}
