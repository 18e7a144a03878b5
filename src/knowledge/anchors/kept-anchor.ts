import type { EntrySource } from "../entry.ts"
import { keptLines } from "./lines.ts"

// A long function is known by its beginning and the hash of all.
export const MAX_LINES = 80
/** On either side; as a patch has. */
export const CONTEXT_LINES = 3

export type LineRange = { readonly startLine: number; readonly endLine: number }

/** What is looked for in a file as it is now. */
export type Anchor = {
  readonly startLine: number
  /** Raw lines from the first to the last. */
  readonly span: number
  readonly lines: readonly string[]
  /** `lines` are the first of more. */
  readonly isCut: boolean
  readonly hash: string
  readonly before: readonly string[]
  readonly after: readonly string[]
}

/** Null for a whole file, and for lines of which only the hash was kept. */
export function anchorOf({ startLine, endLine, hash, text, context }: EntrySource): Anchor | null {
  if (hash === null || text === null || startLine === null || endLine === null) return null
  const kept = keptLines(text)
  if (kept.length === 0) return null
  // What another store wrote may be longer than what this one keeps.
  const lines = kept.slice(0, MAX_LINES)
  return {
    startLine,
    span: endLine - startLine + 1,
    lines,
    isCut: lines.length < kept.length || text.split("\n").length < endLine - startLine + 1,
    hash,
    before: context?.before.slice(-CONTEXT_LINES) ?? [],
    after: context?.after.slice(0, CONTEXT_LINES) ?? [],
  }
}
