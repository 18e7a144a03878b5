import { existsSync, lstatSync } from "node:fs"
import { join } from "node:path"
import { isPlain } from "../../base/files/files.ts"
import { log } from "../../base/log.ts"
import { canBeMade, chooseIndexDir, INDEX_DIR_NAME } from "../../config/index-dir.ts"
import { type IndexPlace, indexPath } from "../../index/index-folder.ts"
import { readIndexId } from "../../store/index/open.ts"
import { openRegistry } from "./index-trust.ts"

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
