import { existsSync, statSync } from "node:fs"
import { join, relative } from "node:path"
import { isPlain } from "../base/file-identity.ts"
import { log } from "../base/log.ts"
import { isInside, isWritable, temporaryDataDir, toPosix, userDataDir } from "../base/paths.ts"
import { readTrackedFiles } from "../git/tracked-files.ts"
import { findWorkTree } from "../git/work-tree.ts"
import { emptyIndexFolder, indexPath } from "../indexing/index-folder.ts"
import { readIndexId } from "../store/open.ts"
import { type IndexEntry, Registry } from "../store/registry.ts"

/** Where an index lies and what it is of. */
export type IndexPlace = { readonly root: string; readonly dir: string }

const FOLDER = "projects"

/** The indexes of this user. */
export function openRegistry(): Registry {
  return new Registry([join(userDataDir(), FOLDER), join(temporaryDataDir(), FOLDER)])
}

/**
 * The id of the index that this user's aman made for the project in that place; null where there is none, or where
 * what is there came with the project. `undefined` where nothing can be remembered, so that any has to do: but none
 * that could not have been made here.
 */
export function knownIndexId(place: IndexPlace, registry = openRegistry()): number | null | undefined {
  const entry = registry.find(place.dir)
  if (entry?.root === place.root) return entry.id
  return adoptMoved(place, registry) ?? (registry.isWritable || !isWritable(place.dir) ? null : undefined)
}

/** The id for the index to have; the lock must be held. Removes one that is not ours. */
export function claimIndex(place: IndexPlace, registry = openRegistry()): number {
  const known = knownIndexId(place, registry)
  if (typeof known === "number" && !hasPlantedLog(place)) return known
  emptyIndexFolder(place.dir)
  if (typeof known === "number") return known
  const id = newId()
  if (!registry.add({ id, ...place, created: new Date().toISOString() })) {
    log.warn("the index cannot be remembered and is made anew each time", {
      folder: userDataDir(),
      remedy: "make that folder writable, or name another one with AMAN_DATA_DIR",
    })
  }
  return id
}

/**
 * SQLite's log says what pages hold in place of the database, and carries no id. Git replaces files that it ignores:
 * a log that is left over and that the project's history tracks is not ours.
 */
export function hasPlantedLog({ root, dir }: IndexPlace): boolean {
  const path = `${indexPath(dir)}-wal`
  const size = statSync(path, { throwIfNoEntry: false })?.size ?? 0
  const workTree = size > 0 && isInside(root, dir) ? findWorkTree(root) : null
  if (workTree === null) return false
  return readTrackedFiles(workTree)?.has(toPosix(relative(workTree.top, path))) ?? false
}

/** Not 0, which every database has that nobody gave a number; 31 bits, for the field is signed. */
function newId(): number {
  const [bits] = crypto.getRandomValues(new Uint32Array(1))
  return (bits! >>> 1) | 1
}

/** A project that was moved keeps its index; of a copy the original is still there, and the copy gets its own. */
function adoptMoved(place: IndexPlace, registry: Registry): number | null {
  const path = indexPath(place.dir)
  const id = isPlain(path) ? readIndexId(path) : null
  if (!id) return null
  const former = registry.all().find((entry) => entry.id === id && isGone(entry))
  if (former === undefined) return null
  if (!registry.add({ ...former, ...place })) return null
  if (former.dir !== place.dir) registry.remove(former.dir)
  return id
}

function isGone({ root, dir }: IndexEntry): boolean {
  return !existsSync(root) || !existsSync(dir)
}
