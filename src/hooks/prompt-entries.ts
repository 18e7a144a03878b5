import type { Entry } from "../knowledge/entry.ts"
import { matchByWords } from "../knowledge/recall/word-match.ts"
import { lastPart, namesWritten, partsOf } from "./prompt-names.ts"

const MOST_ENTRIES = 4
/** The clock is asked once for so many entries. */
const AT_ONCE = 256

type Asked = Pick<Entry, "id" | "text" | "topic" | "tags" | "source">

export type Asking = {
  readonly threshold: number
  /** Of the code, as the prompt writes them. */
  readonly names: readonly string[]
  readonly isLate?: () => boolean
}

/**
 * Entries that share so much with a prompt that they are likely to be about it, then those that speak of a thing of the
 * code which it names. A name that many of them bear tells too little.
 */
export function entriesForPrompt<E extends Asked>(
  prompt: string,
  entries: readonly E[],
  { threshold, names, isLate = () => false }: Asking,
): E[] {
  const matches = matchByWords(prompt, entries)
  const least = Math.max(threshold, (matches[0]?.strength ?? 0) / 2)
  const alike = matches.filter(({ strength }) => strength >= least).map(({ entry }) => entry)
  return [...new Set([...alike, ...entriesNaming(names, entries, isLate)])].slice(0, MOST_ENTRIES)
}

/** In the order of the names; none where there was no time to look at all. */
function entriesNaming<E extends Asked>(
  names: readonly string[],
  entries: readonly E[],
  isLate: () => boolean,
): E[] {
  const wanted = names.map((name) => ({ last: lastPart(name), parts: partsOf(name), found: [] as E[] }))
  for (const [at, entry] of entries.entries()) {
    if (at % AT_ONCE === 0 && isLate()) return []
    const open = wanted.filter(({ found, last }) => found.length <= MOST_ENTRIES && holds(entry, last))
    if (open.length === 0) continue
    const said = namesOf(entry).map(partsOf)
    for (const { parts, found } of open) if (said.some((other) => endsWith(other, parts))) found.push(entry)
  }
  return wanted.flatMap(({ found }) => (found.length > MOST_ENTRIES ? [] : found))
}

/** Reading every note for names takes a while: only those are read that have the letters of one. */
function holds({ text, source }: Asked, last: string): boolean {
  return text.includes(last) || (source?.symbol?.includes(last) ?? false)
}

function namesOf({ text, source }: Asked): string[] {
  const own = source?.symbol ?? null
  const written = namesWritten(text, () => true)
  return own === null ? written : [own, ...written]
}

/** Shop.login is `login`, and not Web.login. */
function endsWith(name: readonly string[], wanted: readonly string[]): boolean {
  const from = name.length - wanted.length
  return from >= 0 && wanted.every((part, at) => part === name[from + at])
}
