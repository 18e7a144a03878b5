import { StoredUses } from "../code/stored-uses.ts"
import type { DerivedRow } from "../store/derived.ts"
import { verifyDerived } from "../store/derived-files.ts"
import { isDamage } from "../store/sqlite-error.ts"
import type { Store } from "../store/store.ts"
import { writeState } from "./index-state.ts"

/**
 * Forgets derived files that are missing or not what they should be, and answers their names. The run that follows
 * makes them again, and queries are answered meanwhile by what is left. Only the leader may.
 */
export function forgetDamaged(store: Store, folder: string): string[] {
  const damaged = store.derived.all().filter((row) => !isSound(store, folder, row))
  if (damaged.length === 0) return []
  store.transaction(() => {
    for (const { kind, spaceId } of damaged) {
      store.derived.replace(kind, spaceId, [])
      if (kind === "vectors") store.embedded.keepWaiting(spaceId)
    }
    // Words come from cutting the files again, as after a change of what a chunk is; vectors from what was cut.
    const isWordless = damaged.some(({ kind }) => kind === "keyword")
    writeState(store, { state: "indexing", ...(isWordless ? { shape: "" } : {}) })
  })
  return damaged.map(({ name }) => name)
}

/**
 * Where the uses of one of these files cannot be read, forgets what is known of every file of which that is so: it is
 * cut again once it is looked at. Answers their paths. Only the leader may.
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

/** A file that merely looks otherwise than when it was last read is known by its new look from now on. */
function isSound(store: Store, folder: string, row: DerivedRow): boolean {
  const stamp = verifyDerived(folder, row)
  if (stamp === null) return false
  if (stamp.inode !== row.inode || stamp.times !== row.times) {
    store.transaction(() => store.derived.stamp(row, stamp.inode, stamp.times))
  }
  return true
}
