import { existsSync, lstatSync, statSync } from "node:fs"
import { join } from "node:path"
import { isPlain } from "../base/file-identity.ts"
import { log } from "../base/log.ts"
import { chooseIndexDir, INDEX_DIR_NAME } from "../config/index-dir.ts"
import { indexPath } from "../indexing/index-folder.ts"
import { readIndexId } from "../store/open.ts"
import { type IndexPlace, knownIndexId, openRegistry } from "./index-trust.ts"

/** Who has not written an index for so long is not thought to come back to it. */
const ABANDONED_MS = 7 * 86_400_000

/**
 * Where our index of a project lies: the one in the project may be that of somebody with another data folder (another
 * user, a container, an editor with a home of its own), or have come with it. It is no more believed than before; but
 * were it made anew, they would make it anew in turn, for ever. So ours lies in our data folder then.
 */
export function ownIndexDir(place: IndexPlace, now: number, registry = openRegistry()): string {
  const { root, dir } = place
  if (dir !== join(root, INDEX_DIR_NAME) || !isTheirs(dir, registry)) return dir
  const outside = chooseIndexDir(root, "user")
  if (existsSync(indexPath(outside))) return outside
  return now - lastWritten(dir) < ABANDONED_MS && registry.isWritable ? outside : dir
}

/** An index that none of ours is, nor was: neither in another place, nor by an entry that cannot be read. */
export function isTheirs(dir: string, registry = openRegistry()): boolean {
  const path = indexPath(dir)
  const isFolder = lstatSync(dir, { throwIfNoEntry: false })?.isDirectory()
  const id = isFolder && isPlain(path) ? readIndexId(path) : null
  if (!id) return false
  const entry = registry.find(dir)
  if (entry !== null) return entry.id !== id
  return !registry.has(dir) && !registry.all().some((each) => each.id === id)
}

/** Says once, by whoever makes ours, why there is another one. */
export function reportTheirs(place: IndexPlace): void {
  const { root, dir } = place
  const inside = join(root, INDEX_DIR_NAME)
  const isMadeAnew = dir === inside ? knownIndexId(place) === null : !existsSync(indexPath(dir))
  if (isMadeAnew && isTheirs(inside)) {
    log.warn("the index in the project was made with another data folder, or came with it", {
      folder: inside,
      ...(dir === inside ? { made: "anew, after nobody wrote it for a week" } : { ours: dir }),
    })
  }
}

function lastWritten(dir: string): number {
  const path = indexPath(dir)
  return Math.max(
    ...[path, `${path}-wal`].map((each) => statSync(each, { throwIfNoEntry: false })?.mtimeMs ?? 0),
  )
}
