import type { Store } from "../store/store.ts"

/** Raised when chunks, terms, vectors or kinds of older indexes no longer mean the same: everything is read again. */
export const INDEX_VERSION = 20

export type IndexState = {
  readonly state: "missing" | "indexing" | "ready"
  /** Files the current or last run set out to index. */
  readonly total: number
  /** Files left out by the scan, by reason. */
  readonly skipped: Readonly<Record<string, number>>
  readonly indexedAt: string | null
  /** Why whoever leads looks at the files again and again instead of being told of changes. */
  readonly blindness: string | null
  /** Paths that were indexed or forgotten since the snapshot was stored; it may be wrong about them. */
  readonly ahead: readonly string[]
  /** Version and options that shaped the chunks of files from this id on; older ones are to be cut again. */
  readonly shape: string
  readonly shapedFrom: number
  /** Files that changed since it was worked out how central each is. */
  readonly unranked: number
}

const KEY = "state"

const EMPTY: IndexState = {
  state: "missing",
  total: 0,
  skipped: {},
  indexedAt: null,
  blindness: null,
  ahead: [],
  shape: "",
  shapedFrom: 0,
  unranked: 0,
}

export function readState(store: Store): IndexState {
  const json = store.meta.get(KEY)
  return json === null ? EMPTY : { ...EMPTY, ...(JSON.parse(json) as Partial<IndexState>) }
}

export function writeState(store: Store, change: Partial<IndexState>): void {
  store.meta.set(KEY, JSON.stringify({ ...readState(store), ...change }))
}

/** Whether another version made it: neither what its rows mean nor how its files are written is known. */
export function isOfAnotherVersion(store: Store): boolean {
  const { shape } = readState(store)
  return shape !== "" && !shape.startsWith(`${INDEX_VERSION}:`)
}
