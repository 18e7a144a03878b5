import type { EntrySource } from "../entry.ts"
import type { SymbolPlace } from "./place.ts"

/** Whether what an entry speaks of still reads as it did. */
export const FRESHNESS = ["fresh", "moved", "changed", "gone", "unknown", "none"] as const
export type Freshness = (typeof FRESHNESS)[number]

export type SourceState = {
  readonly freshness: Freshness
  /** Where it is now, or was last. */
  readonly path: string
  /** 1-based and inclusive; null: the whole file, or nothing was captured. */
  readonly startLine: number | null
  readonly endLine: number | null
  /** The lines as they are, cut as those that were kept; null where there are none. */
  readonly now: string | null
  /** All of those lines, as they are compared, where they changed; else none. */
  readonly texts: readonly string[]
  /** In words, where the freshness alone does not say it. */
  readonly reason: string | null
  /** The source with the lines as they are now: what is recorded once somebody confirmed the entry. */
  readonly anchored: EntrySource | null
  /** What is recorded without a word: lines that moved, and of edited ones the new name of their file. */
  readonly followed: EntrySource | null
  /** Where the symbol of what is gone is defined now. */
  readonly elsewhere: readonly SymbolPlace[]
}

/** What is not there or cannot be looked at. */
export function lacking(
  source: EntrySource,
  freshness: "gone" | "unknown" | "none",
  reason: string | null,
  elsewhere: readonly SymbolPlace[] = [],
): SourceState {
  const { path, startLine, endLine } = source
  return {
    freshness,
    path,
    startLine,
    endLine,
    now: null,
    texts: [],
    reason,
    anchored: null,
    followed: null,
    elsewhere,
  }
}

/** What stands in a file: the same as before, there or elsewhere, or something else, which is then in `changed`. */
export function present(
  source: EntrySource,
  anchored: EntrySource,
  changed: readonly string[] | null,
): SourceState {
  const isSame = changed === null
  const { path, startLine, endLine } = anchored
  const isSameFile = path === source.path
  const isThere = isSameFile && startLine === source.startLine
  const renamed = isSameFile ? null : { ...source, path }
  return {
    freshness: isSame ? (isThere ? "fresh" : "moved") : "changed",
    path,
    startLine,
    endLine,
    now: anchored.text,
    texts: changed ?? [],
    reason: isSameFile ? null : `the file was ${source.path}`,
    anchored: isSame && isThere ? null : anchored,
    followed: isSame && !isThere ? anchored : renamed,
    elsewhere: [],
  }
}
