import type { Store } from "../../store/index/store.ts"
import type { Operators } from "./operators.ts"

/** The current text of a file; null if it cannot be read. */
export type ReadText = (path: string) => string | null

/** Ordinals of the chunks that contain a phrase, empty if no phrase is required; null if the file does not match. */
export type PhraseCheck = (fileId: number, path: string) => ReadonlySet<number> | null

// Maximum number of files read, best first; the words of the phrases have excluded most others.
export const MAX_READ = 2_000

/** Returns a check of files by their text, because the index has no phrases; null if the query has none. */
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
    const holds = (phrase: string) => compared.includes(phrase)
    if (!present.every(holds) || absent.some(holds)) return null
    return chunksHolding(store, fileId, compared, present)
  }
}

/** The text in the form in which texts are compared: lower case with composed accents. */
function comparable(text: string): string {
  return text.normalize("NFC").toLowerCase()
}

function chunksHolding(
  store: Store,
  fileId: number,
  text: string,
  phrases: readonly string[],
): ReadonlySet<number> {
  const held = new Set<number>()
  if (phrases.length === 0) return held
  const chunks = store.chunks.ofFile(fileId)
  const lines = text.split("\n")
  for (const { ordinal, startLine, endLine } of chunks) {
    const chunk = lines.slice(startLine - 1, endLine).join("\n")
    if (phrases.some((phrase) => chunk.includes(phrase))) held.add(ordinal)
  }
  // A phrase that crosses the end of a chunk is in no single chunk: every place is accepted.
  return held.size > 0 ? held : new Set(chunks.map(({ ordinal }) => ordinal))
}
