import { existsSync, lstatSync, statSync } from "node:fs"
import { basename, dirname, join } from "node:path"
import { isWritable, userDataDir } from "../base/paths.ts"
import { sha256 } from "../base/sha256.ts"

export const INDEX_DIR_NAME = ".aman"

/** Bytes: SQLite opens no path of more than 512, and the longest name in the folder takes some thirty of them. */
const LONGEST_DIR = 470

/**
 * Where a project's index lives: `<root>/.aman`, or the user's data folder where that cannot be written or is
 * wanted so or would have too long a path, or a folder of its own in the one that the user named for all. Where neither
 * can be written, as in an agent's sandbox, one that is there is read.
 */
export function chooseIndexDir(root: string, location = "project", dataDir: string = userDataDir()): string {
  if (location !== "project" && location !== "user") return join(location, indexName(root))
  const inside = join(root, INDEX_DIR_NAME)
  const found = Buffer.byteLength(inside) > LONGEST_DIR ? "other" : folderAt(inside)
  if (location === "project" && found !== "other" && isWritable(found ? inside : root)) return inside
  const outside = join(dataDir, "indexes", indexName(root))
  const isRead = location === "project" && found === "folder" && !existsSync(outside) && !canBeMade(outside)
  return isRead ? inside : outside
}

/** A link could lead the index out of the project, to wherever its author wished. */
function folderAt(path: string): "folder" | "other" | null {
  try {
    const found = lstatSync(path, { throwIfNoEntry: false })
    return found === undefined ? null : found.isDirectory() ? "folder" : "other"
  } catch {
    return "other"
  }
}

/** Whether that folder can be written, or made. */
export function canBeMade(folder: string): boolean {
  let above = folder
  while (!existsSync(above) && dirname(above) !== above) above = dirname(above)
  return statSync(above).isDirectory() && isWritable(above)
}

/** The folder's own name, for people, and enough of a hash of its path to be unique. */
function indexName(root: string): string {
  const hash = sha256(root).slice(0, 16)
  return `${
    basename(root)
      .replace(/[^\w.-]+/g, "_")
      .slice(0, 40) || "root"
  }-${hash}`
}
