import type { EntrySource } from "../entries/entry.ts"
import type { SymbolPlace } from "./place.ts"

/**
 * The state of an entry's source. fresh: its lines are unchanged, in the same place; moved: unchanged, in another
 * place; changed: edited; gone: no longer found; unknown: they could not be checked; none: the source has no lines in a
 * file.
 */
export const FRESHNESS = ["fresh", "moved", "changed", "gone", "unknown", "none"] as const
type Freshness = (typeof FRESHNESS)[number]

export type SourceState = {
  readonly freshness: Freshness
  /** The present path of the file, or the last known one. */
  readonly path: string
  /** 1-based and inclusive; null for a whole file, or when nothing was captured. */
  readonly startLine: number | null
  readonly endLine: number | null
  /** The current lines, shortened like those stored; null when there are none. */
  readonly now: string | null
  /** All current lines, normalised, when they changed; otherwise empty. */
  readonly texts: readonly string[]
  /** The lines around the changed lines, normalised. A word that is gone from the lines may have been moved there. */
  readonly around: readonly string[]
  /** An explanation when the freshness alone is not clear; otherwise null. */
  readonly reason: string | null
  /**
   * The source with the current lines, to record once a person has confirmed the entry. Null when nothing changed, when
   * the lines are gone, and when they cannot be checked.
   */
  readonly anchored: EntrySource | null
  /**
   * The source to record without a person's confirmation, because only the place has changed: the place of moved
   * lines, or the new path of edited ones. Null when the place is the same.
   */
  readonly followed: EntrySource | null
  /** Places where the symbol of deleted lines is defined now. */
  readonly elsewhere: readonly SymbolPlace[]
}

/** The state of lines that are deleted or cannot be checked. */
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
    around: [],
    reason,
    anchored: null,
    followed: null,
    elsewhere,
  }
}

/**
 * The state of lines found in a file. `changed`: the current lines if they differ; null if they are the same,
 * in the old place or another.
 */
export function presentState(
  source: EntrySource,
  anchored: EntrySource,
  changed: { readonly texts: readonly string[]; readonly around?: readonly string[] } | null,
): SourceState {
  const isSame = changed === null
  const { path, startLine, endLine } = anchored
  const isSameFile = path === source.path
  const isThere = isSameFile && startLine === source.startLine
  const isUnmoved = isThere && endLine === source.endLine
  const renamed = isSameFile ? null : { ...source, path }
  return {
    freshness: isSame ? (isThere ? "fresh" : "moved") : "changed",
    path,
    startLine,
    endLine,
    now: anchored.text,
    texts: changed?.texts ?? [],
    around: changed?.around ?? [],
    reason: isSameFile ? null : `the file was ${source.path}`,
    anchored: isSame && isUnmoved ? null : anchored,
    followed: isSame && !isUnmoved ? anchored : renamed,
    elsewhere: [],
  }
}
