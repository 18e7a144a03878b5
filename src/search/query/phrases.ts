import type { Store } from "../../store/index/store.ts"
import type { Operators } from "./operators.ts"

/** The text a file holds now, or null where it cannot be read. */
export type ReadText = (path: string) => string | null

/** Ordinals of the chunks that hold a phrase, none in particular where none is wanted; null: not this file. */
export type PhraseCheck = (fileId: number, path: string) => ReadonlySet<number> | null

// Of so many files, best first, the text is looked at; words alone have ruled most others out.
export const MAX_READ = 2_000

/** Looks into the text of files for what an index of words cannot know; null where a query has no phrases. */
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

/** Case does not count, nor whether an accent is a character of its own. */
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
  // A phrase over a chunk's end stands in the file all the same: any place will do.
  return held.size > 0 ? held : new Set(chunks.map(({ ordinal }) => ordinal))
}
