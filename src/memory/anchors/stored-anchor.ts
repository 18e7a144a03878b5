import type { EntrySource } from "../entries/entry.ts"
import { keptLines } from "./normalized-lines.ts"

// Max lines stored of a source. A longer source is identified by these lines and the hash of all its lines.
export const MAX_LINES = 80
/** Number of lines stored before and after the source's lines, as in a patch. */
export const CONTEXT_LINES = 3

export type LineRange = { readonly startLine: number; readonly endLine: number }

/** The stored lines of a source, in the form in which they are searched in the current file. */
export type Anchor = {
  readonly startLine: number
  /** Number of lines from the first to the last, including blank ones. */
  readonly span: number
  readonly lines: readonly string[]
  /** True when `lines` is only the beginning of the source's lines. */
  readonly isCut: boolean
  readonly hash: string
  readonly before: readonly string[]
  readonly after: readonly string[]
}

/** The anchor of a source; null for a whole file and for lines of which only the hash was kept. */
export function anchorOf({ startLine, endLine, hash, text, context }: EntrySource): Anchor | null {
  if (hash === null || text === null || startLine === null || endLine === null) return null
  const kept = keptLines(text)
  if (kept.length === 0) return null
  // A source written by another store may contain more lines than this one keeps.
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
