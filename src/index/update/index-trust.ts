import { existsSync, lstatSync, statSync } from "node:fs"
import { join, relative } from "node:path"
import {
  AmanError,
  canBeMade,
  chooseIndexDir,
  INDEX_DIR_NAME,
  isInside,
  isPlain,
  isWritable,
  log,
  type OpenFolder,
  temporaryDataDir,
  toPosix,
  userDataDir,
} from "../../base/index.ts"
import { type IndexEntry, LeaderLock, Registry, readIndexId } from "../../store/index.ts"
import { findWorkTree, readTrackedFiles } from "../../tree/index.ts"
import {
  emptyIndexFolder,
  hasIndexFiles,
  type IndexPlace,
  indexFolderSize,
  indexPath,
  openIndexFolder,
  removeIndexFolder,
} from "../index-folder.ts"

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

/**
 * Folder of this user's index of a project. An index inside the project may belong to another data folder
 * (another user, a container, an editor with its own home) or may have come with the project. It is not
 * trusted; but if we rebuilt it there, its owner would rebuild it in turn, forever. In that case our index is
 * placed in our data folder, if a folder can be made there.
 */
export function ownIndexDir({ root, dir }: IndexPlace, registry = openRegistry()): string {
  if (dir !== join(root, INDEX_DIR_NAME) || !isForeignIndex(dir, registry)) return dir
  const outside = chooseIndexDir(root, "user")
  return canBeMade(outside) ? outside : dir
}

/**
 * True for an index this user's aman never made: its id is registered neither for this folder, nor for
 * another one, nor by an entry that cannot be read.
 */
export function isForeignIndex(dir: string, registry = openRegistry()): boolean {
  const id = idIn(dir)
  if (!id) return false
  const entry = registry.find(dir)
  if (entry !== null) return entry.id !== id
  return !registry.has(dir) && !registry.all().some((each) => each.id === id)
}

/** Folder of a foreign index inside the project; null if there is none. */
export function foreignIndexIn(root: string): string | null {
  const inside = join(root, INDEX_DIR_NAME)
  return isForeignIndex(inside) ? inside : null
}

/** Notices about a foreign index in the project, which is not ours to remove; empty if there is none. */
export function foreignIndexNotices(root: string): string[] {
  const dir = foreignIndexIn(root)
  if (dir === null) return []
  return [
    `the index in ${dir} was not built by your aman, so it was not deleted; delete the folder yourself if it is not needed`,
  ]
}

/** Logs why there is a second index; called by the process that creates ours, so it is logged once. */
export function logForeignIndex({ root, dir }: IndexPlace): void {
  const foreign = isForeignIndex(dir) ? dir : foreignIndexIn(root)
  if (foreign === null || (dir !== foreign && existsSync(indexPath(dir)))) return
  log.warn("the index of this project came with it or belongs to another data folder", {
    folder: foreign,
    ours: dir === foreign ? "it is being rebuilt" : dir,
  })
}

/**
 * Logs why the index is not inside the project; called by the process that creates it, so it is logged once.
 */
export function reportLink({ root, dir }: IndexPlace): void {
  const inside = join(root, INDEX_DIR_NAME)
  if (dir === inside || existsSync(indexPath(dir))) return
  const stats = lstatSync(inside, { throwIfNoEntry: false })
  if (stats === undefined || stats.isDirectory()) return
  const what = stats.isSymbolicLink() ? "is a symbolic link" : "is not a folder"
  log.warn(`${inside} ${what}, so the index is stored in your data folder`, {
    folder: dir,
    remedy: "delete it to store the index in the project again",
  })
}

/** Id of the index in a folder; null if there is none that may be read. */
function idIn(dir: string): number | null {
  const path = indexPath(dir)
  try {
    return lstatSync(dir).isDirectory() && isPlain(path) ? readIndexId(path) : null
  } catch {
    return null
  }
}

export type RemovedIndex = {
  readonly root: string
  readonly dir: string
  /** Number of removed files and bytes; both 0 if there was no index. */
  readonly files: number
  readonly bytes: number
}

/**
 * Removes an index that this user's aman made and leaves other files beside it. Throws IO if a link or a file
 * stands in place of its folder.
 */
export function removeIndex(place: IndexPlace): RemovedIndex {
  const registry = openRegistry()
  using folder = openIndexFolder(place)
  if (folder === null) {
    registry.remove(place.dir)
    return { ...place, files: 0, bytes: 0 }
  }
  const size = indexFolderSize(folder.at)
  if (size.files > 0) removeOurs(place, folder, () => registry.remove(place.dir))
  else registry.remove(place.dir)
  return { ...place, ...size }
}

function removeOurs(place: IndexPlace, folder: OpenFolder, forget: () => void): void {
  // aman registers an index before it creates one. So an index that is not registered was made by somebody else and is
  // not deleted.
  const isMade = hasIndexFiles(folder.at)
  if (isMade && (isForeignIndex(place.dir) || knownIndexId(place) === null)) {
    throw new AmanError("INDEX_FOREIGN", `the index in ${place.dir} was not built by your aman`, {
      hint: "delete that folder yourself if it is not needed",
    })
  }
  using lead = LeaderLock.take(folder)
  if (lead === null) {
    throw new AmanError("INDEX_BUSY", `another aman process is writing the index in ${place.dir}`, {
      hint: "stop that process (aman serve or aman index), then try again",
    })
  }
  removeIndexFolder(folder, lead, forget)
}
