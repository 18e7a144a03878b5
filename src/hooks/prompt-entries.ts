import type { Entry } from "../knowledge/entry.ts"
import { codeNames } from "../knowledge/graph/code-names.ts"
import { matchByWords } from "../knowledge/recall/word-match.ts"
import { entriesWithNames } from "./entries-with-names.ts"
import { LEAST_NAME } from "./pattern-names.ts"

const MOST_ENTRIES = 4
const MOST_NAMES = 6

/** What a prompt names as code does: `retry`, retry(), MAX_RETRIES, Shop.login. Its first names; a paste has many. */
export function promptNames(prompt: string): string[] {
  return codeNames(prompt)
    .filter((name) => name.length >= LEAST_NAME)
    .slice(0, MOST_NAMES)
}

type Asked = Pick<Entry, "id" | "text" | "topic" | "tags" | "source">

/**
 * Entries that share so much with a prompt that they are likely to be about it, then those that speak of a thing of the
 * code which it names. A name that many of them bear tells too little.
 */
export function entriesForPrompt<E extends Asked>(
  prompt: string,
  entries: readonly E[],
  threshold: number,
): E[] {
  const matches = matchByWords(prompt, entries)
  const least = Math.max(threshold, (matches[0]?.strength ?? 0) / 2)
  const alike = matches.filter(({ strength }) => strength >= least).map(({ entry }) => entry)
  const naming = promptNames(prompt).flatMap((name) => {
    const found = entriesWithNames(entries, [name])
    return found.length > MOST_ENTRIES ? [] : found
  })
  return [...new Set([...alike, ...naming])].slice(0, MOST_ENTRIES)
}
