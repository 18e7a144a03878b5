import { existsSync, statSync } from "node:fs"
import { join, relative } from "node:path"
import { isPlain } from "../../base/files/files.ts"
import { log } from "../../base/log.ts"
import { isInside, isWritable, temporaryDataDir, toPosix, userDataDir } from "../../base/paths.ts"
import { readTrackedFiles } from "../../git/tracked-files.ts"
import { findWorkTree } from "../../git/work-tree.ts"
import { emptyIndexFolder, type IndexPlace, indexPath } from "../../index/index-folder.ts"
import { readIndexId } from "../../store/index/open.ts"
import { type IndexEntry, Registry } from "../../store/registry.ts"

const FOLDER = "projects"

/** Registry of this user's indexes. */
export function openRegistry(): Registry {
  return new Registry([join(userDataDir(), FOLDER), join(temporaryDataDir(), FOLDER)])
}

/**
 * Id of the index that this user's aman made for the project in that place. Null if there is none, or if the index
 * there came with the project. Undefined if no index can be registered on this machine: any index is then accepted,
 * unless its folder is not writable, because aman could not have made it there.
 */
export function knownIndexId(place: IndexPlace, registry = openRegistry()): number | null | undefined {
  const entry = registry.find(place.dir)
  if (entry?.root === place.root) return entry.id
  return adoptMoved(place, registry) ?? (registry.isWritable || !isWritable(place.dir) ? null : undefined)
}

/**
 * Returns the id for the index and deletes an index that is not ours. The lock must be held. `at`: the opened
 * folder.
 */
export function claimIndex(place: IndexPlace, at: string, registry = openRegistry()): number {
  const knownId = knownIndexId(place, registry)
  if (typeof knownId === "number" && !isWalTracked(place)) return knownId
  emptyIndexFolder(at)
  if (typeof knownId === "number") return knownId
  const id = newId()
  if (!registry.add({ id, ...place, created: new Date().toISOString() })) {
    log.warn("aman cannot record that it built this index, so it is rebuilt each time", {
      folder: userDataDir(),
      remedy: "make that folder writable, or set AMAN_DATA_DIR to another one",
    })
  }
  return id
}

/**
 * True if git tracks the index's WAL file. SQLite reads pages from the WAL in preference to the database, and
 * the WAL carries no id; git overwrites ignored files, so a tracked WAL came with the project.
 */
export function isWalTracked({ root, dir }: IndexPlace): boolean {
  const path = `${indexPath(dir)}-wal`
  const size = statSync(path, { throwIfNoEntry: false })?.size ?? 0
  const workTree = size > 0 && isInside(root, dir) ? findWorkTree(root) : null
  if (workTree === null) return false
  return readTrackedFiles(workTree)?.has(toPosix(relative(workTree.top, path))) ?? false
}

/** Random id; never 0, the default of every database. 31 bits, because SQLite's field is signed. */
function newId(): number {
  const [bits] = crypto.getRandomValues(new Uint32Array(1))
  return (bits! >>> 1) | 1
}

/**
 * Id of a moved project's index, which is kept; null for a copy, whose original still exists and which gets
 * its own index.
 */
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
