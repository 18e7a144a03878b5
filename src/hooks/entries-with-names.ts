import type { Entry } from "../knowledge/entry.ts"
import { entriesNaming } from "../knowledge/graph/code-links.ts"

/** Reading every note for names takes a while: only those are read that have the letters of one. */
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
