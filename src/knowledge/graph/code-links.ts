import { foldName, lastName } from "../../store/fold-name.ts"
import type { Entry } from "../entry.ts"
import { codeNames } from "./code-names.ts"

export type CodeLink<T> = {
  /** As the entry writes it. */
  readonly name: string
  /** What the index knows under that name. */
  readonly symbols: readonly T[]
}

type NamingEntry = Pick<Entry, "id" | "text" | "source">

/** Which symbols of the code an entry mentions: `lookup` knows those of the project's index by their name. */
export function codeLinks<T>(entry: NamingEntry, lookup: (name: string) => readonly T[]): CodeLink<T>[] {
  return namesIn(entry)
    .map((name) => ({ name, symbols: lookup(name) }))
    .filter(({ symbols }) => symbols.length > 0)
}

/** The other way round: which entries mention one of these symbols, and by which of the names; by entry. */
export function entriesNaming(
  entries: Iterable<NamingEntry>,
  symbols: Iterable<string>,
): Map<string, readonly string[]> {
  const wanted = new Set([...symbols].map(keyOf))
  const found = new Map<string, readonly string[]>()
  if (wanted.size === 0) return found
  for (const entry of entries) {
    const names = namesIn(entry).filter((name) => wanted.has(keyOf(name)))
    if (names.length > 0) found.set(entry.id, names)
  }
  return found
}

function namesIn({ text, source }: NamingEntry): string[] {
  const own = source?.symbol ?? null
  return own === null ? codeNames(text) : [...new Set([own, ...codeNames(text)])]
}

/** As the index finds names: without qualifier, case and underscores. */
function keyOf(name: string): string {
  return foldName(lastName(name))
}
