import { existsSync, lstatSync } from "node:fs"
import { join } from "node:path"
import { isPlain } from "../base/file-identity.ts"
import { log } from "../base/log.ts"
import { canBeMade, chooseIndexDir, INDEX_DIR_NAME } from "../config/index-dir.ts"
import { indexPath } from "../indexing/index-folder.ts"
import { readIndexId } from "../store/open.ts"
import { type IndexPlace, openRegistry } from "./index-trust.ts"

/**
 * Where our index of a project lies: the one in the project may be that of somebody with another data folder (another
 * user, a container, an editor with a home of its own), or have come with it. It is no more believed than before; but
 * were it made anew, they would make it anew in turn, for ever. So ours lies in our data folder then, if one can be
 * made.
 */
export function ownIndexDir({ root, dir }: IndexPlace, registry = openRegistry()): string {
  if (dir !== join(root, INDEX_DIR_NAME) || !isTheirs(dir, registry)) return dir
  const outside = chooseIndexDir(root, "user")
  return canBeMade(outside) ? outside : dir
}

/** An index that none of ours is, nor was: neither in another place, nor by an entry that cannot be read. */
export function isTheirs(dir: string, registry = openRegistry()): boolean {
  const id = idIn(dir)
  if (!id) return false
  const entry = registry.find(dir)
  if (entry !== null) return entry.id !== id
  return !registry.has(dir) && !registry.all().some((each) => each.id === id)
}

/** The index in a project, where it is somebody else's. */
export function theirsIn(root: string): string | null {
  const inside = join(root, INDEX_DIR_NAME)
  return isTheirs(inside) ? inside : null
}

/** What to say of an index in the project that is not ours to remove; none where there is none. */
export function remarksOnTheirs(root: string): string[] {
  const dir = theirsIn(root)
  if (dir === null) return []
  return [
    `the index in ${dir} was not made by this user's aman, and is left; delete that folder where nobody needs it`,
  ]
}

/** Says once, by whoever makes ours, why there is another one. */
export function reportTheirs({ root, dir }: IndexPlace): void {
  const theirs = isTheirs(dir) ? dir : theirsIn(root)
  if (theirs === null || (dir !== theirs && existsSync(indexPath(dir)))) return
  log.warn("an index of this project was made with another data folder, or came with it", {
    folder: theirs,
    ours: dir === theirs ? "made anew in its place" : dir,
  })
}

/** Null where there is none that we may look at. */
function idIn(dir: string): number | null {
  const path = indexPath(dir)
  try {
    return lstatSync(dir).isDirectory() && isPlain(path) ? readIndexId(path) : null
  } catch {
    return null
  }
}
