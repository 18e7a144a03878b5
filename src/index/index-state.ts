import { StoredUses } from "../parse/index.ts"
import { type DerivedRow, isDamage, type Store, verifyDerived } from "../store/index.ts"

/**
 * Version of the contents of an index. Raise it when chunks, terms, vectors or symbol kinds in older indexes have
 * another meaning: all files are then indexed again. Together with it, append a migration (it may be empty), so that an
 * older aman refuses the index. Otherwise an older and a newer aman on one machine would rebuild the index in turn,
 * without end.
 */
export const INDEX_VERSION = 43

export type IndexState = {
  readonly state: "missing" | "indexing" | "ready"
  /** Number of files that the current or last run had to index. */
  readonly total: number
  /** Number of files that the scan skipped, by reason. */
  readonly skipped: Readonly<Record<string, number>>
  readonly indexedAt: string | null
  /** Why the leader polls for changes; null when it receives file events. */
  readonly watchFailure: string | null
  /** Paths that were indexed or removed after the snapshot was stored, so that the snapshot may be wrong about them. */
  readonly ahead: readonly string[]
  /**
   * INDEX_VERSION and the options (`shapeOf` in run.ts) with which the files were chunked whose id is `shapedFrom` or
   * higher. Files with a lower id must be chunked again.
   */
  readonly shape: string
  readonly shapedFrom: number
  /** Number of files that have changed since the ranks of files (their importance for others) were computed. */
  readonly unranked: number
  /**
   * The memory limit, in bytes, under which files were skipped or read without their syntax; 0 if there are no such
   * files. With a higher limit, these files are read again.
   */
  readonly shortOfMemoryAt: number
  /** Versions of the grammars that the user had added when the files were read (`grammarPackVersions`). */
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
 * True when another version of aman built the index, so that the meaning of its rows and the format of its files are
 * unknown.
 */
export function isOfAnotherVersion(store: Store): boolean {
  const { shape } = readState(store)
  return shape !== "" && !shape.startsWith(`${INDEX_VERSION}:`)
}

/**
 * Finds derived files (keyword segments and tables of vectors, which are files beside index.db) that are missing or
 * damaged, removes their rows from the index, and returns their names. The next run makes the files again; until then,
 * queries are answered from the remaining data. Only the leader may call this.
 */
export function forgetDamaged(store: Store, folder: string): string[] {
  const damaged = store.derived.all().filter((row) => !isSound(store, folder, row))
  if (damaged.length === 0) return []
  store.transaction(() => {
    for (const { kind, spaceId } of damaged) {
      store.derived.replace(kind, spaceId, [])
      if (kind === "vectors") store.embedded.keepPending(spaceId)
    }
    // To make keyword segments again, all files must be chunked again, as after a change of the options that shape
    // chunks. Vectors are computed again from the existing chunks.
    const isWordless = damaged.some(({ kind }) => kind === "keyword")
    writeState(store, { state: "indexing", ...(isWordless ? { shape: "" } : {}) })
  })
  return damaged.map(({ name }) => name)
}

/**
 * Called when the stored uses of one of these files cannot be read. Clears the hashes of all files whose uses cannot be
 * read, so that the next scan indexes these files again. Returns their paths. Only the leader may call this.
 */
export function forgetDamagedUses(store: Store, paths: readonly string[]): string[] {
  const isDamaged = (path: string) => {
    const row = store.files.byPath(path)
    return row !== null && !areReadable(store, row.id)
  }
  if (!paths.some(isDamaged)) return []
  const damaged = store.files.known().filter(([, id]) => !areReadable(store, id))
  store.transaction(() => store.files.forgetHashes(damaged.map(([, id]) => id)))
  return damaged.map(([path]) => path)
}

function areReadable(store: Store, fileId: number): boolean {
  const places = store.uses.places(fileId)
  try {
    if (places !== null) new StoredUses(places).check()
    return true
  } catch (error) {
    if (!isDamage(error)) throw error
    return false
  }
}

/**
 * True when the content of a derived file is intact. If only its inode or times differ from the database row, the row
 * is updated.
 */
function isSound(store: Store, folder: string, row: DerivedRow): boolean {
  const stamp = verifyDerived(folder, row)
  if (stamp === null) return false
  if (stamp.inode !== row.inode || stamp.times !== row.times) {
    store.transaction(() => store.derived.stamp(row, stamp.inode, stamp.times))
  }
  return true
}
