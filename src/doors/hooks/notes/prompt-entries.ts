import { type Entry, matchByWords } from "../../../memory/index.ts"
import { lastPart, nameParts, namesWritten } from "./prompt-names.ts"

const MAX_ENTRIES = 4
/** The deadline is checked once per this many entries. */
const AT_ONCE = 256

type PromptEntry = Pick<Entry, "id" | "text" | "topic" | "tags" | "source">

export type PromptOptions = {
  readonly threshold: number
  /** Code names, as written in the prompt. */
  readonly names: readonly string[]
  readonly isLate?: () => boolean
}

/**
 * Entries that contain many words of the prompt, then entries that mention one of the prompt's code names. A name that
 * occurs in many entries is ignored.
 */
export function entriesForPrompt<E extends PromptEntry>(
  prompt: string,
  entries: readonly E[],
  { threshold, names, isLate = () => false }: PromptOptions,
): E[] {
  const matches = matchByWords(prompt, entries)
  const min = Math.max(threshold, (matches[0]?.strength ?? 0) / 2)
  const alike = matches.filter(({ strength }) => strength >= min).map(({ entry }) => entry)
  return [...new Set([...alike, ...entriesNaming(names, entries, isLate)])].slice(0, MAX_ENTRIES)
}

/**
 * Entries that mention one of the names, in the order of the names; empty if the deadline came before all
 * entries were checked.
 */
function entriesNaming<E extends PromptEntry>(
  names: readonly string[],
  entries: readonly E[],
  isLate: () => boolean,
): E[] {
  const wanted = names.map((name) => ({ last: lastPart(name), parts: nameParts(name), found: [] as E[] }))
  for (const [at, entry] of entries.entries()) {
    if (at % AT_ONCE === 0 && isLate()) return []
    const remaining = wanted.filter(
      ({ found, last }) => found.length <= MAX_ENTRIES && mayMention(entry, last),
    )
    if (remaining.length === 0) continue
    const named = namesInEntry(entry).map(nameParts)
    for (const { parts, found } of remaining)
      if (named.some((other) => endsWith(other, parts))) found.push(entry)
  }
  return wanted.flatMap(({ found }) => (found.length > MAX_ENTRIES ? [] : found))
}

/** Quick check before parsing: true if the text or the symbol of the entry contains `last`, the last part of a name. */
function mayMention({ text, source }: PromptEntry, last: string): boolean {
  return text.includes(last) || (source?.symbol?.includes(last) ?? false)
}

function namesInEntry({ text, source }: PromptEntry): string[] {
  const symbol = source?.symbol ?? null
  const written = namesWritten(text, () => true)
  return symbol === null ? written : [symbol, ...written]
}

/** True if the name ends with the wanted parts: Shop.login matches `login`, but not Web.login. */
function endsWith(name: readonly string[], wanted: readonly string[]): boolean {
  const from = name.length - wanted.length
  return from >= 0 && wanted.every((part, at) => part === name[from + at])
}
