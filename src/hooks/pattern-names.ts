const MOST = 6
/** Shorter names are words of any text. */
export const LEAST_NAME = 4

/** The names in a regular expression, a glob or a question: what is left without its signs. */
export function namesIn(pattern: string): string[] {
  const plain = pattern.slice(0, 500).replace(/\\[bBdDsSwWAzZ]|\\[pP]\{[^}]*\}|\[[^\]]*\]|\{[\d,]+\}/g, " ")
  const names = plain.match(/[\p{L}_$][\p{L}\p{N}_$]*/gu) ?? []
  return [...new Set(names)].filter((name) => name.length >= LEAST_NAME).slice(0, MOST)
}

/** Written as no word is. */
export function isCodeName(name: string): boolean {
  return /\p{Ll}\p{Lu}|[\p{L}\p{N}]_|\d/u.test(name) || name.length >= 8
}
