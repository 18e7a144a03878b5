import type { Store } from "../../store/index/store.ts"
import type { Operators } from "./operators.ts"

/** Reads the current text of a file; null if it cannot be read. */
export type ReadText = (path: string) => string | null

/**
 * Tests a file. Returns the ordinals of the chunks that contain a phrase (an empty set if no phrase is required), or
 * null if the file does not match.
 */
export type PhraseCheck = (fileId: number, path: string) => ReadonlySet<number> | null

// Maximum number of files whose text is read for a query; the best-ranked ones are read first. Files that lack a word of
// the phrase are not read, because the index excludes them.
export const MAX_READ = 2_000

/**
 * Creates a test that reads the text of files, because the index contains no phrases. Null if the query has no phrase.
 */
export function phraseCheck(
  store: Store,
  { wanted, unwanted }: Operators,
  readText: ReadText,
): PhraseCheck | null {
  if (wanted.phrases.length + unwanted.phrases.length === 0) return null
  const present = wanted.phrases.map(comparable)
  const absent = unwanted.phrases.map(comparable)
  let read = 0
  return (fileId, path) => {
    if (++read > MAX_READ) return null
    const text = readText(path)
    if (text === null) return null
    const compared = comparable(text)
    const contains = (phrase: string) => compared.includes(phrase)
    if (!present.every(contains) || absent.some(contains)) return null
    return chunksHolding(store, fileId, compared, present)
  }
}

/** The form in which texts are compared: lower case, and accents composed (NFC). */
export function comparable(text: string): string {
  return text.normalize("NFC").toLowerCase()
}

function chunksHolding(
  store: Store,
  fileId: number,
  text: string,
  phrases: readonly string[],
): ReadonlySet<number> {
  const ordinals = new Set<number>()
  if (phrases.length === 0) return ordinals
  const chunks = store.chunks.ofFile(fileId)
  const lines = text.split("\n")
  for (const { ordinal, startLine, endLine } of chunks) {
    const chunk = lines.slice(startLine - 1, endLine).join("\n")
    if (phrases.some((phrase) => chunk.includes(phrase))) ordinals.add(ordinal)
  }
  // If a phrase begins in one chunk and ends in the next, no chunk contains it: every chunk is accepted.
  return ordinals.size > 0 ? ordinals : new Set(chunks.map(({ ordinal }) => ordinal))
}
