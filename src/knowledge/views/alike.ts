import { unicodeWords } from "../../text/unicode.ts"

/** Words that tell of what an entry is about: four letters or more, or of a script without blanks. */
export function tellingWords(text: string): Set<string> {
  return new Set(unicodeWords(text).filter((word) => word.length >= 4 || /[^\p{ASCII}]/u.test(word)))
}

/** Shared words of the smaller set; 0 where one has too few to say. */
export function overlapOfSmaller(a: ReadonlySet<string>, b: ReadonlySet<string>): number {
  const smaller = Math.min(a.size, b.size)
  if (smaller < FEWEST) return 0
  let shared = 0
  for (const word of a.size < b.size ? a : b) if (a.has(word) && b.has(word)) shared++
  return shared / smaller
}

const FEWEST = 3
