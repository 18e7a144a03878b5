import { type Entry, entriesNaming } from "../../../memory/index.ts"

/** Min length of a name; shorter ones occur in any text. */
export const MIN_NAME_CHARACTERS = 4

/** Names in a regular expression, a glob or a question, without its special characters. */
export function namesInPattern(pattern: string): string[] {
  const plain = pattern.slice(0, 500).replace(/\\[bBdDsSwWAzZ]|\\[pP]\{[^}]*\}|\[[^\]]*\]|\{[\d,]+\}/g, " ")
  const names = plain.match(/[\p{L}_$][\p{L}\p{N}_$]*/gu) ?? []
  return [...new Set(names)].filter((name) => name.length >= MIN_NAME_CHARACTERS).slice(0, 6)
}

/** True if the name is long or written unlike an ordinary word. */
export function isCodeName(name: string): boolean {
  return /\p{Ll}\p{Lu}|[\p{L}\p{N}]_|\d/u.test(name) || name.length >= 8
}

/**
 * Entries that mention one of the names. The names in an entry's text are extracted only if the text contains the last
 * part of a name, because extracting them from all entries takes too long.
 */
export function entriesWithNames<E extends Pick<Entry, "id" | "text" | "source">>(
  entries: readonly E[],
  names: readonly string[],
): E[] {
  if (names.length === 0) return []
  const last = names.map((name) => /[\p{L}\p{N}_$]+$/u.exec(name)?.[0] ?? name)
  const holding = entries.filter(({ text, source }) =>
    last.some((name) => text.includes(name) || source?.symbol === name),
  )
  const naming = entriesNaming(holding, names)
  return holding.filter(({ id }) => naming.has(id))
}
