import { existsSync, lstatSync, statSync } from "node:fs"
import { basename, dirname, join } from "node:path"
import { sha256 } from "../files/files.ts"
import { isWritable, userDataDir } from "../paths.ts"

export const INDEX_DIR_NAME = ".aman"

/**
 * Maximum length in bytes of the path of an index folder. SQLite opens no path longer than 512 bytes, and the longest
 * file name in the folder takes about 30.
 */
const MAX_DIR_BYTES = 470

/**
 * Chooses the folder for a project's index: `<root>/.aman`; or a folder in the user's data folder, if the first cannot
 * be written, if its path is too long, or if the user chose so; or a subfolder of the folder that the user chose for
 * all indexes. If no folder can be written, as in the sandbox of an agent, an existing one is used for reading.
 */
export function chooseIndexDir(root: string, location = "project", dataDir: string = userDataDir()): string {
  if (location !== "project" && location !== "user") return join(location, indexName(root))
  const inside = join(root, INDEX_DIR_NAME)
  const existing = Buffer.byteLength(inside) > MAX_DIR_BYTES ? "other" : folderAt(inside)
  if (location === "project" && existing !== "other" && isWritable(existing ? inside : root)) return inside
  const outside = join(dataDir, "indexes", indexName(root))
  const isReadOnly =
    location === "project" && existing === "folder" && !existsSync(outside) && !canBeMade(outside)
  return isReadOnly ? inside : outside
}

/**
 * The kind of the entry at a path; null if there is none. A link is "other", because it could lead the index out of the
 * project.
 */
function folderAt(path: string): "folder" | "other" | null {
  try {
    const found = lstatSync(path, { throwIfNoEntry: false })
    if (found === undefined) return null
    return found.isDirectory() ? "folder" : "other"
  } catch {
    return "other"
  }
}

/** True when the folder can be written, or can be created. */
export function canBeMade(folder: string): boolean {
  let above = folder
  while (!existsSync(above) && dirname(above) !== above) above = dirname(above)
  return statSync(above).isDirectory() && isWritable(above)
}

/**
 * Name of an index folder in the data folder: the name of the project's folder, for people, and a part of the hash of
 * its path, to make it unique.
 */
function indexName(root: string): string {
  const hash = sha256(root).slice(0, 16)
  return `${
    basename(root)
      .replace(/[^\w.-]+/g, "_")
      .slice(0, 40) || "root"
  }-${hash}`
}
