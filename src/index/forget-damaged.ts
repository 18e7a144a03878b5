import { StoredUses } from "../code/references/stored-uses.ts"
import type { DerivedRow } from "../store/derived/derived.ts"
import { verifyDerived } from "../store/derived/derived-files.ts"
import type { Store } from "../store/index/store.ts"
import { isDamage } from "../store/sqlite-error.ts"
import { writeState } from "./index-state.ts"

/**
 * Forgets derived files that are missing or damaged, and returns their names. The next run rebuilds them;
 * until then queries are answered from the remaining data. Only the leader may call this.
 */
export function forgetDamaged(store: Store, folder: string): string[] {
  const damaged = store.derived.all().filter((row) => !isSound(store, folder, row))
  if (damaged.length === 0) return []
  store.transaction(() => {
    for (const { kind, spaceId } of damaged) {
      store.derived.replace(kind, spaceId, [])
      if (kind === "vectors") store.embedded.keepPending(spaceId)
    }
    // Keyword segments are rebuilt by chunking all files again, as after a change of the shape; vectors are
    // rebuilt from the existing chunks.
    const isWordless = damaged.some(({ kind }) => kind === "keyword")
    writeState(store, { state: "indexing", ...(isWordless ? { shape: "" } : {}) })
  })
  return damaged.map(({ name }) => name)
}

/**
 * If the stored uses of one of these files cannot be read, clears the hashes of all files whose uses cannot
 * be read, so that the next scan indexes them again. Returns their paths. Only the leader may call this.
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
 * True when the file's content is intact. If only its inode or times differ from the row, the row is updated.
 */
function isSound(store: Store, folder: string, row: DerivedRow): boolean {
  const stamp = verifyDerived(folder, row)
  if (stamp === null) return false
  if (stamp.inode !== row.inode || stamp.times !== row.times) {
    store.transaction(() => store.derived.stamp(row, stamp.inode, stamp.times))
  }
  return true
}
