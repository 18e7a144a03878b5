import { StoredUses } from "../code/references/use-code.ts"
import type { DerivedRow } from "../store/derived/derived.ts"
import { verifyDerived } from "../store/derived/derived-files.ts"
import type { Store } from "../store/index/store.ts"
import { isDamage } from "../store/sqlite-error.ts"
import { writeState } from "./index-state.ts"

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
