import { termOf } from "./abbreviations.ts"
import { words } from "./identifiers.ts"

export type PathWords = {
  /** Terms of the file's name without its last extension, each once. */
  readonly stem: readonly string[]
  /** Terms of the last folder, each once. */
  readonly folder: readonly string[]
  /** Terms of all folders and the stem, each once. */
  readonly all: readonly string[]
}

/** The words of a relative path, as terms. */
export function pathWords(path: string): PathWords {
  const parts = path.split("/")
  const stem = termsOf(stemName(parts.pop() ?? ""))
  const folder = termsOf(parts.at(-1) ?? "")
  return { stem, folder, all: [...new Set([...parts.flatMap(termsOf), ...stem])] }
}

/** A file's name without its last extension: "chunk.test" of "chunk.test.ts", ".env" of ".env". */
export function stemName(name: string): string {
  const dot = name.lastIndexOf(".")
  return dot > 0 ? name.slice(0, dot) : name
}

function termsOf(text: string): string[] {
  return [...new Set(words(text).map(termOf))]
}
