import type { Store } from "../store/index/store.ts"

/**
 * Raise it when chunks, terms, vectors or kinds of older indexes no longer mean the same: all files are then
 * indexed again. Append a migration with it (an empty one will do), so that an older aman refuses the index.
 * Otherwise the older and the newer version would rebuild it in turn without end.
 */
export const INDEX_VERSION = 26

export type IndexState = {
  readonly state: "missing" | "indexing" | "ready"
  /** Number of files that the current or last run set out to index. */
  readonly total: number
  /** Number of files that the scan left out, by reason. */
  readonly skipped: Readonly<Record<string, number>>
  readonly indexedAt: string | null
  /** Why the leader polls for changes instead of receiving file events; null when it receives them. */
  readonly watchFailure: string | null
  /**
   * Paths that were indexed or forgotten since the snapshot was stored; the snapshot may be wrong about them.
   */
  readonly ahead: readonly string[]
  /**
   * Version and options that shaped the chunks of files whose id is at least `shapedFrom`; older ones must be
   * chunked again.
   */
  readonly shape: string
  readonly shapedFrom: number
  /** Number of files that changed since file ranks were computed. */
  readonly unranked: number
  /**
   * Memory limit in bytes for which files were skipped or split without their syntax; 0 if there are none.
   * They are read again under a higher limit.
   */
  readonly shortOfMemoryAt: number
  /** Grammars that the user had added when the files were read (`grammarPackVersions`). */
  readonly grammars: readonly string[]
}

const KEY = "state"

const EMPTY: IndexState = {
  state: "missing",
  total: 0,
  skipped: {},
  indexedAt: null,
  watchFailure: null,
  ahead: [],
  shape: "",
  shapedFrom: 0,
  unranked: 0,
  shortOfMemoryAt: 0,
  grammars: [],
}

export function readState(store: Store): IndexState {
  const json = store.meta.get(KEY)
  return json === null ? EMPTY : { ...EMPTY, ...(JSON.parse(json) as Partial<IndexState>) }
}

export function writeState(store: Store, change: Partial<IndexState>): void {
  store.meta.set(KEY, JSON.stringify({ ...readState(store), ...change }))
}

/**
 * True when another version built the index: the meaning of its rows and the format of its files are unknown.
 */
export function isOfAnotherVersion(store: Store): boolean {
  const { shape } = readState(store)
  return shape !== "" && !shape.startsWith(`${INDEX_VERSION}:`)
}
