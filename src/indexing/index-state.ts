import type { Store } from "../store/store.ts"

/** Raised when chunks, terms or vectors of older indexes no longer mean the same: everything is read again. */
export const INDEX_VERSION = 6

export type IndexState = {
  readonly state: "missing" | "indexing" | "ready"
  /** Files the current or last run set out to index. */
  readonly total: number
  readonly projectTypes: readonly string[]
  readonly sourceFolders: readonly string[]
  /** Files left out by the scan, by reason. */
  readonly skipped: Readonly<Record<string, number>>
  readonly indexedAt: string | null
  /** Version and options that shaped the chunks. */
  readonly shape: string
}

const KEY = "state"

const EMPTY: IndexState = {
  state: "missing",
  total: 0,
  projectTypes: [],
  sourceFolders: [],
  skipped: {},
  indexedAt: null,
  shape: "",
}

export function readState(store: Store): IndexState {
  const json = store.meta.get(KEY)
  return json === null ? EMPTY : { ...EMPTY, ...(JSON.parse(json) as Partial<IndexState>) }
}

export function writeState(store: Store, change: Partial<IndexState>): void {
  store.meta.set(KEY, JSON.stringify({ ...readState(store), ...change }))
}
